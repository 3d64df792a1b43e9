import { decodeHTML, decodeHTMLAttribute } from 'entities/decode'

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
 * library knows all of them and all rules, but takes several times as long. No common one is white
 * space that collapses.
 */
export function withCommonDecoded(text: string): string | null {
  let decoded = ''
  let from = 0
  for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', from)) {
    const end = nameEnd(text, at + 1)
    const code = end < 0 ? UNCOMMON : codeOf(text, at + 1, end)
    if (code === UNCOMMON) return null
    decoded += text.slice(from, at) + String.fromCharCode(code)
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

/** Not one of the references that most mails have. */
const UNCOMMON = -1

/** The character of the reference with the name between `start` and `end`. */
function codeOf(text: string, start: number, end: number): number {
  if (text.charCodeAt(start) !== 0x23) return codeOfName(text, start, end)
  let code = 0
  for (let at = start + 1; at < end; at += 1) {
    const digit = text.charCodeAt(at) - 0x30
    if (digit < 0 || digit > 9) return UNCOMMON
    code = code * 10 + digit
  }
  return isAsWritten(code) ? code : UNCOMMON
}

/** The named references that most mails have. */
function codeOfName(text: string, start: number, end: number): number {
  switch (end - start) {
    case 2:
      if (text.startsWith('lt', start)) return 0x3c
      return text.startsWith('gt', start) ? 0x3e : UNCOMMON
    case 3:
      return text.startsWith('amp', start) ? 0x26 : UNCOMMON
    case 4:
      if (text.startsWith('nbsp', start)) return 0xa0
      return text.startsWith('quot', start) ? 0x22 : UNCOMMON
    default:
      return UNCOMMON
  }
}

/** Visible ASCII, and what is neither a control character nor half of a pair. */
function isAsWritten(code: number): boolean {
  return (code > 0x20 && code < 0x7f) || (code >= 0xa0 && code < 0xd800)
}
