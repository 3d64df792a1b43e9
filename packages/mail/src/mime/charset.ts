import type { DefectList } from './defects.ts'

/** Names seen in mail that the Encoding Standard does not know, by the name that it does. */
const ALIASES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'utf-8mb4': 'utf-8',
    utf8mb4: 'utf-8',
    utf_8: 'utf-8',
    cp65001: 'utf-8',
    'x-unknown': 'utf-8',
    'unknown-8bit': 'utf-8',
    default: 'utf-8',
    binary: 'utf-8',
    ascii7: 'us-ascii',
    'iso-646-us': 'us-ascii',
    cp932: 'shift_jis',
    ms932: 'shift_jis',
    'windows-932': 'shift_jis',
    cp936: 'gbk',
    ms936: 'gbk',
    'windows-936': 'gbk',
    cp949: 'euc-kr',
    ms949: 'euc-kr',
    cp950: 'big5',
    'windows-950': 'big5',
    eucjp: 'euc-jp',
    euckr: 'euc-kr',
    'iso-8859-8-e': 'iso-8859-8',
  }),
)

/** Names under which mail is sent that says little of its charset: UTF-8 more often than not. */
const VAGUE = new Set(['', 'us-ascii', 'ascii', 'ansi_x3.4-1968', 'utf-8', 'utf8', 'iso-ir-6'])

/** Charset names remembered: all sensible ones, and a bound for senders that make them up. */
const CACHE_MAX = 200

const decoders = new Map<string, TextDecoder | null>()
const strictUtf8 = new TextDecoder('utf-8', { fatal: true })
const windows1252 = new TextDecoder('windows-1252')

/**
 * The text of `bytes` in the charset of that name, whatever case and spelling it has.
 *
 * Bytes that are no UTF-8 where UTF-8 was said or nothing was said are read as windows-1252 if
 * that keeps more of them readable. An unknown charset is windows-1252 and a defect.
 */
export function decodeCharset(bytes: Buffer, charset: string, defects: DefectList): string {
  const name = charset.toLowerCase().replace(/[^\w.:+-]+/g, '')
  if (VAGUE.has(name)) return decodeUtf8(bytes, name, defects)
  const decoder = decoderOf(name)
  if (decoder === null) {
    defects.note('unknownCharset')
    return windows1252.decode(bytes)
  }
  return decoder.decode(bytes)
}

/** Bytes of a header outside ASCII: UTF-8 as SMTPUTF8 has it, else what old senders meant. */
export function decodeHeaderBytes(bytes: Buffer): string {
  const text = bytes.toString('utf8', 0, bytes.length)
  return text.includes('\ufffd') && !isUtf8(bytes) ? windows1252.decode(bytes) : text
}

function decodeUtf8(bytes: Buffer, name: string, defects: DefectList): string {
  const text = bytes.toString('utf8', 0, bytes.length)
  const start = text.charCodeAt(0) === 0xfeff ? 1 : 0
  if (!text.includes('\ufffd') || isUtf8(bytes)) return start === 0 ? text : text.slice(start)
  const isDeclared = name.startsWith('utf')
  if (isDeclared) defects.note('badCharset')
  // A mail cut in the middle of a character is still UTF-8; one with no sound sequence is not.
  return isDeclared && /[\u0080-\ufffc]/.test(text) ? text.slice(start) : windows1252.decode(bytes)
}

function isUtf8(bytes: Buffer): boolean {
  try {
    strictUtf8.decode(bytes)
    return true
  } catch {
    return false
  }
}

function decoderOf(name: string): TextDecoder | null {
  const known = decoders.get(name)
  if (known !== undefined) return known
  const decoder = makeDecoder(name)
  if (decoders.size < CACHE_MAX) decoders.set(name, decoder)
  return decoder
}

function makeDecoder(name: string): TextDecoder | null {
  const spellings = [ALIASES.get(name) ?? name, name.replaceAll('_', '-'), name.replace(/^x-/, '')]
  const numbered = /^(?:windows|win|cp|ibm|ms|x-cp)[-_ ]?(\d+)$/.exec(name)
  if (numbered !== null) spellings.push(`windows-${numbered[1]}`, `ibm${numbered[1]}`)
  const iso = /^(?:iso|latin)[-_ ]?(?:8859)?[-_ ]?(\d+)$/.exec(name)
  if (iso !== null) spellings.push(`iso-8859-${iso[1]}`)
  for (const spelling of spellings) {
    try {
      return new TextDecoder(spelling)
    } catch {
      // Not this one: the constructor has no other way to say so.
    }
  }
  return null
}
