import type { DefectList } from './defects.ts'

/** Names used in mail that the Encoding Standard does not have, with the name that it has. */
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

/** Names that do not reliably tell the charset: the text is usually UTF-8. */
const UNRELIABLE = new Set(['', 'us-ascii', 'ascii', 'ansi_x3.4-1968', 'utf-8', 'utf8', 'iso-ir-6'])

/** Cached decoders: enough for all real names, with a limit against invented ones. */
const CACHE_MAX = 200

const decoders = new Map<string, TextDecoder | null>()
const strictUtf8 = new TextDecoder('utf-8', { fatal: true })
const windows1252 = new TextDecoder('windows-1252')

/**
 * Decodes `bytes` by the name of a charset in any case and spelling.
 *
 * Bytes that are not valid UTF-8, where UTF-8 or no charset was declared, are decoded as
 * windows-1252 if that keeps more of them readable. An unknown charset is decoded as windows-1252
 * and is a defect.
 */
export function decodeCharset(bytes: Buffer, charset: string, defects: DefectList): string {
  const name = charset.toLowerCase().replace(/[^\w.:+-]+/g, '')
  if (UNRELIABLE.has(name)) return decodeUtf8(bytes, name, defects)
  const decoder = decoderOf(name)
  if (decoder === null) {
    defects.note('unknownCharset')
    return windows1252.decode(bytes)
  }
  return decoder.decode(bytes)
}

/** Decodes non-ASCII bytes of a header: UTF-8 as in RFC 6532, else windows-1252. */
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
  // Truncated UTF-8 is still UTF-8; without any valid sequence it is not.
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
      // The constructor throws for an unknown name: try the next.
    }
  }
  return null
}
