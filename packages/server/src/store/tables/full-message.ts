// Full messages, from the rows of the store.

import type { Attachment, Message, MessageAuth, Otp } from '@mayfly/contract'
import { type Selectable, sql } from 'kysely'
import type { Schema } from '../schema.ts'
import type { MailContent } from './mails.ts'
import { SUMMARY_COLUMNS, type SummaryRow, toSummary } from './message-rows.ts'

/** A message with the id of its mail and its number in the inbox. */
export type StoredMessage = Message & {
  readonly mailId: string
  readonly sequence: number
  /** `text` is that of the HTML: the mail has no other. */
  readonly isHtmlOnly: boolean
}

/**
 * The text of a mail among these that is stored in its raw bytes only; null for other mails. The
 * ids are named again, so that PostgreSQL plans only the partitions of these mails.
 */
export const textBytes = (mailIds: readonly string[]) =>
  sql<Uint8Array | null>`(
    select substr(bytes, cast(mail.text_start + 1 as integer),
      cast(mail.text_end - mail.text_start as integer))
    from raw_mail where mail.text_start is not null and raw_mail.mail_id = mail.id
      and raw_mail.mail_id in (${sql.join(mailIds)})
  )`.as('text_bytes')

type TextRow = { readonly text: string | null; readonly text_bytes: Uint8Array | null }

/** The text of a mail, also where it is stored in its raw bytes only. */
export function toText({ text, text_bytes: bytes }: TextRow): string | null {
  if (bytes === null) return text
  const { buffer, byteOffset, length } = bytes
  return Buffer.from(buffer, byteOffset, length).toString('latin1').replaceAll(/\r\n?/g, '\n')
}

/** The rows of a full message, beside the content of its mail. */
export const FULL_COLUMNS = [
  ...SUMMARY_COLUMNS,
  'message.inbox_id',
  'message.mail_id',
  'message.size_bytes',
  'inbox.keep_messages',
] as const

/** The same as a row. */
export type FullRow = SummaryRow &
  Pick<Selectable<Schema['message']>, 'inbox_id' | 'mail_id' | 'sequence' | 'size_bytes'> &
  Pick<Selectable<Schema['inbox']>, 'keep_messages'>

/** The content of a mail. */
export type ContentRow = Pick<Selectable<Schema['mail']>, 'id' | 'html' | 'content'> &
  TextRow & { readonly auth: string | null }

/** The full message. */
export function toStored(row: FullRow, mail: ContentRow, attachments: Attachment[]): StoredMessage {
  // Written by `Mails.add`.
  const content = JSON.parse(mail.content) as MailContent
  return {
    ...toSummary(row),
    inboxId: row.inbox_id,
    recipients: [...recipientsOf(row, content)],
    sizeBytes: row.size_bytes,
    text: toText(mail),
    html: mail.html,
    otp: toOtp(row),
    to: [...content.to],
    cc: [...content.cc],
    replyTo: [...content.replyTo],
    sentAt: content.sentAt,
    links: [...content.links],
    headers: [...content.headers],
    defects: [...content.defects],
    provider: content.provider ?? null,
    attachments,
    auth: toAuth(mail.auth),
    envelope: { ...content.envelope, rcptTo: row.recipient },
    mailId: row.mail_id,
    sequence: row.sequence,
    isHtmlOnly: content.isHtmlOnly === true,
  }
}

/** The recipients that the reader of a message may see. */
export function recipientsOf(
  row: { readonly recipient: string; readonly keep_messages: number | null },
  { catchAll }: MailContent,
): readonly string[] {
  return row.keep_messages === null ? [row.recipient] : (catchAll?.recipients ?? [row.recipient])
}

/** The verdicts of the sender checks; null until they are stored. */
export function toAuth(json: string | null): MessageAuth | null {
  // Written by `SenderVerdicts.add`.
  return json === null ? null : (JSON.parse(json) as MessageAuth)
}

function toOtp(row: SummaryRow): Otp | null {
  if (row.otp_value === null || row.otp_confidence === null) return null
  return { value: row.otp_value, confidence: row.otp_confidence }
}

/** An attachment. */
export function toAttachment(row: Selectable<Schema['attachment']>): Attachment {
  return {
    id: row.id,
    filename: row.filename,
    contentType: row.content_type,
    sizeBytes: row.size_bytes,
    contentId: row.content_id,
    inline: row.inline === 1,
    sha256: row.sha256,
    status: row.status,
    reason: row.reason,
  }
}
