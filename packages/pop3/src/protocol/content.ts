const CR = 0x0d
const LF = 0x0a
const DOT = 0x2e

/**
 * A message as the lines of a response: every line ends with CRLF, a dot at its beginning is
 * doubled, and a line with a dot alone ends them. With `bodyLines`, only the header and so many
 * lines of the body.
 *
 * A bare LF becomes CRLF: a client that treats it as the end of a line must not see an end of the
 * response in the middle of a message.
 */
export function stuffedContent(raw: Uint8Array, bodyLines: number | null): Buffer {
  // Every line may grow by two bytes, and a message has at least one byte a line.
  const out = Buffer.allocUnsafe(raw.length * 3 + 5)
  let length = 0
  let at = 0
  let linesLeft = Number.POSITIVE_INFINITY
  while (at < raw.length && linesLeft > 0) {
    const lf = raw.indexOf(LF, at)
    const end = lf === -1 ? raw.length : lf
    const textEnd = lf > at && raw[lf - 1] === CR ? lf - 1 : end
    if (raw[at] === DOT) out[length++] = DOT
    out.set(raw.subarray(at, textEnd), length)
    length += textEnd - at
    out[length++] = CR
    out[length++] = LF
    linesLeft -= 1
    // The first empty line ends the header.
    if (textEnd === at && linesLeft === Number.POSITIVE_INFINITY && bodyLines !== null) {
      linesLeft = bodyLines
    }
    at = end + 1
  }
  length += out.write('.\r\n', length, 'latin1')
  return Buffer.from(out.subarray(0, length))
}
