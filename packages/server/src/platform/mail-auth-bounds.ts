// Bounds for the input of mailauth. Its parsing blocks the thread for seconds or minutes on mail
// that is made for it: it takes quadratic time in folded lines, in long header fields and in long
// lines of the body, and reads the body once for each signature.

/** Real headers are a few kilobytes; a list of 2,000 recipients takes 100. */
const HEADER_BYTES_MAX = 128 * 1024
const HEADER_LINES_MAX = 2_000

/** Of the fields that mailauth parses; a real one has up to two kilobytes. */
const PARSED_FIELD_BYTES_MAX = 8 * 1024
const PARSED_FIELD = /^(?:from|received|content-type|dkim-signature|arc-.*)$/

/** Signatures that are verified, the topmost first; real mail has one to three. */
const SIGNATURES_MAX = 10

/** Bytes and lines of the body, times signatures: about two seconds. */
const HASHED_BYTES_MAX = 64 * 1024 * 1024
const HASHED_LINES_MAX = 1_000_000

/** SMTP allows 998 characters (RFC 5321, 4.5.3.1.6). */
const BODY_LINE_BYTES_MAX = 256 * 1024

const LF = 0x0a
const CR = 0x0d

/** A mail as mailauth may read it; `exceeded` says why its signatures are not verified. */
export type BoundedMail = { readonly raw: Buffer; readonly exceeded: string | null }

/** A header field, from its first byte to the first of the next one. */
type Field = { readonly name: string; readonly start: number; readonly end: number }

/** Leaves out the parts above the bounds, in linear time. */
export function boundMail(raw: Buffer): BoundedMail {
  const header = readHeader(raw)
  if (header === null) return { raw: Buffer.from('\r\n'), exceeded: 'the header is too large' }
  const signatures = header.fields.filter(({ name }) => name === 'dkim-signature')
  if (signatures.length === 0) return { raw, exceeded: null }
  const countMax = signaturesMax(raw.subarray(header.end))
  return {
    raw: without(raw, signatures.slice(countMax)),
    exceeded: countMax === 0 ? 'the body has too many or too long lines' : null,
  }
}

/** The fields of the header; null when it is above the bounds. */
function readHeader(raw: Buffer): { fields: Field[]; end: number } | null {
  const fields: Field[] = []
  let start = 0
  let lineCount = 0
  let field: { name: string; start: number } | null = null
  const closeField = () => {
    if (field === null) return true
    fields.push({ ...field, end: start })
    return !PARSED_FIELD.test(field.name) || start - field.start <= PARSED_FIELD_BYTES_MAX
  }
  while (start < raw.length) {
    const lf = raw.indexOf(LF, start)
    const end = lf < 0 ? raw.length : lf + 1
    lineCount += 1
    if (lineCount > HEADER_LINES_MAX || end > HEADER_BYTES_MAX) return null
    if (isEmptyLine(raw, start, end)) break
    const name = fieldName(raw.toString('latin1', start, end))
    if (name !== null) {
      if (!closeField()) return null
      field = { name, start }
    }
    start = end
  }
  return closeField() ? { fields, end: start } : null
}

function isEmptyLine(raw: Buffer, start: number, end: number): boolean {
  return raw[start] === LF || (raw[start] === CR && end === start + 2)
}

/** The name that a line begins a field with, in lower case; null for a continuation. */
function fieldName(line: string): string | null {
  // The colon may be on the next line.
  const [, name] = /^([\x21-\x39\x3b-\x7e]+)[ \t]*(?::|\r?\n?$)/.exec(line) ?? []
  return name?.toLowerCase() ?? null
}

/** How many signatures may be verified with such a body. */
function signaturesMax(body: Buffer): number {
  let lineCount = 0
  let start = 0
  while (start < body.length) {
    const lf = body.indexOf(LF, start)
    const end = lf < 0 ? body.length : lf + 1
    lineCount += 1
    if (lineCount > HASHED_LINES_MAX || end - start > BODY_LINE_BYTES_MAX) return 0
    start = end
  }
  const byBytes = HASHED_BYTES_MAX / Math.max(body.length, 1)
  const byLines = HASHED_LINES_MAX / Math.max(lineCount, 1)
  return Math.floor(Math.min(SIGNATURES_MAX, byBytes, byLines))
}

function without(raw: Buffer, fields: readonly Field[]): Buffer {
  if (fields.length === 0) return raw
  const parts: Buffer[] = []
  let at = 0
  for (const { start, end } of fields) {
    parts.push(raw.subarray(at, start))
    at = end
  }
  return Buffer.concat([...parts, raw.subarray(at)])
}
