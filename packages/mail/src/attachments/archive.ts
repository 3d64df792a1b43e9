import { INFLATE_WORK_MAX } from '../limits.ts'
import { inflateStart } from './inflate.ts'
import { HEAD_BYTES } from './magic.ts'

/** A file inside an archive. */
export interface ArchiveEntry {
  readonly name: string
  /** The beginning of its content; null if it is not read, or is that of another entry. */
  readonly head: Buffer | null
}

/** Entries of one archive that are checked. */
const ENTRIES_MAX = 2_000

/** Bytes of an entry's name that are read. */
const NAME_BYTES_MAX = 1_024

/**
 * What may still be inflated of the archives of one mail. Each archive has as many entries as its
 * sender likes, and a mail has many archives: with a limit for each, their product is too large.
 */
export interface ArchiveBudget {
  workLeft: number
}

/** The budget of a mail. */
export const archiveBudget = (): ArchiveBudget => ({ workLeft: INFLATE_WORK_MAX })

/** Work for the beginning of one entry, in its bytes: real data takes two or three. */
const WORK_RATIO_MAX = 4

/** Bytes of a compressed tar archive that are decompressed. Files behind them are not seen. */
const TAR_BYTES_MAX = 1024 * 1024

const LOCAL_HEADER = 0x04034b50
const CENTRAL_HEADER = 0x02014b50
const END_OF_DIRECTORY = 0x06054b50

/** Methods of compression in a zip. */
const STORED = 0
const DEFLATED = 8

/** Longest distance of the last record from the end of a zip file, with the longest comment. */
const END_SEARCH_BYTES = 22 + 0xffff

/** The files of a zip, gzip or tar archive; null if the bytes are none of these. */
export function readArchive(bytes: Buffer, budget: ArchiveBudget): readonly ArchiveEntry[] | null {
  if (bytes.length < 18) return null
  const magic = bytes.readUInt32LE(0)
  if (magic === LOCAL_HEADER || magic === END_OF_DIRECTORY) return readZip(bytes, budget)
  if (bytes.readUInt16LE(0) === 0x8b1f) return readGzip(bytes, budget)
  return isTar(bytes) ? readTar(bytes) : null
}

function isTar(bytes: Buffer): boolean {
  return bytes.toString('latin1', 257, 262) === 'ustar'
}

interface ZipEntry {
  readonly name: string
  readonly flags: number
  readonly method: number
  readonly packedBytes: number
  readonly dataStart: number
}

function readZip(bytes: Buffer, budget: ArchiveBudget): readonly ArchiveEntry[] {
  // The central directory may be missing, truncated or hide files: local headers count too.
  const entries = new Map<string, ZipEntry>()
  for (const entry of [...readDirectory(bytes), ...walkLocalHeaders(bytes)]) {
    // Directory and local header may differ, and programs differ in which they believe.
    const key = `${entry.dataStart} ${entry.method} ${entry.packedBytes} ${entry.name}`
    if (!entries.has(key)) entries.set(key, entry)
  }
  const seen = new Set<string>()
  return [...entries.values()].map((entry) => ({
    name: entry.name,
    head: zipHead(bytes, entry, { budget, seen }),
  }))
}

/** Any number of entries may name the same bytes: the first has the head, the others null. */
function zipHead(
  bytes: Buffer,
  { flags, method, packedBytes, dataStart }: ZipEntry,
  { budget, seen }: { readonly budget: ArchiveBudget; readonly seen: Set<string> },
): Buffer | null {
  const isEncrypted = (flags & 1) === 1
  if (isEncrypted || (method !== STORED && method !== DEFLATED)) return null
  // Local headers of streamed archives have no size, and a wrong one must not hide a file. Deflated
  // data has an end of its own.
  const isSized = method === STORED && packedBytes > 0
  const data = isSized ? part(bytes, dataStart, packedBytes) : bytes.subarray(dataStart)
  const key = `${method} ${dataStart} ${isSized ? Math.min(packedBytes, HEAD_BYTES) : 0}`
  if (seen.has(key)) return null
  seen.add(key)
  return method === STORED ? data.subarray(0, HEAD_BYTES) : inflateWithin(budget, data, HEAD_BYTES)
}

/** The beginning of deflated data; null when the budget is used up. */
function inflateWithin(budget: ArchiveBudget, data: Buffer, bytesMax: number): Buffer | null {
  if (budget.workLeft <= 0) return null
  const maxBytes = Math.min(budget.workLeft, bytesMax)
  const workMax = Math.min(budget.workLeft, WORK_RATIO_MAX * maxBytes)
  const { start, work } = inflateStart(data, { maxBytes, workMax })
  budget.workLeft -= work
  return start
}

/** At most `lengthBytes` from `start` on. */
function part(bytes: Buffer, start: number, lengthBytes: number): Buffer {
  return bytes.subarray(start, Math.min(start + lengthBytes, bytes.length))
}

function readDirectory(bytes: Buffer): readonly ZipEntry[] {
  const tail = bytes.subarray(Math.max(0, bytes.length - END_SEARCH_BYTES))
  const found = tail.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'))
  if (found < 0 || tail.length - found < 22) return []
  const entries: ZipEntry[] = []
  let at = tail.readUInt32LE(found + 16)
  while (at + 46 <= bytes.length && entries.length < ENTRIES_MAX) {
    if (bytes.readUInt32LE(at) !== CENTRAL_HEADER) break
    const nameBytes = bytes.readUInt16LE(at + 28)
    const local = bytes.readUInt32LE(at + 42)
    entries.push({
      name: bytes.toString('utf8', at + 46, at + 46 + Math.min(nameBytes, NAME_BYTES_MAX)),
      flags: bytes.readUInt16LE(at + 8),
      method: bytes.readUInt16LE(at + 10),
      packedBytes: bytes.readUInt32LE(at + 20),
      dataStart: localDataStart(bytes, local),
    })
    at += 46 + nameBytes + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32)
  }
  return entries
}

function localDataStart(bytes: Buffer, local: number): number {
  if (local + 30 > bytes.length || bytes.readUInt32LE(local) !== LOCAL_HEADER) return bytes.length
  return local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28)
}

function walkLocalHeaders(bytes: Buffer): readonly ZipEntry[] {
  const entries: ZipEntry[] = []
  const mark = Buffer.from('PK\x03\x04', 'latin1')
  let at = bytes.indexOf(mark)
  while (at >= 0 && at + 30 <= bytes.length && entries.length < ENTRIES_MAX) {
    const nameBytes = bytes.readUInt16LE(at + 26)
    const packedBytes = bytes.readUInt32LE(at + 18)
    const dataStart = localDataStart(bytes, at)
    entries.push({
      name: bytes.toString('utf8', at + 30, at + 30 + Math.min(nameBytes, NAME_BYTES_MAX)),
      flags: bytes.readUInt16LE(at + 6),
      method: bytes.readUInt16LE(at + 8),
      packedBytes,
      dataStart,
    })
    at = bytes.indexOf(mark, Math.max(dataStart + packedBytes, at + 4))
  }
  return entries
}

function readGzip(bytes: Buffer, budget: ArchiveBudget): readonly ArchiveEntry[] {
  const flags = bytes[3] ?? 0
  let at = 10
  if (flags & 4) at += 2 + bytes.readUInt16LE(at)
  let name = ''
  if (flags & 8) {
    const end = bytes.indexOf(0, at)
    name = bytes.toString('latin1', at, end < 0 ? at : Math.min(end, at + 1_024))
    at = end < 0 ? bytes.length : end + 1
  }
  if (flags & 16) at = Math.max(bytes.indexOf(0, at), at) + 1
  if (flags & 2) at += 2
  const packed = bytes.subarray(at)
  const head = inflateWithin(budget, packed, HEAD_BYTES)
  if (head === null || !isTar(head)) return [{ name, head }]
  return [{ name, head }, ...readTar(inflateWithin(budget, packed, TAR_BYTES_MAX) ?? head)]
}

function readTar(bytes: Buffer): readonly ArchiveEntry[] {
  const entries: ArchiveEntry[] = []
  let at = 0
  while (at + 512 <= bytes.length && bytes[at] !== 0 && entries.length < ENTRIES_MAX) {
    const name = bytes.toString('utf8', at, at + 100).replace(/\0.*$/s, '')
    const sizeBytes = Number.parseInt(bytes.toString('latin1', at + 124, at + 136), 8) || 0
    const dataStart = at + 512
    entries.push({ name, head: part(bytes, dataStart, sizeBytes).subarray(0, HEAD_BYTES) })
    at = dataStart + Math.ceil(sizeBytes / 512) * 512
  }
  return entries
}
