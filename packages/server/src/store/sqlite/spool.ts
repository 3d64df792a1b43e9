// Mails that were accepted, and are not in the database yet. Their senders have got `250`: what a
// crash leaves here is stored at the next start.
//
// A spool has two files that are written in turns. The states of a file:
//
//   free      Everything that was written to it is in the database, and on the disk there. It is
//             written from its beginning again: a synced write takes longer when the file grows.
//   written   Records are appended. From 4 MiB on the other file is written, as soon as it is free.
//   full      Nothing more is appended until it is free. So is what a crash left, and a file that
//             could not be written: what the system holds of it may differ from the disk.
//
// A record is a header and its content. The numbers of records rise by one; what an earlier use has
// left behind the last record of a file has lower numbers, or a checksum that is wrong.

import {
  closeSync,
  constants,
  ftruncateSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writev,
} from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { promisify } from 'node:util'
import { crc32 } from 'node:zlib'
import { StorageUnavailable } from '../../errors.ts'
import { syncToDisk } from './sync-to-disk.ts'

/** An accepted mail, in parts. */
export type SpoolRecord = {
  /** Rises by one from record to record. */
  readonly sequence: number
  readonly content: readonly Uint8Array[]
}

/** What is left of a record after a crash. */
export type LeftRecord = { readonly sequence: number; readonly content: Buffer }

/** Bytes of a file from which on the other one is written, and those that none exceeds. */
const TURN_BYTES = 4 * 1024 * 1024
const FILE_BYTES_MAX = 64 * 1024 * 1024

/** Length and checksum of the content, and the number of the record. */
const HEADER_BYTES = 16

const writeAll = promisify(writev)

type SpoolFile = {
  readonly path: string
  readonly descriptor: number
  /** Where the next record goes; from `FILE_BYTES_MAX` on it is full. */
  endBytes: number
  /** The last record; 0 without one. */
  lastSequence: number
  isBeingWritten: boolean
}

/** The spool of one receiving thread. */
export class Spool {
  /** What was there when it was opened, in order. */
  readonly left: readonly LeftRecord[]
  readonly #files: readonly SpoolFile[]
  #written: SpoolFile | null = null
  /** Everything up to this record is stored. */
  #releasedTo = 0
  #isClosed = false

  constructor(path: string) {
    const files = pathsOf(path).map(openFile)
    this.#files = files.map(({ file }) => file)
    this.left = files.flatMap(({ left }) => left).toSorted((a, b) => a.sequence - b.sequence)
    syncToDisk(dirname(path))
  }

  /** Whether another record can be written now. */
  get isWritable(): boolean {
    return this.#next() !== null
  }

  /** Writes records; resolves when they are on the disk. One call at a time. */
  async write(records: readonly SpoolRecord[]): Promise<void> {
    const file = this.#next()
    if (file === null) throw new StorageUnavailable('the spool is full', false)
    this.#written = file
    const buffers = records.flatMap((record) => [headerOf(record), ...record.content])
    const sizeBytes = buffers.reduce((sum, { length }) => sum + length, 0)
    file.lastSequence = records.at(-1)?.sequence ?? file.lastSequence
    file.isBeingWritten = true
    try {
      // The file has O_DSYNC: what is written is on the disk.
      const { bytesWritten } = await writeAll(file.descriptor, buffers, file.endBytes)
      if (bytesWritten < sizeBytes) throw new Error('the spool was written in part')
      file.endBytes += sizeBytes
    } catch (error) {
      file.endBytes = FILE_BYTES_MAX
      const isFull = error instanceof Error && 'code' in error && error.code === 'ENOSPC'
      throw new StorageUnavailable(error, isFull)
    } finally {
      file.isBeingWritten = false
      this.#freeIfStored(file)
    }
  }

  /** Everything up to this record is in the database, and on the disk there. */
  release(sequence: number): void {
    this.#releasedTo = sequence
    for (const file of this.#files) this.#freeIfStored(file)
  }

  /** Closes the files, and deletes them if nothing in them is needed any more. */
  close(isStored: boolean): void {
    for (const { path, descriptor } of this.#files) {
      closeSync(descriptor)
      if (isStored) rmSync(path, { force: true })
    }
    this.#isClosed = true
  }

  /** Its mails may be stored before they are written: then it is free after that. */
  #freeIfStored(file: SpoolFile): void {
    if (!file.isBeingWritten && file.lastSequence <= this.#releasedTo) file.endBytes = 0
  }

  /** The file that the next record goes to; null when both are full. */
  #next(): SpoolFile | null {
    if (this.#isClosed) return null
    const written = this.#written
    if (written !== null && written.endBytes < TURN_BYTES) return written
    const free = this.#files.find(({ endBytes }) => endBytes === 0)
    if (free !== undefined) return free
    return written !== null && written.endBytes < FILE_BYTES_MAX ? written : null
  }
}

/** The path of a spool beside its database. */
export function spoolPath(databasePath: string, name: string): string {
  return `${databasePath}-spool-${name}`
}

/**
 * The spools that a receiving thread finds beside a database: its own, and those of threads that
 * there are no more, if it is the first.
 */
export function spoolsOfThread(
  databasePath: string,
  { number, count }: { readonly number: number; readonly count: number },
): readonly string[] {
  return listSpools(databasePath).filter((name) => {
    const owner = Number(name)
    return owner === number || (number === 0 && owner >= count)
  })
}

function listSpools(databasePath: string): readonly string[] {
  const prefix = basename(spoolPath(databasePath, ''))
  const names = readdirSync(dirname(resolve(databasePath))).flatMap((file) => {
    const match = file.startsWith(prefix) ? /^(\d+)-[ab]$/.exec(file.slice(prefix.length)) : null
    return match?.[1] ?? []
  })
  return [...new Set(names)].sort()
}

const pathsOf = (path: string) => [`${path}-a`, `${path}-b`]

function openFile(path: string): { file: SpoolFile; left: readonly LeftRecord[] } {
  const { O_RDWR, O_CREAT, O_DSYNC } = constants
  const descriptor = openSync(path, O_RDWR | O_CREAT | O_DSYNC, 0o600)
  const file: SpoolFile = { path, descriptor, endBytes: 0, lastSequence: 0, isBeingWritten: false }
  const left = readRecords(readFileSync(path))
  if (left.length === 0) ftruncateSync(file.descriptor, 0)
  else file.endBytes = FILE_BYTES_MAX
  file.lastSequence = left.at(-1)?.sequence ?? 0
  return { file, left }
}

function headerOf({ sequence, content }: SpoolRecord): Buffer {
  const header = Buffer.allocUnsafe(HEADER_BYTES)
  header.writeUInt32LE(content.reduce((sum, { length }) => sum + length, 0))
  header.writeDoubleLE(sequence, 8)
  header.writeUInt32LE(checksum(header.subarray(8), content), 4)
  return header
}

function checksum(sequence: Uint8Array, content: readonly Uint8Array[]): number {
  return content.reduce((sum, part) => crc32(part, sum), crc32(sequence))
}

/** The records of a file, up to the first that is not whole or does not follow. */
export function readRecords(bytes: Buffer): readonly LeftRecord[] {
  const records: LeftRecord[] = []
  let start = 0
  while (start + HEADER_BYTES <= bytes.length) {
    const contentStart = start + HEADER_BYTES
    const end = contentStart + bytes.readUInt32LE(start)
    if (end > bytes.length) break
    const content = bytes.subarray(contentStart, end)
    if (
      checksum(bytes.subarray(start + 8, contentStart), [content]) !== bytes.readUInt32LE(start + 4)
    )
      break
    const sequence = bytes.readDoubleLE(start + 8)
    const before = records.at(-1)
    if (before !== undefined && sequence !== before.sequence + 1) break
    records.push({ sequence, content })
    start = end
  }
  return records
}

/** Keeps a mail that cannot be stored in a file beside the database; returns its path. */
export function setAside(databasePath: string, id: string, raw: Uint8Array): string {
  const path = `${databasePath}-unstored-${id}.eml`
  writeFileSync(path, raw, { mode: 0o600, flush: true })
  syncToDisk(dirname(path))
  return path
}
