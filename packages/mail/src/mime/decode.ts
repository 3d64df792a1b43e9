import type { DefectList } from './defects.ts'

/** How the bytes of a part are written in the mail. */
export type TransferEncoding = 'identity' | 'base64' | 'quoted-printable'

const CR = 13
const LF = 10
const SPACE = 32
const TAB = 9
const EQUALS = 61

/** Value of a hexadecimal digit by character code; 255 for anything else. */
const HEX = new Uint8Array(256).fill(255)
for (let digit = 0; digit < 16; digit += 1) {
  const character = digit.toString(16)
  HEX[character.charCodeAt(0)] = digit
  HEX[character.toUpperCase().charCodeAt(0)] = digit
}

/** The encoding that a Content-Transfer-Encoding field names. */
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

/** The bytes that `encoded` stands for. Damage costs the damaged characters and no more. */
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
    // Some senders join pieces that are padded each. What is no base64 was added on the way:
    // the footer of a mailing list. Decoding stops before it by itself.
    if (!FOREIGN_TO_BASE64.test(rest)) return Buffer.concat(decodePieces(text))
  }
  const decoded = Buffer.from(text, 'base64')
  if (defects !== null && isSuspect(text, decoded) && FOREIGN_TO_BASE64.test(text)) {
    defects.note('badBase64')
  }
  return decoded
}

const FOREIGN_TO_BASE64 = /[^A-Za-z0-9+/=\s]/

/** Padded pieces decoded one by one: a mail of nothing but padding must not cost a call each. */
const BASE64_PIECES_MAX = 1_000

function decodePieces(text: string): Buffer[] {
  return text.split(/=+/, BASE64_PIECES_MAX).map((piece) => Buffer.from(piece, 'base64'))
}

/** Characters of base64 that are always searched for damage; of more, only if much was left out. */
const SEARCHED_CHARS_MAX = 4 * 1024

/** Sound base64 in lines of 60 characters or more gives this many bytes for a character. */
const LEAST_YIELD = 0.75 * 0.96

function isSuspect(text: string, decoded: Buffer): boolean {
  return text.length <= SEARCHED_CHARS_MAX || decoded.length < text.length * LEAST_YIELD
}

function decodeQuotedPrintable(encoded: Buffer, defects: DefectList | null): Buffer {
  const output = Buffer.allocUnsafe(encoded.length)
  const length = encoded.length
  let end = 0
  // White space at the end of a line was added on the way; an encoded space is meant.
  let kept = 0
  for (let at = 0; at < length; at += 1) {
    const code = encoded[at] ?? 0
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

/** Behind the line break that follows a `=` at the end of a line; 0 where there is none. */
function softBreakEnd(encoded: Buffer, from: number): number {
  let at = from
  while (encoded[at] === SPACE || encoded[at] === TAB) at += 1
  if (at >= encoded.length) return at
  if (encoded[at] === LF) return at + 1
  if (encoded[at] !== CR) return 0
  return encoded[at + 1] === LF ? at + 2 : at + 1
}
