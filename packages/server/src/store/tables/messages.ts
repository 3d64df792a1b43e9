import type {
  AccountId,
  Attachment,
  AttachmentId,
  InboxId,
  MessageAuth,
  MessageId,
  MessageSummary,
  ProviderCall,
} from '@mayfly/contract'
import type { QueriedContent, TransferEncoding } from '@mayfly/mail'
import type { Kysely } from 'kysely'
import { type Access, compiledOnce } from '../compiled-query.ts'
import type { Schema } from '../schema.ts'
import {
  type ContentRow,
  FULL_COLUMNS,
  type FullRow,
  recipientsOf,
  type StoredMessage,
  textBytes,
  toAttachment,
  toAuth,
  toStored,
  toText,
} from './full-message.ts'
import { type MailContent, type MailSender, providerId } from './mails.ts'
import {
  messagesAmong,
  type Newest,
  newest,
  type OwnInbox,
  type OwnMessages,
  ownMessages,
  SUMMARY_COLUMNS,
  toSummary,
} from './message-rows.ts'

/** A page of a list: at most `limit` messages with numbers between `after` and `before`. */
export type MessagePage = {
  readonly limit: number
  readonly before: number | null
  readonly after: number
}

/** An attachment and the position of its bytes in the raw mail. */
export type StoredAttachment = Attachment & {
  readonly mailId: string
  readonly bodyStart: number
  readonly bodyEnd: number
  readonly bodyEncoding: TransferEncoding
}

/** A summary with its number in the inbox. */
export type NumberedSummary = MessageSummary & { readonly sequence: number }

/** How a message was received, for the diagnostics. */
export type MessageTrace = {
  readonly id: MessageId
  readonly receivedAt: number
  readonly subject: string | null
  readonly recipient: string
  readonly sizeBytes: number
  readonly otpConfidence: number | null
  readonly sender: MailSender
}

/** The SMTP dialogue of a mail, and which of its recipients a message is for. */
export type StoredTranscript = {
  readonly lines: readonly string[]
  readonly inboxAddress: string
  /** All recipients that the reader may see: for a catch-all inbox all of the mail. */
  readonly recipients: readonly string[]
}

/** Messages: mails in inboxes. */
export class Messages {
  readonly #access: Access
  readonly #db: Kysely<Schema>

  constructor(access: Access) {
    this.#access = access
    this.#db = access.db
  }

  /** A page of messages, newest first. */
  async list(owner: AccountId, inboxId: InboxId, page: MessagePage): Promise<NumberedSummary[]> {
    const before = page.before ?? Number.MAX_SAFE_INTEGER
    const rows = await listSummaries(this.#access, { owner, inboxId, ...page, before })
    return rows.map((row) => ({ ...toSummary(row), sequence: row.sequence }))
  }

  /** Messages with numbers above `after`, oldest first. */
  async listAfter(
    owner: AccountId,
    inboxId: InboxId,
    page: { readonly after: number; readonly limit: number },
  ): Promise<NumberedSummary[]> {
    const rows = await this.#owned(owner, inboxId)
      .select(SUMMARY_COLUMNS)
      .where('message.sequence', '>', page.after)
      .orderBy('message.sequence')
      .limit(page.limit)
      .execute()
    return rows.map((row) => ({ ...toSummary(row), sequence: row.sequence }))
  }

  /** The sizes of the messages of an inbox, oldest first. */
  async listSizes(
    owner: AccountId,
    inboxId: InboxId,
    limit: number,
  ): Promise<{ id: MessageId; sizeBytes: number }[]> {
    return this.#owned(owner, inboxId)
      .select(['message.id', 'message.size_bytes as sizeBytes'])
      .orderBy('message.sequence')
      .limit(limit)
      .execute()
  }

  /** The ids of the messages of an inbox that are read, or of those that are not. */
  async listMarked(owner: AccountId, inboxId: InboxId, isRead: boolean): Promise<MessageId[]> {
    const rows = await this.#owned(owner, inboxId)
      .select('message.id')
      .where('message.is_read', '=', isRead ? 1 : 0)
      .orderBy('message.sequence')
      .execute()
    return rows.map(({ id }) => id)
  }

  /** The summary of one message; null when there is no such message. */
  async findSummary(
    owner: AccountId,
    inboxId: InboxId,
    id: MessageId,
  ): Promise<MessageSummary | null> {
    const row = await this.#owned(owner, inboxId)
      .select(SUMMARY_COLUMNS)
      .where('message.id', '=', id)
      .executeTakeFirst()
    return row === undefined ? null : toSummary(row)
  }

  /** The messages of these mails, in inboxes of any account. */
  async listOfMails(
    mailIds: readonly string[],
  ): Promise<{ accountId: AccountId; inboxId: InboxId; messageId: MessageId }[]> {
    return this.#db
      .selectFrom('message')
      .innerJoin('inbox', 'inbox.id', 'message.inbox_id')
      .select([
        'inbox.account_id as accountId',
        'message.inbox_id as inboxId',
        'message.id as messageId',
      ])
      .where('message.mail_id', 'in', mailIds)
      .execute()
  }

  /** The fields of these mails that the log shows. */
  async listArrivals(
    mailIds: readonly string[],
  ): Promise<{ address: string; subject: string | null; code: string | null }[]> {
    return this.#db
      .selectFrom('message')
      .select(['recipient as address', 'subject', 'otp_value as code'])
      .where('mail_id', 'in', mailIds)
      .orderBy('id')
      .execute()
  }

  /** The summaries of those of these messages that the account has, newest first. */
  async listByIds(
    owner: AccountId,
    ids: readonly MessageId[],
  ): Promise<(MessageSummary & { readonly inboxId: InboxId })[]> {
    if (ids.length === 0) return []
    const rows = await messagesAmong(this.#db, owner, ids)
      .select(SUMMARY_COLUMNS)
      .select('message.inbox_id')
      .orderBy('message.received_at', 'desc')
      .orderBy('message.sequence', 'desc')
      .execute()
    return rows.map((row) => ({ ...toSummary(row), inboxId: row.inbox_id }))
  }

  /** The text of a message; null when it has none, or when there is no such message. */
  async findText(owner: AccountId, inboxId: InboxId, id: MessageId): Promise<string | null> {
    const mailId = await this.findMailId(owner, inboxId, id)
    if (mailId === null) return null
    const row = await this.#mail(mailId)
      .select(['text', textBytes([mailId])])
      .executeTakeFirst()
    return row === undefined ? null : toText(row)
  }

  /** The fields of a message that a search query may test; null when there is no such message. */
  async findQueried(
    owner: AccountId,
    inboxId: InboxId,
    id: MessageId,
  ): Promise<QueriedContent | null> {
    const stored = await this.find(owner, inboxId, id)
    return stored
  }

  /** The same of several messages in inboxes of the account, by their ids. */
  async listQueried(
    owner: AccountId,
    ids: readonly MessageId[],
  ): Promise<Map<MessageId, QueriedContent>> {
    if (ids.length === 0) return new Map()
    const stored = await this.#withContent(
      await messagesAmong(this.#db, owner, ids).select(FULL_COLUMNS).execute(),
    )
    return new Map(stored.map((message) => [message.id, message]))
  }

  /** The mail of a message; null when there is no such message. */
  async findMailId(owner: AccountId, inboxId: InboxId, id: MessageId): Promise<string | null> {
    const [row] = await findMailId(this.#access, { owner, inboxId, id })
    return row?.mail_id ?? null
  }

  /** The verdicts of the sender checks, null until they are stored; null without the message. */
  async findAuth(
    owner: AccountId,
    inboxId: InboxId,
    id: MessageId,
  ): Promise<{ readonly mailId: string; readonly auth: MessageAuth | null } | null> {
    const mailId = await this.findMailId(owner, inboxId, id)
    if (mailId === null) return null
    const verdict = await this.#db
      .selectFrom('sender_verdict')
      .select('auth')
      .where('mail_id', '=', mailId)
      .executeTakeFirst()
    return { mailId, auth: toAuth(verdict?.auth ?? null) }
  }

  /** The SMTP dialogue in which a message was received; null when there is no such message. */
  async findTranscript(
    owner: AccountId,
    inboxId: InboxId,
    id: MessageId,
  ): Promise<StoredTranscript | null> {
    const row = await this.#owned(owner, inboxId)
      .select(['message.recipient', 'message.mail_id', 'inbox.address', 'inbox.keep_messages'])
      .where('message.id', '=', id)
      .executeTakeFirst()
    if (row === undefined) return null
    const mail = await this.#mail(row.mail_id).select(['transcript', 'content']).executeTakeFirst()
    if (mail === undefined) return null
    const lines = mail.transcript.split('\n')
    // Written by `Mails.add`.
    const recipients = recipientsOf(row, JSON.parse(mail.content) as MailContent)
    return { lines, inboxAddress: row.address, recipients }
  }

  /** How the newest messages of an inbox were received, newest first. */
  async listTraces(owner: AccountId, inboxId: InboxId, limit: number): Promise<MessageTrace[]> {
    const rows = await this.#owned(owner, inboxId)
      .select(['message.id', 'message.received_at', 'message.subject', 'message.recipient'])
      .select(['message.otp_value', 'message.otp_confidence', 'message.size_bytes'])
      .select('message.sender')
      .orderBy('message.sequence', 'desc')
      .limit(limit)
      .execute()
    return rows.map((row) => ({
      id: row.id,
      receivedAt: row.received_at,
      subject: row.subject,
      recipient: row.recipient,
      sizeBytes: row.size_bytes,
      otpConfidence: row.otp_confidence,
      // Written by `Mails.add`.
      sender: JSON.parse(row.sender) as MailSender,
    }))
  }

  /** The message to which a provider's API gave an id; null when there is none. */
  async findByProvider(
    owner: AccountId,
    call: Pick<ProviderCall, 'name' | 'id'>,
  ): Promise<{ readonly inboxId: InboxId; readonly messageId: MessageId } | null> {
    const row = await this.#db
      .selectFrom('message')
      .innerJoin('inbox', 'inbox.id', 'message.inbox_id')
      .select(['message.inbox_id', 'message.id'])
      .where('inbox.account_id', '=', owner)
      .where('message.provider_id', '=', providerId(call))
      .orderBy('message.id')
      .executeTakeFirst()
    return row === undefined ? null : { inboxId: row.inbox_id, messageId: row.id }
  }

  /** The newest messages of an account that were sent by a provider's API. */
  async listByProvider(
    owner: AccountId,
    name: ProviderCall['name'],
    limit: number,
  ): Promise<{ readonly inboxId: InboxId; readonly messageId: MessageId }[]> {
    const rows = await this.#db
      .selectFrom('message')
      .innerJoin('inbox', 'inbox.id', 'message.inbox_id')
      .select(['message.inbox_id', 'message.id'])
      .where('inbox.account_id', '=', owner)
      .where('message.provider_id', 'like', `${name}:%`)
      .orderBy('message.id', 'desc')
      .limit(limit)
      .execute()
    return rows.map((row) => ({ inboxId: row.inbox_id, messageId: row.id }))
  }

  /** A full message with its original HTML; null when the inbox has no such message. */
  async find(owner: AccountId, inboxId: InboxId, id: MessageId): Promise<StoredMessage | null> {
    const [row] = await findFull(this.#access, { owner, inboxId, id })
    if (row === undefined) return null
    const [content] = await findContent(this.#access, { mailId: row.mail_id })
    return content === undefined ? null : this.#toStored(row, content)
  }

  /** The same; null also when it has HTML, or more than `bytesMax` bytes. */
  async findSmallPlain(
    owner: AccountId,
    of: { readonly inboxId: InboxId; readonly messageId: MessageId },
    bytesMax: number,
  ): Promise<StoredMessage | null> {
    const [row] = await findFull(this.#access, { owner, inboxId: of.inboxId, id: of.messageId })
    if (row === undefined || row.size_bytes > bytesMax) return null
    const [content] = await findPlainContent(this.#access, { mailId: row.mail_id })
    return content === undefined ? null : this.#toStored(row, content)
  }

  /** The messages with the contents of their mails. */
  async #withContent(rows: readonly FullRow[]): Promise<StoredMessage[]> {
    const mailIds = rows.map(({ mail_id }) => mail_id)
    if (mailIds.length === 0) return []
    const contents = await contentsOf(this.#db, mailIds).execute()
    const byId = new Map(contents.map((row) => [row.id, row]))
    const stored = rows.map(async (row) => {
      const content = byId.get(row.mail_id)
      return content === undefined ? [] : [await this.#toStored(row, content)]
    })
    return (await Promise.all(stored)).flat()
  }

  async #toStored(row: FullRow, mail: ContentRow): Promise<StoredMessage> {
    const attachments = row.has_attachments === 0 ? [] : await this.#attachments(row.mail_id)
    return toStored(row, mail, attachments)
  }

  /** An attachment of a message. */
  async findAttachment(
    owner: AccountId,
    of: { readonly inboxId: InboxId; readonly messageId: MessageId },
    id: AttachmentId,
  ): Promise<StoredAttachment | null> {
    const mailId = await this.findMailId(owner, of.inboxId, of.messageId)
    if (mailId === null) return null
    const row = await this.#db
      .selectFrom('attachment')
      .selectAll()
      .where('mail_id', '=', mailId)
      .where('id', '=', id)
      .executeTakeFirst()
    if (row === undefined) return null
    return {
      ...toAttachment(row),
      mailId: row.mail_id,
      bodyStart: row.body_start,
      bodyEnd: row.body_end,
      bodyEncoding: row.body_encoding,
    }
  }

  async #attachments(mailId: string): Promise<Attachment[]> {
    const rows = await this.#db
      .selectFrom('attachment')
      .selectAll()
      .where('mail_id', '=', mailId)
      .orderBy('ordinal')
      .execute()
    return rows.map(toAttachment)
  }

  #mail(id: string) {
    return this.#db.selectFrom('mail').where('id', '=', id)
  }

  /** The messages of an inbox of the account. */
  #owned(owner: AccountId, inboxId: InboxId): OwnMessages {
    return ownMessages(this.#db, { owner, inboxId })
  }
}

const listSummaries = compiledOnce((db, given: Newest) => newest(db, given).select(SUMMARY_COLUMNS))

type OwnMessage = OwnInbox & { readonly id: MessageId }

const findMailId = compiledOnce((db, given: OwnMessage) =>
  ownMessages(db, given).select('message.mail_id').where('message.id', '=', given.id),
)

const findFull = compiledOnce((db, given: OwnMessage) =>
  ownMessages(db, given).select(FULL_COLUMNS).where('message.id', '=', given.id),
)

/**
 * The contents of mails. A query of their own: PostgreSQL finds the partition of a mail by its id
 * when it plans a statement. For a join it would plan all of them.
 */
function contentsOf(db: Kysely<Schema>, mailIds: readonly string[]) {
  return db
    .selectFrom('mail')
    .leftJoin('sender_verdict', (join) =>
      join
        .onRef('sender_verdict.mail_id', '=', 'mail.id')
        .on('sender_verdict.mail_id', 'in', mailIds),
    )
    .select(['mail.id', 'mail.text', textBytes(mailIds), 'mail.html', 'mail.content'])
    .select('sender_verdict.auth')
    .where('mail.id', 'in', mailIds)
}

const findContent = compiledOnce((db, given: { readonly mailId: string }) =>
  contentsOf(db, [given.mailId]),
)

const findPlainContent = compiledOnce((db, given: { readonly mailId: string }) =>
  contentsOf(db, [given.mailId]).where('mail.html', 'is', null),
)
