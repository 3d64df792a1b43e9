import { ARCHIVE_WORK } from '../limits.ts'
import { ArchiveBudget, type ArchiveEntry } from './archive-budget.ts'
import { isGzip, readGzip } from './gzip.ts'
import { findTar, readTar } from './tar.ts'
import { isZip, readZip } from './zip.ts'

/** Whether the bytes are a zip, a gzip or a tar, for at least one program that opens them. */
export function isArchive(bytes: Buffer): boolean {
  return isZip(bytes) || isGzip(bytes) || findTar(bytes) >= 0
}

/** What may be read of an archive of a mail, by the size of it and of all of them. */
export function archiveBudget(
  bytes: Buffer,
  archives: { readonly count: number; readonly bytes: number },
): ArchiveBudget {
  const { shared, shareMax, perByte, total } = ARCHIVE_WORK
  return new ArchiveBudget(
    Math.min(shareMax, shared / archives.count) +
      bytes.length * Math.min(perByte, total / archives.bytes),
  )
}

/** The files of an archive. One file may be a zip for a program, and a tar for another. */
export function* readArchive(bytes: Buffer, budget: ArchiveBudget): Generator<ArchiveEntry> {
  if (isZip(bytes)) yield* readZip(bytes, budget)
  if (isGzip(bytes)) yield* readGzip(bytes, budget)
  const tar = findTar(bytes)
  if (tar >= 0) yield* readTar(bytes.subarray(tar), budget)
}
