import { HEADER_BYTES_MAX, HEADERS_MAX } from '../limits.ts'
import { decodeHeaderBytes } from './charset.ts'
import { DefectList } from './defects.ts'

/** A header field: unfolded, its bytes decoded, but not its encoded words. */
export interface HeaderField {
  readonly name: string
  readonly value: string
}

/** The header of a mail or part, and where its body begins. */
export interface HeaderBlock {
  readonly fields: readonly HeaderField[]
  readonly bodyStart: number
  /** Whether an empty line precedes the body. */
  readonly isSeparated: boolean
}

/** Most headers are shorter; longer ones are read a second time. */
const FIRST_READ_BYTES = 4 * 1024

const LF = 10
const SPACE = 32
const TAB = 9
const COLON = 58

/**
 * Reads the header at the start of a range.
 *
 * It ends at the first empty line, or at the first line that cannot be a field, which then belongs
 * to the body: some senders forget the empty line.
 */
export function readHeaders(raw: Buffer, range: ByteRange, defects: DefectList): HeaderBlock {
  const { start, end } = range
  let size = Math.min(end - start, FIRST_READ_BYTES)
  let text = raw.toString('latin1', start, start + size)
  let separator = findSeparator(text)
  if (separator === null && start + size < end) {
    size = Math.min(end - start, HEADER_BYTES_MAX)
    text = raw.toString('latin1', start, start + size)
    separator = findSeparator(text)
  }
  const isWhole = separator !== null || start + size === end
  const header = separator === null ? text : text.slice(0, separator.at)
  const { fields, stoppedAt } = readFields(header, defects)
  if (stoppedAt < header.length) {
    defects.note('noSeparator')
    return { fields, bodyStart: start + stoppedAt, isSeparated: false }
  }
  if (separator !== null)
    return { fields, bodyStart: start + separator.bodyStart, isSeparated: true }
  if (isWhole) return { fields, bodyStart: end, isSeparated: false }
  defects.note('headersTooLarge')
  const bodyStart = afterEmptyLine(raw, { start: start + size, end })
  return { fields, bodyStart, isSeparated: bodyStart < end }
}

/** A range of bytes of the raw mail. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** The value of the first field with this lower-case name; null if there is none. */
export function findField(fields: readonly HeaderField[], name: string): string | null {
  const length = name.length
  for (const field of fields) {
    if (field.name.length === length && field.name.toLowerCase() === name) return field.value
  }
  return null
}

interface Separator {
  readonly at: number
  readonly bodyStart: number
}

/** The empty line after the header: `at` is where it begins. */
function findSeparator(text: string): Separator | null {
  if (text.charCodeAt(0) === LF) return { at: 0, bodyStart: 1 }
  if (text.startsWith('\r\n')) return { at: 0, bodyStart: 2 }
  const crlf = text.indexOf('\n\r\n')
  const lf = text.indexOf('\n\n')
  if (crlf < 0 && lf < 0) return null
  return lf < 0 || (crlf >= 0 && crlf < lf)
    ? { at: crlf + 1, bodyStart: crlf + 3 }
    : { at: lf + 1, bodyStart: lf + 2 }
}

function afterEmptyLine(raw: Buffer, range: ByteRange): number {
  // Two bytes earlier: the line break before the empty line may already have been read.
  const rest = raw.subarray(range.start - 2, range.end)
  const crlf = rest.indexOf('\n\r\n', 0, 'latin1')
  const lf = rest.indexOf('\n\n', 0, 'latin1')
  const candidates = [crlf < 0 ? Infinity : crlf + 3, lf < 0 ? Infinity : lf + 2]
  return Math.min(range.start - 2 + Math.min(...candidates), range.end)
}

interface FieldList {
  readonly fields: readonly HeaderField[]
  /** Position of the first line that is no field; the length of the text if there is none. */
  readonly stoppedAt: number
}

function readFields(text: string, defects: DefectList): FieldList {
  const fields: HeaderField[] = []
  const hasBytes = /[^\0-\x7f]/.test(text)
  let at = fieldsStart(text)
  while (at < text.length) {
    const end = fieldEnd(text, at)
    const colon = text.indexOf(':', at)
    if (colon < 0 || colon >= end || !isFieldName(text, at, colon)) break
    if (fields.length >= HEADERS_MAX) {
      defects.note('tooManyHeaders')
      return { fields, stoppedAt: text.length }
    }
    const value = unfold(text.slice(colon + 1, end))
    fields.push({
      name: text.slice(at, colon).trimEnd(),
      value: hasBytes ? decodeBytes(value) : value,
    })
    at = end + 1
  }
  return { fields, stoppedAt: Math.min(at, text.length) }
}

/** The position after a byte order mark and after the `From ` line of an mbox file. */
function fieldsStart(text: string): number {
  const start = text.startsWith('\xef\xbb\xbf') ? 3 : 0
  return /^>?From /.test(text.slice(start, start + 6)) ? lineEnd(text, start) + 1 : start
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end < 0 ? text.length : end
}

/** The end of the field's last line; a line that begins with white space continues the field. */
function fieldEnd(text: string, from: number): number {
  let end = lineEnd(text, from)
  for (;;) {
    const next = text.charCodeAt(end + 1)
    if (next !== SPACE && next !== TAB) return end
    end = lineEnd(text, end + 1)
  }
}

function isFieldName(text: string, from: number, colon: number): boolean {
  let end = colon
  while (end > from && (text.charCodeAt(end - 1) === SPACE || text.charCodeAt(end - 1) === TAB)) {
    end -= 1
  }
  if (end === from) return false
  for (let at = from; at < end; at += 1) {
    const code = text.charCodeAt(at)
    if (code <= SPACE || code >= 127 || code === COLON) return false
  }
  return true
}

function unfold(value: string): string {
  return trimAscii(value.includes('\n') ? value.replace(/\r?\n[ \t]+/g, ' ') : value)
}

/** Not `trim`: it removes 0xA0, which is the second byte of `à` in UTF-8 here. */
function trimAscii(value: string): string {
  let start = 0
  let end = value.length
  while (start < end && value.charCodeAt(start) <= SPACE) start += 1
  while (end > start && value.charCodeAt(end - 1) <= SPACE) end -= 1
  return value.slice(start, end)
}

function decodeBytes(value: string): string {
  return /[^\0-\x7f]/.test(value) ? decodeHeaderBytes(Buffer.from(value, 'latin1')) : value
}

/**
 * The header, and the mail with line feeds in place of bare carriage returns at line ends.
 *
 * The replacement keeps every position, so that ranges are valid in the raw mail too. It is done
 * only if no normal empty line separates header and body: otherwise a bare carriage return is an
 * ordinary character.
 */
export function readMailHeader(
  raw: Buffer,
  defects: DefectList,
): { readonly source: Buffer; readonly header: HeaderBlock } {
  const whole = { start: 0, end: raw.length }
  const trial = new DefectList()
  const header = readHeaders(raw, whole, trial)
  if (header.isSeparated || !raw.includes('\r\r')) {
    defects.add(trial)
    return { source: raw, header }
  }
  defects.note('bareReturns')
  const source = Buffer.from(raw)
  for (let at = 0; at < source.length; at += 1) {
    if (source[at] === 13 && source[at + 1] !== 10) source[at] = 10
  }
  return { source, header: readHeaders(source, whole, defects) }
}
