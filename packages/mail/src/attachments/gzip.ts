import { type ArchiveBudget, type ArchiveEntry, namedEntries } from './archive-budget.ts'
import { HEAD_BYTES } from './magic.ts'
import { findTar, readTar } from './tar.ts'

/** Bytes of a compressed tar that are read. */
const TAR_BYTES_MAX = 16 * 1024 * 1024

/** Bytes behind the data of each member: its checksum and its length. */
const TRAILER_BYTES = 8

/** Whether the bytes are a gzip. */
export function isGzip(bytes: Buffer): boolean {
  return bytes.length >= 18 && isMember(bytes, 0)
}

/** The file in a gzip, and those of a tar in it. */
export function* readGzip(bytes: Buffer, budget: ArchiveBudget): Generator<ArchiveEntry> {
  const head = inflateMembers(bytes, HEAD_BYTES, budget)
  yield* namedEntries(readHeader(bytes, 0).name, head)
  if (findTar(head) < 0) return
  const tar = inflateMembers(bytes, TAR_BYTES_MAX, budget)
  if (tar.length === TAR_BYTES_MAX) budget.exceed()
  yield* readTar(tar.subarray(Math.max(findTar(tar), 0)), budget)
}

const isMember = (bytes: Buffer, at: number) =>
  bytes[at] === 0x1f && bytes[at + 1] === 0x8b && bytes[at + 2] === 8

/** The beginning of what a gzip contains, which is one member after the other. */
function inflateMembers(bytes: Buffer, maxBytes: number, budget: ArchiveBudget): Buffer {
  const pieces: Buffer[] = []
  let length = 0
  let at = 0
  while (isMember(bytes, at) && length < maxBytes && !budget.isExceeded) {
    const { dataStart } = readHeader(bytes, at)
    const { start, readBytes } = budget.inflate(bytes.subarray(dataStart), maxBytes - length)
    pieces.push(start)
    length += start.length
    at = dataStart + readBytes + TRAILER_BYTES
  }
  return Buffer.concat(pieces)
}

/** The name in the header of a member, and where its data begins. */
function readHeader(bytes: Buffer, start: number): { name: Buffer; dataStart: number } {
  const flags = bytes[start + 3] ?? 0
  let at = start + 10
  if (flags & 4) at += 2 + ((bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8))
  const nameStart = at
  if (flags & 8) at = behindZero(bytes, at)
  const name = bytes.subarray(nameStart, Math.max(nameStart, at - 1))
  if (flags & 16) at = behindZero(bytes, at)
  if (flags & 2) at += 2
  return { name, dataStart: at }
}

function behindZero(bytes: Buffer, start: number): number {
  const end = bytes.indexOf(0, start)
  return end < 0 ? bytes.length : end + 1
}
