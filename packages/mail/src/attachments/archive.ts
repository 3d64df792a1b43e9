import { HEAD_BYTES } from './magic.ts'

/**
 * Decompresses raw deflate data: at most the first `maxBytes` bytes of the result, or null if the
 * data is invalid. Passed in, because this package imports nothing of Node.
 */
export type Inflate = (data: Buffer, maxBytes: number) => Buffer | null

/** A file inside an archive. */
export interface ArchiveEntry {
  readonly name: string
  /** The beginning of its content; null if it cannot be read. */
  readonly head: Buffer | null
}

/** Entries of one archive that are checked. */
const ENTRIES_MAX = 2_000

/** Bytes of an entry's name that are read. */
const NAME_BYTES_MAX = 1_024

/** Entries of one archive that are decompressed. */
const INFLATED_MAX = 200

/** Compressed bytes passed to `inflate` for one entry: enough for the beginning of any file. */
const DEFLATED_BYTES = 16 * 1024

/** Bytes of a compressed tar archive that are decompressed. Files behind them are not seen. */
const TAR_BYTES_MAX = 1024 * 1024

const LOCAL_HEADER = 0x04034b50
const CENTRAL_HEADER = 0x02014b50
const END_OF_DIRECTORY = 0x06054b50

/** Longest distance of the last record from the end of a zip file, with the longest comment. */
const END_SEARCH_BYTES = 22 + 0xffff

/** The files of a zip, gzip or tar archive; null if the bytes are none of these. */
export function readArchive(
  bytes: Buffer,
  inflate: Inflate | null,
): readonly ArchiveEntry[] | null {
  if (bytes.length < 18) return null
  const magic = bytes.readUInt32LE(0)
  if (magic === LOCAL_HEADER || magic === END_OF_DIRECTORY) return readZip(bytes, inflate)
  if (bytes.readUInt16LE(0) === 0x8b1f) return readGzip(bytes, inflate)
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

function readZip(bytes: Buffer, inflate: Inflate | null): readonly ArchiveEntry[] {
  // The central directory may be missing, truncated or hide files: local headers count too.
  const entries = new Map<string, ZipEntry>()
  for (const entry of [...readDirectory(bytes), ...walkLocalHeaders(bytes)]) {
    // Directory and local header may differ, and programs differ in which they believe.
    const key = `${entry.dataStart} ${entry.method} ${entry.packedBytes} ${entry.name}`
    if (!entries.has(key)) entries.set(key, entry)
  }
  let inflatable = INFLATED_MAX
  return [...entries.values()].map(({ name, flags, method, packedBytes, dataStart }) => {
    const isPlain = (flags & 1) === 0
    // Local headers of streamed archives have no size, and a wrong one must not hide a file.
    const data = packedBytes === 0 ? bytes.subarray(dataStart) : part(bytes, dataStart, packedBytes)
    if (isPlain && method === 0) return { name, head: data.subarray(0, HEAD_BYTES) }
    if (!isPlain || method !== 8 || inflate === null || inflatable <= 0) return { name, head: null }
    inflatable -= 1
    return { name, head: inflate(data.subarray(0, DEFLATED_BYTES), HEAD_BYTES) }
  })
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

function readGzip(bytes: Buffer, inflate: Inflate | null): readonly ArchiveEntry[] {
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
  const head = inflate?.(packed.subarray(0, DEFLATED_BYTES), HEAD_BYTES) ?? null
  if (head === null || inflate === null || !isTar(head)) return [{ name, head }]
  return [{ name, head }, ...readTar(inflate(packed, TAR_BYTES_MAX) ?? head)]
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
