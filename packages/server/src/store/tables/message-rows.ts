// Rows of messages, as several files read them.

import type { AccountId, InboxId, MessageId, MessageSummary } from '@mayfly/contract'
import type { Kysely, Selectable, SelectQueryBuilder } from 'kysely'
import type { Schema } from '../schema.ts'
import { isoTime } from '../time.ts'

/** A query of messages with their inboxes. */
export type OwnMessages = SelectQueryBuilder<Schema, 'message' | 'inbox', object>

/** An inbox, and the account that it must belong to. */
export type OwnInbox = { readonly owner: AccountId; readonly inboxId: InboxId }

/** The messages of an inbox of the account. */
export function ownMessages(db: Kysely<Schema>, { owner, inboxId }: OwnInbox): OwnMessages {
  return db
    .selectFrom('message')
    .innerJoin('inbox', 'inbox.id', 'message.inbox_id')
    .where('inbox.account_id', '=', owner)
    .where('inbox.id', '=', inboxId)
}

/** Messages of an inbox with numbers between two, the newest ones first. */
export type Newest = OwnInbox & {
  readonly after: number
  readonly before: number
  readonly limit: number
}

/** The query of these messages. */
export function newest(db: Kysely<Schema>, given: Newest): OwnMessages {
  return ownMessages(db, given)
    .where('message.sequence', '>', given.after)
    .where('message.sequence', '<', given.before)
    .orderBy('message.sequence', 'desc')
    .limit(given.limit)
}

/**
 * Those of these messages that the account has. In a `cross join` SQLite keeps the order of the
 * tables; otherwise it reads all messages of the account when there are many ids.
 */
export function messagesAmong(
  db: Kysely<Schema>,
  owner: AccountId,
  ids: readonly MessageId[],
): OwnMessages {
  return db
    .selectFrom('message')
    .crossJoin('inbox')
    .whereRef('inbox.id', '=', 'message.inbox_id')
    .where('inbox.account_id', '=', owner)
    .where('message.id', 'in', ids)
}

/** The sender and the subject of a message. */
export const NAME_COLUMNS = [
  'message.from_name',
  'message.from_address',
  'message.subject',
] as const

/** The columns of a summary. */
export const SUMMARY_COLUMNS = [
  'message.id',
  'message.sequence',
  ...NAME_COLUMNS,
  'message.recipient',
  'message.preview',
  'message.received_at',
  'message.has_attachments',
  'message.otp_value',
  'message.otp_confidence',
  'message.is_read',
] as const

/** The same as a row. */
export type SummaryRow = Pick<
  Selectable<Schema['message']>,
  | 'id'
  | 'from_name'
  | 'from_address'
  | 'recipient'
  | 'subject'
  | 'preview'
  | 'received_at'
  | 'has_attachments'
  | 'otp_value'
  | 'otp_confidence'
  | 'is_read'
>

/** The summary of a message. */
export function toSummary(row: SummaryRow): MessageSummary {
  return {
    id: row.id,
    from: { name: row.from_name, address: row.from_address },
    recipient: row.recipient,
    subject: row.subject,
    preview: row.preview,
    receivedAt: isoTime(row.received_at),
    hasAttachments: row.has_attachments === 1,
    hasOtp: row.otp_value !== null,
    read: row.is_read === 1,
  }
}
