import { archiveBudget, isArchive, readArchive } from './archive.ts'
import type { ArchiveBudget, ArchiveEntry } from './archive-budget.ts'
import { dangerousExtension, isDangerousType, isNameReversed } from './dangerous-types.ts'
import { isEicar, programKind } from './magic.ts'
import { isMailFile, type JudgedFile, readMailFile } from './mail-file.ts'

/** Whether an attachment may be downloaded, and why not. */
export type AttachmentVerdict =
  | { readonly status: 'available'; readonly reason: null }
  | { readonly status: 'blocked' | 'quarantined'; readonly reason: string }

const AVAILABLE: AttachmentVerdict = { status: 'available', reason: null }
const EICAR_FOUND: AttachmentVerdict = {
  status: 'quarantined',
  reason: 'It is the EICAR test file.',
}

/**
 * Checks the attachments of a mail by content, name and declared type; archives are opened one
 * level deep, mails at every level. One that is too large to be read whole is blocked.
 */
export function judgeAttachments(attachments: readonly JudgedFile[]): readonly AttachmentVerdict[] {
  const opened = attachments.filter((file) => isMailFile(file) || isArchive(file.bytes))
  const sizes = opened.map(({ bytes }) => bytes)
  const archives = {
    count: sizes.length,
    bytes: sizes.reduce((sum, { length }) => sum + length, 0),
  }
  return attachments.map((attachment) =>
    judge(attachment, archiveBudget(attachment.bytes, archives)),
  )
}

function judge(file: JudgedFile, budget: ArchiveBudget): AttachmentVerdict {
  let verdict = judgeFile(file, budget)
  if (!isMailFile(file)) return verdict
  for (const inner of readMailFile(file, budget)) {
    const { status, reason } = judgeFile(inner, budget)
    if (status === 'quarantined') return EICAR_FOUND
    if (status === 'blocked' && verdict.status === 'available') {
      verdict = { status, reason: `It is a mail with an attachment that is blocked. ${reason}` }
    }
  }
  if (verdict.status !== 'available' || !budget.isExceeded) return verdict
  return { status: 'blocked', reason: 'It is a mail that is too large to be checked.' }
}

/** EICAR is checked first: a test that sends it under the name of a program expects quarantine. */
function judgeFile(
  { bytes, filename, contentType }: JudgedFile,
  budget: ArchiveBudget,
): AttachmentVerdict {
  if (isEicar(bytes)) return EICAR_FOUND
  let archiveReason: string | null = null
  for (const entry of readArchive(bytes, budget)) {
    if (entry.head !== null && isEicar(entry.head)) return EICAR_FOUND
    archiveReason ??= entryReason(entry)
  }
  const reason =
    contentReason(bytes) ??
    nameReason(filename ?? '') ??
    (isDangerousType(contentType) ? `Its declared type is ${contentType}.` : null) ??
    archiveReason ??
    (budget.isExceeded ? 'It is an archive that is too large to be checked.' : null)
  return reason === null ? AVAILABLE : { status: 'blocked', reason }
}

function contentReason(bytes: Buffer): string | null {
  const kind = programKind(bytes)
  return kind === null ? null : `Its content is ${kind}.`
}

function nameReason(filename: string): string | null {
  if (isNameReversed(filename))
    return 'Its name contains characters that reverse the text direction.'
  // gunzip gives the file the name without this ending.
  const extension =
    dangerousExtension(filename) ?? dangerousExtension(filename.replace(/\.gz$/i, ''))
  return extension === null ? null : `Its name ends in .${extension}.`
}

function entryReason({ name, head }: ArchiveEntry): string | null {
  const isMacro = /(?:^|\/)vbaProject\.bin$/i.test(name)
  if (isMacro) return 'It is a document with macros.'
  const kind = head === null ? null : programKind(head)
  if (kind !== null) return `It is an archive that contains ${kind}.`
  const extension = dangerousExtension(name)
  if (extension === null) return null
  return `It is an archive that contains a file whose name ends in .${extension}.`
}
