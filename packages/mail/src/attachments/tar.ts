import { type ArchiveBudget, type ArchiveEntry, namedEntries } from './archive-budget.ts'

/** Bytes of a header, and what the content of a file is padded to. */
const BLOCK_BYTES = 512

/** Bytes in which a tar begins: GNU tar skips what it does not know, and goes on behind it. */
const START_BYTES = 64 * 1024

/** Bytes of long names and of extended headers that are read. */
const EXTENSION_BYTES_MAX = 64 * 1024

/** Types of entries that say something of the next one, or of all that follow. */
const GNU_LONG_NAME = 'L'
const PAX_HEADERS = 'xgX'

/** Where the first header of a tar is; -1 if there is none. */
export function findTar(bytes: Buffer): number {
  const end = Math.min(bytes.length - BLOCK_BYTES, START_BYTES)
  for (let at = 0; at <= end; at += BLOCK_BYTES) {
    if (isHeader(bytes, at)) return at
  }
  return -1
}

/** The files of a tar; blocks that are no header where one is due are skipped. */
export function* readTar(bytes: Buffer, budget: ArchiveBudget): Generator<ArchiveEntry> {
  let extendedSizeBytes: number | null = null
  for (let at = 0; at + BLOCK_BYTES <= bytes.length; at += BLOCK_BYTES) {
    if (!isHeader(bytes, at)) continue
    const name = untilZero(bytes.subarray(at, at + 100))
    const type = String.fromCharCode(bytes[at + 156] ?? 0)
    const dataStart = at + BLOCK_BYTES
    const sizeBytes: number = extendedSizeBytes ?? readSize(bytes, at)
    const data = bytes.subarray(dataStart, dataStart + sizeBytes)
    extendedSizeBytes = null
    if (type === GNU_LONG_NAME || PAX_HEADERS.includes(type)) {
      if (data.length > EXTENSION_BYTES_MAX) return budget.exceed()
      if (!budget.spendEntry(data.length)) return
      const extension = type === GNU_LONG_NAME ? { name: untilZero(data) } : readPax(data)
      if (extension.name !== undefined) yield* namedEntries(extension.name, null)
      extendedSizeBytes = extension.sizeBytes ?? null
    } else {
      if (!budget.spendEntry(name.length)) return
      yield* namedEntries(name, budget.head(data))
    }
    at += Math.ceil(sizeBytes / BLOCK_BYTES) * BLOCK_BYTES
  }
}

/** By its mark, or, as in the oldest form of tar, by its checksum alone. */
function isHeader(bytes: Buffer, at: number): boolean {
  if (bytes.toString('latin1', at + 257, at + 262) === 'ustar') return true
  const written = Number.parseInt(bytes.toString('latin1', at + 148, at + 156).trim(), 8)
  if (!(written > 0)) return false
  let sum = 8 * 0x20
  let signedSum = sum
  for (let index = at; index < at + BLOCK_BYTES; index += 1) {
    if (index >= at + 148 && index < at + 156) continue
    const byte = bytes[index] ?? 0
    sum += byte
    signedSum += byte < 0x80 ? byte : byte - 0x100
  }
  return written === sum || written === signedSum
}

/** The size of a content: octal digits, or for GNU a binary number. */
function readSize(bytes: Buffer, at: number): number {
  const isBinary = ((bytes[at + 124] ?? 0) & 0x80) !== 0
  // The last six bytes: no attachment has more.
  if (isBinary) return bytes.readUIntBE(at + 130, 6)
  const digits = bytes
    .toString('latin1', at + 124, at + 136)
    .replaceAll('\0', ' ')
    .trim()
  return Math.max(0, Number.parseInt(digits, 8) || 0)
}

function untilZero(bytes: Buffer): Buffer {
  const end = bytes.indexOf(0)
  return end < 0 ? bytes : bytes.subarray(0, end)
}

/** What an extended header says of a file: records of `LENGTH KEY=VALUE` and a line end. */
function readPax(data: Buffer): { name?: Buffer; sizeBytes?: number } {
  const found: { name?: Buffer; sizeBytes?: number } = {}
  for (let at = 0; at < data.length; ) {
    const length = Number.parseInt(data.toString('latin1', at, at + 10), 10)
    const equals = data.indexOf('=', at)
    if (!(length > 0) || equals < 0 || equals >= at + length) break
    const key = data.toString('latin1', at, equals).replace(/^\d+ /, '')
    const value = data.subarray(equals + 1, at + length - 1)
    if (key === 'path' || key === 'GNU.sparse.name') found.name = value
    if (key === 'size') found.sizeBytes = Math.max(0, Number.parseInt(String(value), 10) || 0)
    at += length
  }
  return found
}
