import { decodeCharset } from './charset.ts'
import type { DefectList } from './defects.ts'

const ENCODED_WORD = /=\?([^?\s*]+)(?:\*[^?\s]*)?\?([bq])\?([^?]*)\?=/gi

/** Neighbouring words of one charset. */
interface Gathered {
  readonly charset: string
  /** Their bytes, one character for each. */
  bytes: string
}

/**
 * The text of a header value with its encoded words (RFC 2047) decoded.
 *
 * Neighbours of one charset are joined as bytes before they are decoded: senders cut words in the
 * middle of a character. White space between neighbours is no part of the text.
 */
export function decodeEncodedWords(value: string, defects: DefectList): string {
  if (!value.includes('=?')) return value
  let text = ''
  let done = 0
  let gathered: Gathered | null = null
  for (const match of value.matchAll(ENCODED_WORD)) {
    const [whole, charset = '', encoding = '', encoded = ''] = match
    const between = value.slice(done, match.index)
    const isNeighbour = gathered !== null && between.trim() === ''
    if (gathered !== null && (!isNeighbour || gathered.charset !== charset.toLowerCase())) {
      text += textOf(gathered, defects)
      gathered = null
    }
    if (!isNeighbour) text += between
    gathered ??= { charset: charset.toLowerCase(), bytes: '' }
    gathered.bytes += bytesOf(encoding, encoded)
    done = match.index + whole.length
  }
  if (gathered !== null) text += textOf(gathered, defects)
  const rest = value.slice(done)
  if (rest.includes('=?') && /=\?[^?\s]+\?[bq]\?/i.test(rest)) defects.note('badEncodedWord')
  return text + rest
}

function bytesOf(encoding: string, encoded: string): string {
  if (encoding === 'b' || encoding === 'B') {
    return Buffer.from(encoded, 'base64').toString('latin1')
  }
  const spaced = encoded.includes('_') ? encoded.replaceAll('_', ' ') : encoded
  if (!spaced.includes('=')) return spaced
  return spaced.replace(/=([\da-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
}

function textOf(gathered: Gathered, defects: DefectList): string {
  const bytes = Buffer.from(gathered.bytes, 'latin1')
  return withoutControls(decodeCharset(bytes, gathered.charset, defects))
}

/** An encoded line break must not turn one field into two wherever the value is shown. */
function withoutControls(text: string): string {
  return text.replace(/[\0-\x08\n-\x1f\x7f]+/g, ' ')
}
