import type { DefectList } from './defects.ts'
import type { ByteRange } from './headers.ts'

/** Characters of a boundary: RFC 2046 allows 70, some senders use more. */
const BOUNDARY_CHARS_MAX = 256

/** Bytes in which a missing boundary is searched for. */
const BOUNDARY_SEARCH_BYTES = 4 * 1024

/** Lines that only begin like a delimiter; after this many the search ends. */
const REJECTED_MAX = 10_000

const LF = 10
const CR = 13
const DASH = 45

/** The boundary to split by: the declared one, or the first in the body; null if there is none. */
export function findBoundary(
  raw: Buffer,
  range: ByteRange,
  declared: string | undefined,
): string | null {
  const boundary = declared?.trimEnd() ?? ''
  if (boundary !== '' && boundary.length <= BOUNDARY_CHARS_MAX) return boundary
  const end = Math.min(range.end, range.start + BOUNDARY_SEARCH_BYTES)
  const text = raw.toString('latin1', range.start, end)
  return /^--(\S[^\r\n]{0,199})\r?$/m.exec(text)?.[1]?.trimEnd() ?? null
}

/**
 * The ranges of at most `partsMax` parts of a multipart, without preamble and epilogue.
 *
 * Searches for this boundary only: nested multiparts are split when they are read.
 */
export function splitParts(
  raw: Buffer,
  range: ByteRange,
  options: { readonly boundary: string; readonly partsMax: number; readonly defects: DefectList },
): readonly ByteRange[] {
  const { boundary, partsMax, defects } = options
  const view = raw.subarray(range.start, range.end)
  const delimiter = `\n--${boundary}`
  const delimiterBytes = Buffer.byteLength(delimiter)
  const parts: ByteRange[] = []
  let partStart = -1
  let rejected = 0
  // A delimiter at the very start has its line break before the view.
  let found = startsWith(view, delimiter.slice(1)) ? -1 : seek(view, delimiter, 0)
  while (found !== NOT_FOUND) {
    const line = readDelimiterLine(view, found + delimiterBytes)
    if (line !== null) {
      if (partStart >= 0) {
        const end = partEnd(view, partStart, found)
        parts.push({ start: range.start + partStart, end: range.start + end })
      }
      if (line.isClosing) return parts
      if (parts.length >= partsMax) {
        defects.note('tooManyParts')
        return parts
      }
      partStart = line.end
    } else if (++rejected > REJECTED_MAX) break
    // The line break after a delimiter may be the one before the next delimiter.
    found = seek(view, delimiter, line === null ? found + 1 : line.end - 1)
  }
  if (partStart < 0) return parts
  defects.note('notClosed')
  parts.push({ start: range.start + partStart, end: range.end })
  return parts
}

const NOT_FOUND = -2

function seek(view: Buffer, delimiter: string, from: number): number {
  const found = view.indexOf(delimiter, from)
  return found < 0 ? NOT_FOUND : found
}

function startsWith(view: Buffer, text: string): boolean {
  return view.toString('utf8', 0, Buffer.byteLength(text)) === text
}

/** The line break before a delimiter belongs to the delimiter. */
function partEnd(view: Buffer, start: number, delimiter: number): number {
  const end = view[delimiter - 1] === CR ? delimiter - 1 : delimiter
  return Math.max(start, end)
}

interface DelimiterLine {
  readonly isClosing: boolean
  /** Where the next line begins. */
  readonly end: number
}

/** Null when more text follows: then it is the delimiter of another multipart, or text. */
function readDelimiterLine(view: Buffer, from: number): DelimiterLine | null {
  const isClosing = view[from] === DASH && view[from + 1] === DASH
  let at = isClosing ? from + 2 : from
  while (view[at] === 32 || view[at] === 9 || view[at] === CR) at += 1
  if (at < view.length && view[at] !== LF) return null
  return { isClosing, end: Math.min(at + 1, view.length) }
}
