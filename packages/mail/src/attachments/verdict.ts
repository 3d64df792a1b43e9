import type { ParsedAttachment } from '../mime/contents.ts'
import { type ArchiveBudget, type ArchiveEntry, archiveBudget, readArchive } from './archive.ts'
import { dangerousExtension, isDangerousType, isNameReversed } from './dangerous-types.ts'
import { isEicar, programKind } from './magic.ts'

/** Whether an attachment may be downloaded, and why not. */
export type AttachmentVerdict =
  | { readonly status: 'available'; readonly reason: null }
  | { readonly status: 'blocked' | 'quarantined'; readonly reason: string }

const AVAILABLE: AttachmentVerdict = { status: 'available', reason: null }
const EICAR_FOUND: AttachmentVerdict = {
  status: 'quarantined',
  reason: 'It is the EICAR test file.',
}

type JudgedFile = Pick<ParsedAttachment, 'filename' | 'contentType' | 'bytes'>

/**
 * Checks the attachments of a mail by content, name and declared type; archives are opened one
 * level deep. What is not inflated, because the mail has too much of it, is judged by its name.
 */
export function judgeAttachments(attachments: readonly JudgedFile[]): readonly AttachmentVerdict[] {
  const budget = archiveBudget()
  return attachments.map((attachment) => judge(attachment, budget))
}

/** EICAR is checked first: a test that sends it under the name of a program expects quarantine. */
function judge(
  { bytes, filename, contentType }: JudgedFile,
  budget: ArchiveBudget,
): AttachmentVerdict {
  if (isEicar(bytes)) return EICAR_FOUND
  const entries = readArchive(bytes, budget) ?? []
  if (entries.some(({ head }) => head !== null && isEicar(head))) return EICAR_FOUND
  const reason =
    contentReason(bytes) ??
    nameReason(filename ?? '') ??
    (isDangerousType(contentType) ? `Its declared type is ${contentType}.` : null) ??
    archiveReason(entries)
  return reason === null ? AVAILABLE : { status: 'blocked', reason }
}

function contentReason(bytes: Buffer): string | null {
  const kind = programKind(bytes)
  return kind === null ? null : `Its content is ${kind}.`
}

function nameReason(filename: string): string | null {
  if (isNameReversed(filename))
    return 'Its name contains characters that reverse the text direction.'
  const extension = dangerousExtension(filename)
  return extension === null ? null : `Its name ends in .${extension}.`
}

function archiveReason(entries: readonly ArchiveEntry[]): string | null {
  for (const { name, head } of entries) {
    const isMacro = /(?:^|\/)vbaProject\.bin$/i.test(name)
    if (isMacro) return 'It is a document with macros.'
    const kind = head === null ? null : programKind(head)
    if (kind !== null) return `It is an archive that contains ${kind}.`
    const extension = dangerousExtension(name)
    if (extension !== null) {
      return `It is an archive that contains a file whose name ends in .${extension}.`
    }
  }
  return null
}
