import { decodeCharset } from './charset.ts'
import { decodeTransfer } from './decode.ts'
import type { DefectList } from './defects.ts'

const ENCODED_WORD = /=\?([^?\s*]+)(?:\*[^?\s]*)?\?([bq])\?([^?]*)\?=/gi

interface Gathered {
  readonly charset: string
  readonly pieces: Buffer[]
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
    gathered ??= { charset: charset.toLowerCase(), pieces: [] }
    gathered.pieces.push(bytesOf(encoding, encoded))
    done = match.index + whole.length
  }
  if (gathered !== null) text += textOf(gathered, defects)
  const rest = value.slice(done)
  if (rest.includes('=?') && /=\?[^?\s]+\?[bq]\?/i.test(rest)) defects.note('badEncodedWord')
  return text + rest
}

function bytesOf(encoding: string, encoded: string): Buffer {
  if (encoding === 'b' || encoding === 'B') return Buffer.from(encoded, 'base64')
  const bytes = Buffer.from(encoded.replaceAll('_', '=20'), 'latin1')
  return decodeTransfer(bytes, 'quoted-printable')
}

function textOf(gathered: Gathered, defects: DefectList): string {
  const { pieces, charset } = gathered
  const [first] = pieces
  const bytes = pieces.length === 1 && first !== undefined ? first : Buffer.concat(pieces)
  return withoutControls(decodeCharset(bytes, charset, defects))
}

/** An encoded line break must not turn one field into two wherever the value is shown. */
function withoutControls(text: string): string {
  return text.replace(/[\0-\x08\n-\x1f\x7f]+/g, ' ')
}
