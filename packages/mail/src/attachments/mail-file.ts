import { MIME_DEPTH_MAX } from '../limits.ts'
import { type ParsedAttachment, readContents } from '../mime/contents.ts'
import { type Defect, DefectList } from '../mime/defects.ts'
import { readMailHeader } from '../mime/headers.ts'
import { readParts } from '../mime/parts.ts'
import type { ArchiveBudget } from './archive-budget.ts'

/** A file of a mail, as it is judged. */
export type JudgedFile = Pick<ParsedAttachment, 'filename' | 'contentType' | 'bytes'>

const MAIL_TYPES: ReadonlySet<string> = new Set(['message/rfc822', 'message/global'])

/** After these, something was left out. */
const LEFT_OUT: readonly Defect[] = [
  ...(['tooManyHeaders', 'headersTooLarge', 'tooDeep'] as const),
  ...(['tooManyParts', 'tooManyAttachments'] as const),
]

/** Whether mail programs open the file as a mail. */
export function isMailFile({ filename, contentType }: JudgedFile): boolean {
  return MAIL_TYPES.has(contentType) || /\.eml$/i.test(filename ?? '')
}

/** The attachments of a mail that is attached, and of mails attached to it. */
export function* readMailFile(
  { bytes }: JudgedFile,
  budget: ArchiveBudget,
  depth = 0,
): Generator<JudgedFile> {
  if (depth >= MIME_DEPTH_MAX) budget.exceed()
  if (!budget.spend(bytes.length)) return
  const defects = new DefectList()
  const { source, header } = readMailHeader(bytes, defects)
  const range = { start: header.bodyStart, end: source.length }
  const leaves = readParts(source, header.fields, { range, defects })
  const { attachments } = readContents({ raw: bytes, source }, leaves, { defects })
  if (LEFT_OUT.some((defect) => defects.has(defect))) budget.exceed()
  for (const attachment of attachments) {
    yield attachment
    if (isMailFile(attachment)) yield* readMailFile(attachment, budget, depth + 1)
  }
}
