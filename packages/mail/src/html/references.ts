import { decodeHTML, decodeHTMLAttribute } from 'entities/decode'

/** The named references that most mails have; an ampersand and a semicolon are around them. */
const COMMON: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['nbsp', '\u00a0'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
])

/** Characters of a common reference: `#8211`. */
const NAME_CHARS_MAX = 5

/** Text with its character references decoded. */
export function decodeText(text: string): string {
  return withCommonDecoded(text) ?? decodeHTML(text)
}

/** The value of an attribute with its character references decoded. */
export function decodeAttribute(value: string): string {
  return withCommonDecoded(value) ?? decodeHTMLAttribute(value)
}

/**
 * The text with its references decoded; null if one of them is not common, or may be none. The
 * library knows all of them and all rules, but takes several times as long.
 */
function withCommonDecoded(text: string): string | null {
  let decoded = ''
  let from = 0
  for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', from)) {
    const end = nameEnd(text, at + 1)
    const sign = end < 0 ? null : signOf(text.slice(at + 1, end))
    if (sign === null) return null
    decoded += text.slice(from, at) + sign
    from = end + 1
  }
  return from === 0 ? text : decoded + text.slice(from)
}

/** Where the semicolon behind a short name is; -1 if there is none. */
function nameEnd(text: string, start: number): number {
  const last = Math.min(text.length - 1, start + NAME_CHARS_MAX)
  for (let at = start; at <= last; at += 1) if (text.charCodeAt(at) === 0x3b) return at
  return -1
}

function signOf(name: string): string | null {
  if (name.charCodeAt(0) !== 0x23) return COMMON.get(name) ?? null
  let code = 0
  for (let at = 1; at < name.length; at += 1) {
    const digit = name.charCodeAt(at) - 0x30
    if (digit < 0 || digit > 9) return null
    code = code * 10 + digit
  }
  return isAsWritten(code) ? String.fromCharCode(code) : null
}

/** Visible ASCII, and what is neither a control character nor half of a pair. */
function isAsWritten(code: number): boolean {
  return (code >= 0x20 && code < 0x7f) || (code >= 0xa0 && code < 0xd800)
}
