import type { DefectList } from './defects.ts'

/** How the bytes of a part are encoded. */
export type TransferEncoding = 'identity' | 'base64' | 'quoted-printable'

const CR = 13
const LF = 10
const SPACE = 32
const TAB = 9
const EQUALS = 61

/** Value of a hexadecimal digit by character code; 255 for other characters. */
const HEX = new Uint8Array(256).fill(255)
for (let digit = 0; digit < 16; digit += 1) {
  const character = digit.toString(16)
  HEX[character.charCodeAt(0)] = digit
  HEX[character.toUpperCase().charCodeAt(0)] = digit
}

/** Parses the value of a Content-Transfer-Encoding field. */
export function transferEncoding(value: string | null, defects: DefectList): TransferEncoding {
  if (value === null) return 'identity'
  const name = value
    .replace(/[\s;(].*$/s, '')
    .replaceAll('"', '')
    .toLowerCase()
  switch (name) {
    case 'base64':
    case 'quoted-printable':
      return name
    case 'b':
      return 'base64'
    case 'q':
      return 'quoted-printable'
    case '7bit':
    case '8bit':
    case 'binary':
    case '':
      return 'identity'
    default:
      defects.note('unknownEncoding')
      return 'identity'
  }
}

/** Decodes the bytes of a part. Only invalid characters are lost. */
export function decodeTransfer(
  encoded: Buffer,
  encoding: TransferEncoding,
  defects: DefectList | null = null,
): Buffer {
  if (encoding === 'base64') return decodeBase64(encoded, defects)
  if (encoding === 'quoted-printable') return decodeQuotedPrintable(encoded, defects)
  return encoded
}

function decodeBase64(encoded: Buffer, defects: DefectList | null): Buffer {
  const text = encoded.toString('latin1', 0, encoded.length)
  const padding = text.indexOf('=')
  const rest = padding < 0 ? '' : text.slice(padding)
  if (/[^=\s]/.test(rest)) {
    defects?.note('badBase64')
    // Some senders concatenate pieces that are padded each. Text that is not base64 was added in
    // transit, such as the footer of a mailing list: decoding stops at the padding before it.
    if (!FOREIGN_TO_BASE64.test(rest)) return Buffer.concat(decodePieces(text))
  }
  const decoded = Buffer.from(text, 'base64')
  if (defects !== null && isSuspect(text, decoded) && FOREIGN_TO_BASE64.test(text)) {
    defects.note('badBase64')
  }
  return decoded
}

const FOREIGN_TO_BASE64 = /[^A-Za-z0-9+/=\s]/

/** Limit for padded pieces, each of which costs a call. */
const BASE64_PIECES_MAX = 1_000

function decodePieces(text: string): Buffer[] {
  return text.split(/=+/, BASE64_PIECES_MAX).map((piece) => Buffer.from(piece, 'base64'))
}

/** Base64 up to this length is always checked; longer base64 only if the result is short. */
const CHECKED_CHARS_MAX = 4 * 1024

/** Bytes per character of valid base64 in lines of at least 60 characters. */
const BYTES_PER_CHAR_MIN = 0.75 * 0.96

function isSuspect(text: string, decoded: Buffer): boolean {
  return text.length <= CHECKED_CHARS_MAX || decoded.length < text.length * BYTES_PER_CHAR_MIN
}

function decodeQuotedPrintable(encoded: Buffer, defects: DefectList | null): Buffer {
  const output = Buffer.allocUnsafe(encoded.length)
  const length = encoded.length
  let end = 0
  // White space at the end of a line was added in transit and is dropped; an encoded space is not.
  let kept = 0
  for (let at = 0; at < length; at += 1) {
    const code = encoded[at] ?? 0
    // Nearly all bytes.
    if (code > SPACE && code !== EQUALS) {
      output[end] = code
      end += 1
      kept = end
      continue
    }
    if (code === EQUALS) {
      const high = HEX[encoded[at + 1] ?? 0] ?? 255
      const low = HEX[encoded[at + 2] ?? 0] ?? 255
      if ((high | low) < 16) {
        output[end] = (high << 4) | low
        end += 1
        kept = end
        at += 2
        continue
      }
      const next = softBreakEnd(encoded, at + 1)
      if (next > 0) {
        at = next - 1
        kept = end
        continue
      }
      defects?.note('badQuotedPrintable')
    } else if (code === LF || (code === CR && encoded[at + 1] === LF)) {
      end = kept
    }
    output[end] = code
    end += 1
    if (code !== SPACE && code !== TAB) kept = end
  }
  return output.subarray(0, kept)
}

/** The position after a soft line break, whose `=` is before `from`; 0 if there is none. */
function softBreakEnd(encoded: Buffer, from: number): number {
  let at = from
  while (encoded[at] === SPACE || encoded[at] === TAB) at += 1
  if (at >= encoded.length) return at
  if (encoded[at] === LF) return at + 1
  if (encoded[at] !== CR) return 0
  return encoded[at + 1] === LF ? at + 2 : at + 1
}
