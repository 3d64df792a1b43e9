import { decodeCharset } from './charset.ts'
import type { DefectList } from './defects.ts'

const ENCODED_WORD = /=\?([^?\s*]+)(?:\*[^?\s]*)?\?([bq])\?([^?]*)\?=/gi

/** Adjacent encoded words with the same charset. */
interface AdjacentWords {
  readonly charset: string
  /** Their bytes, one character per byte. */
  bytes: string
}

/**
 * Decodes the encoded words (RFC 2047) of a header value.
 *
 * Adjacent words with the same charset are joined as bytes before they are decoded: some senders
 * split a character between two words. White space between adjacent words is dropped.
 */
export function decodeEncodedWords(value: string, defects: DefectList): string {
  if (!value.includes('=?')) return value
  let text = ''
  let done = 0
  let words: AdjacentWords | null = null
  ENCODED_WORD.lastIndex = 0
  for (let match = ENCODED_WORD.exec(value); match !== null; match = ENCODED_WORD.exec(value)) {
    const charset = match[1]?.toLowerCase() ?? ''
    const between = value.slice(done, match.index)
    const isAdjacent = words !== null && between.trim() === ''
    if (words !== null && (!isAdjacent || words.charset !== charset)) {
      text += textOf(words, defects)
      words = null
    }
    if (!isAdjacent) text += between
    words ??= { charset, bytes: '' }
    words.bytes += bytesOf(match[2] ?? '', match[3] ?? '')
    done = match.index + match[0].length
  }
  if (words !== null) text += textOf(words, defects)
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

function textOf(words: AdjacentWords, defects: DefectList): string {
  const bytes = Buffer.from(words.bytes, 'latin1')
  return withoutControls(decodeCharset(bytes, words.charset, defects))
}

/** An encoded line break must not turn one header field into two where the value is used. */
function withoutControls(text: string): string {
  return text.replace(/[\0-\x08\n-\x1f\x7f]+/g, ' ')
}
