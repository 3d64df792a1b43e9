import { type ArchiveBudget, type ArchiveEntry, namedEntries } from './archive-budget.ts'
import { HEAD_BYTES } from './magic.ts'

// Programs differ in what they read of a zip: most the directory at its end, some the header before
// each file, and what these say may differ. A file is judged by all of it.

const LOCAL_MARK = Buffer.from('PK\x03\x04', 'latin1')
const END_MARK = Buffer.from('PK\x05\x06', 'latin1')
const END_64_MARK = Buffer.from('PK\x06\x06', 'latin1')
const LOCAL_HEADER = 0x04034b50
const CENTRAL_HEADER = 0x02014b50

/** Methods of compression. */
const STORED = 0
const DEFLATED = 8

/** The extra field with another name, which Info-ZIP, 7-Zip and WinRAR prefer to the first one. */
const UNICODE_NAME = 0x7075

/** Bytes before a zip, as in a program that extracts itself. */
const START_BYTES = 64 * 1024

/** Longest distance of the last records from the end, with the longest comment. */
const END_SEARCH_BYTES = 22 + 0xffff + 20 + 56

/** Whether the bytes end with a directory, or contain a file near their beginning. */
export function isZip(bytes: Buffer): boolean {
  return (
    tailOf(bytes).includes(END_MARK) ||
    bytes.subarray(0, START_BYTES + LOCAL_MARK.length).includes(LOCAL_MARK)
  )
}

/** The files of a zip. */
export function* readZip(bytes: Buffer, budget: ArchiveBudget): Generator<ArchiveEntry> {
  const reading: Reading = { bytes, budget, seen: new Set() }
  yield* readDirectories(reading)
  yield* readLocalHeaders(reading)
}

interface Reading {
  readonly bytes: Buffer
  readonly budget: ArchiveBudget
  /** Contents whose beginning was read. */
  readonly seen: Set<string>
}

interface ZipEntry {
  readonly flags: number
  readonly method: number
  readonly packedBytes: number
  readonly name: Buffer
  readonly extra: Buffer
  readonly dataStart: number
}

function* readDirectories(reading: Reading): Generator<ArchiveEntry> {
  const { bytes } = reading
  const visited = new Set<number>()
  for (const { start, shift } of directories(bytes)) {
    let at = start
    while (at >= 0 && at + 46 <= bytes.length && !visited.has(at)) {
      if (bytes.readUInt32LE(at) !== CENTRAL_HEADER) break
      visited.add(at)
      const nameEnd = at + 46 + bytes.readUInt16LE(at + 28)
      const extraEnd = nameEnd + bytes.readUInt16LE(at + 30)
      yield* readEntry(reading, {
        flags: bytes.readUInt16LE(at + 8),
        method: bytes.readUInt16LE(at + 10),
        packedBytes: bytes.readUInt32LE(at + 20),
        name: bytes.subarray(at + 46, nameEnd),
        extra: bytes.subarray(nameEnd, extraEnd),
        dataStart: localDataStart(bytes, bytes.readUInt32LE(at + 42) + shift),
      })
      if (reading.budget.isExceeded) return
      at = extraEnd + bytes.readUInt16LE(at + 32)
    }
  }
}

/**
 * Where directories may begin, by each record at the end: where it says, and, if something was
 * written before the zip, by their size before the record. Then all positions are shifted.
 */
function* directories(bytes: Buffer): Generator<{ start: number; shift: number }> {
  const tail = tailOf(bytes)
  const tailStart = bytes.length - tail.length
  for (const at of positions(tail, END_MARK, 22)) {
    const start = tail.readUInt32LE(at + 16)
    const shifted = tailStart + at - tail.readUInt32LE(at + 12)
    yield* [
      { start, shift: 0 },
      { start: shifted, shift: shifted - start },
    ]
  }
  for (const at of positions(tail, END_64_MARK, 56)) {
    const start = Number(tail.readBigUInt64LE(at + 48))
    const shifted = tailStart + at - Number(tail.readBigUInt64LE(at + 40))
    yield* [
      { start, shift: 0 },
      { start: shifted, shift: shifted - start },
    ]
  }
}

/** Where a mark is, with a record of `recordBytes`. */
function* positions(bytes: Buffer, mark: Buffer, recordBytes: number): Generator<number> {
  let at = bytes.indexOf(mark)
  while (at >= 0 && at + recordBytes <= bytes.length) {
    yield at
    at = bytes.indexOf(mark, at + mark.length)
  }
}

function tailOf(bytes: Buffer): Buffer {
  return bytes.subarray(Math.max(0, bytes.length - END_SEARCH_BYTES))
}

function localDataStart(bytes: Buffer, local: number): number {
  if (local < 0 || local + 30 > bytes.length || bytes.readUInt32LE(local) !== LOCAL_HEADER) {
    return bytes.length
  }
  return local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28)
}

function* readLocalHeaders(reading: Reading): Generator<ArchiveEntry> {
  const { bytes, budget } = reading
  let at = bytes.indexOf(LOCAL_MARK)
  while (at >= 0 && at + 30 <= bytes.length && !budget.isExceeded) {
    const packedBytes = bytes.readUInt32LE(at + 18)
    const nameEnd = at + 30 + bytes.readUInt16LE(at + 26)
    const dataStart = localDataStart(bytes, at)
    yield* readEntry(reading, {
      flags: bytes.readUInt16LE(at + 6),
      method: bytes.readUInt16LE(at + 8),
      packedBytes,
      name: bytes.subarray(at + 30, nameEnd),
      extra: bytes.subarray(nameEnd, dataStart),
      dataStart,
    })
    at = bytes.indexOf(LOCAL_MARK, Math.max(dataStart + packedBytes, at + LOCAL_MARK.length))
  }
}

function* readEntry(reading: Reading, entry: ZipEntry): Generator<ArchiveEntry> {
  const { name, extra } = entry
  if (!reading.budget.spendEntry(name.length + extra.length)) return
  yield* namedEntries(name, headOf(reading, entry))
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== UNICODE_NAME) continue
    // Behind its version and the checksum of the other name.
    const unicodeName = extra.subarray(at + 9, at + 4 + extra.readUInt16LE(at + 2))
    yield* namedEntries(unicodeName, null)
  }
}

/** Any number of entries may name the same bytes: the first has the head, the others null. */
function headOf(
  { bytes, budget, seen }: Reading,
  { flags, method, packedBytes, dataStart }: ZipEntry,
): Buffer | null {
  const isEncrypted = (flags & 1) === 1
  if (isEncrypted || (method !== STORED && method !== DEFLATED)) return null
  // Local headers of streamed archives have no size, and a wrong one must not hide a file. Deflated
  // data has an end of its own.
  const isSized = method === STORED && packedBytes > 0
  const data = bytes.subarray(dataStart, isSized ? dataStart + packedBytes : bytes.length)
  const key = `${method} ${dataStart} ${isSized ? Math.min(packedBytes, HEAD_BYTES) : 0}`
  if (seen.has(key)) return null
  seen.add(key)
  return method === STORED ? budget.head(data) : budget.inflate(data, HEAD_BYTES).start
}
