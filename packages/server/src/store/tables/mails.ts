import type {
  AttachmentId,
  AttachmentStatus,
  InboxId,
  MailAddress,
  MessageEnvelope,
  MessageId,
  Otp,
  ProviderCall,
} from '@mayfly/contract'
import type { TransferEncoding } from '@mayfly/mail'
import { type Kysely, sql } from 'kysely'
import type { Dialect } from '../dialect.ts'
import type { Schema } from '../schema.ts'
import { executeTogether, insertion, type Statements } from '../statements.ts'
import { type InboxUsage, usageUpdate } from './receiving.ts'

/** The parts of a full message without a column of their own; stored as one JSON text. */
export type MailContent = {
  readonly to: readonly MailAddress[]
  readonly cc: readonly MailAddress[]
  readonly replyTo: readonly MailAddress[]
  readonly sentAt: string | null
  readonly links: readonly { readonly url: string; readonly text: string }[]
  readonly headers: readonly { readonly name: string; readonly value: string }[]
  readonly defects: readonly string[]
  readonly envelope: Omit<MessageEnvelope, 'rcptTo'>
  /** The stored text is that of the HTML: the mail has no other. */
  readonly isHtmlOnly?: true
  /** Of a mail that was sent by a provider's API. */
  readonly provider?: ProviderCall
  /** Of a mail in a catch-all inbox. */
  readonly catchAll?: {
    readonly recipients: readonly string[]
    /** The user name of SMTP AUTH; null without it. */
    readonly username: string | null
  }
}

/** An attachment as it is written. */
export type NewAttachment = {
  readonly id: AttachmentId
  readonly filename: string | null
  readonly contentType: string
  readonly contentId: string | null
  readonly inline: boolean
  readonly sizeBytes: number
  readonly sha256: string
  readonly status: AttachmentStatus
  readonly reason: string | null
  readonly heldFor: 'scan' | null
  readonly bodyStart: number
  readonly bodyEnd: number
  readonly bodyEncoding: TransferEncoding
}

/** Who sent a mail, as the diagnostics show it. */
export type MailSender = Pick<MessageEnvelope, 'mailFrom' | 'remoteAddress' | 'tls'> & {
  /** Of a mail that was sent by a provider's API. */
  readonly provider?: Pick<ProviderCall, 'name' | 'operation' | 'id'> & {
    /** Fields of the request that its API does not have. */
    readonly unknownFields: readonly string[]
  }
}

/** A mail as it is written, once for all its recipients. */
export type NewMail = {
  readonly id: string
  readonly receivedAt: number
  readonly sender: MailSender
  readonly from: MailAddress
  readonly subject: string | null
  readonly preview: string | null
  /** Null without one; or where it is in `raw`, as ASCII with any line ends. */
  readonly text: string | { readonly start: number; readonly end: number } | null
  readonly html: string | null
  readonly otp: Otp | null
  /** A `MailContent` as JSON. */
  readonly content: string
  /** The lines of the SMTP dialogue, joined by line feeds. */
  readonly transcript: string
  readonly raw: { readonly encoding: 'identity' | 'zstd'; readonly bytes: Uint8Array }
  /** Of the raw mail before compression. */
  readonly sizeBytes: number
  readonly attachments: readonly NewAttachment[]
  /** Of a mail in a catch-all inbox; null for others. */
  readonly tags: readonly string[] | null
}

/** A stored mail, and the size of deleting it. */
export type StoredSize = { readonly mailId: string; readonly sizeBytes: number }

/** A mail in one inbox. */
export type NewMessage = {
  readonly id: MessageId
  readonly inboxId: InboxId
  readonly recipient: string
  readonly sequence: number
  readonly mail: NewMail
}

/** Mails, shared by the messages of all recipients. */
export class Mails {
  readonly #db: Kysely<Schema>
  readonly #dialect: Dialect
  readonly #statements: Statements

  constructor(db: Kysely<Schema>, dialect: Dialect, statements: Statements) {
    this.#db = db
    this.#dialect = dialect
    this.#statements = statements
  }

  /** Writes mails, their messages, and how full the inboxes are then. In a transaction. */
  async add(
    mails: readonly NewMail[],
    messages: readonly NewMessage[],
    inboxes: readonly InboxUsage[] = [],
  ): Promise<void> {
    await executeTogether({ statements: this.#statements, dialect: this.#dialect }, [
      insertMails(mails.map(mailRow)),
      insertRaw(mails.map(rawRow)),
      insertAttachments(mails.flatMap(attachmentRows)),
      insertMessages(messages.map(messageRow)),
      usageUpdate(inboxes),
    ])
  }

  /** Those of these mails that are stored, each with the id of its first message. */
  async findStored(mailIds: readonly string[]): Promise<ReadonlyMap<string, MessageId>> {
    const rows = await this.#db
      .selectFrom('message')
      .select(['mail_id', 'id'])
      .where(this.#dialect.isAmong('mail_id', mailIds))
      .orderBy('id', 'desc')
      .execute()
    return new Map(rows.map((row) => [row.mail_id, row.id]))
  }

  /** The raw mail, as it was stored. */
  async findRaw(mailId: string): Promise<NewMail['raw'] | null> {
    const row = await this.#db
      .selectFrom('raw_mail')
      .select(['encoding', 'bytes'])
      .where('mail_id', '=', mailId)
      .executeTakeFirst()
    return row ?? null
  }

  /** The envelope of a mail; null when it was deleted or its sender checks are done. */
  async findUncheckedEnvelope(mailId: string): Promise<MailContent['envelope'] | null> {
    const row = await this.#db
      .selectFrom('mail')
      .leftJoin('sender_verdict', 'sender_verdict.mail_id', 'mail.id')
      .select('mail.content')
      .where('mail.id', '=', mailId)
      .where('sender_verdict.mail_id', 'is', null)
      .executeTakeFirst()
    // Composed by receiving/compose.ts.
    return row === undefined ? null : (JSON.parse(row.content) as MailContent).envelope
  }

  /** The inboxes with a message of one of these mails. */
  async listInboxes(mailIds: readonly string[]): Promise<InboxId[]> {
    const rows = await this.#db
      .selectFrom('message')
      .select('inbox_id')
      .distinct()
      .where('mail_id', 'in', mailIds)
      .execute()
    return rows.map((row) => row.inbox_id)
  }

  /**
   * Finds mails that were received until then and that no message refers to, in the order of their
   * ids. `last` is the last mail that was read; null when there was none.
   */
  async listUnshared(page: {
    readonly after: string
    readonly until: number
    readonly limit: number
  }): Promise<{ readonly mails: StoredSize[]; readonly last: string | null }> {
    // Not `exists`, for which PostgreSQL would read all messages of a small store.
    const referred = sql<1 | null>`(
      select 1 from message where message.mail_id = mail.id limit 1)`
    const rows = await this.#db
      .selectFrom('mail')
      .select(['id', 'size_bytes', 'received_at', referred.as('referred')])
      .where('id', '>', page.after)
      .orderBy('id')
      .limit(page.limit)
      .execute()
    // A condition on the time in the query would read every later mail to find none.
    const unshared = rows.filter((row) => row.received_at <= page.until && row.referred === null)
    return {
      mails: unshared.map((row) => ({ mailId: row.id, sizeBytes: row.size_bytes })),
      last: rows.at(-1)?.id ?? null,
    }
  }

  /** Deletes those of these mails that no message refers to any more. In a transaction. */
  async deleteUnshared(mailIds: readonly string[]): Promise<void> {
    if (mailIds.length === 0) return
    const { isAmong, forUpdate } = this.#dialect
    // Locked by a statement of its own: the next one then sees a message that got one of these
    // mails while this one waited (`copyMail` in mail-partitions.ts).
    await sql`select id from mail where ${isAmong('id', mailIds)}
      order by id${sql.raw(forUpdate)}`.execute(this.#db)
    await this.#db
      .deleteFrom('mail')
      .where(isAmong('mail.id', mailIds))
      .where(sql<boolean>`not exists (select 1 from message where message.mail_id = mail.id)`)
      .execute()
  }
}

const insertMails = insertion('mail', {
  id: 'text',
  received_at: 'integer',
  size_bytes: 'integer',
  text: 'text',
  text_start: 'integer',
  text_end: 'integer',
  html: 'text',
  content: 'text',
  transcript: 'text',
})

const insertRaw = insertion('raw_mail', { mail_id: 'text', encoding: 'text', bytes: 'bytes' })

const insertMessages = insertion('message', {
  id: 'text',
  inbox_id: 'text',
  mail_id: 'text',
  sequence: 'integer',
  received_at: 'integer',
  recipient: 'text',
  from_name: 'text',
  from_address: 'text',
  subject: 'text',
  preview: 'text',
  size_bytes: 'integer',
  has_attachments: 'integer',
  otp_value: 'text',
  otp_confidence: 'real',
  sender: 'text',
  tags: 'text',
  provider_id: 'text',
})

const insertAttachments = insertion('attachment', {
  id: 'text',
  mail_id: 'text',
  ordinal: 'integer',
  filename: 'text',
  content_type: 'text',
  content_id: 'text',
  inline: 'integer',
  size_bytes: 'integer',
  sha256: 'text',
  status: 'text',
  reason: 'text',
  held_for: 'text',
  body_start: 'integer',
  body_end: 'integer',
  body_encoding: 'text',
})

function mailRow(mail: NewMail) {
  return {
    id: mail.id,
    received_at: mail.receivedAt,
    size_bytes: mail.sizeBytes,
    ...textColumns(mail.text),
    html: mail.html,
    content: mail.content,
    transcript: mail.transcript,
  }
}

function textColumns(text: NewMail['text']) {
  return typeof text === 'string' || text === null
    ? { text, text_start: null, text_end: null }
    : { text: null, text_start: text.start, text_end: text.end }
}

function rawRow(mail: NewMail) {
  return { mail_id: mail.id, encoding: mail.raw.encoding, bytes: mail.raw.bytes }
}

function messageRow(message: NewMessage) {
  const { mail } = message
  return {
    id: message.id,
    inbox_id: message.inboxId,
    mail_id: mail.id,
    sequence: message.sequence,
    received_at: mail.receivedAt,
    recipient: message.recipient,
    from_name: mail.from.name,
    from_address: mail.from.address,
    subject: mail.subject,
    preview: mail.preview,
    size_bytes: mail.sizeBytes,
    has_attachments: flag(mail.attachments.length > 0),
    otp_value: mail.otp?.value ?? null,
    otp_confidence: mail.otp?.confidence ?? null,
    sender: JSON.stringify(mail.sender),
    tags: mail.tags === null ? null : JSON.stringify(mail.tags),
    provider_id: providerId(mail.sender.provider),
  }
}

/** The value of the column: of any provider, unique in an account. */
export function providerId(call: Pick<ProviderCall, 'name' | 'id'> | undefined): string | null {
  return call === undefined ? null : `${call.name}:${call.id}`
}

function attachmentRows(mail: NewMail) {
  return mail.attachments.map((attachment, ordinal) => ({
    id: attachment.id,
    mail_id: mail.id,
    ordinal,
    filename: attachment.filename,
    content_type: attachment.contentType,
    content_id: attachment.contentId,
    inline: flag(attachment.inline),
    size_bytes: attachment.sizeBytes,
    sha256: attachment.sha256,
    status: attachment.status,
    reason: attachment.reason,
    held_for: attachment.heldFor,
    body_start: attachment.bodyStart,
    body_end: attachment.bodyEnd,
    body_encoding: attachment.bodyEncoding,
  }))
}

const flag = (value: boolean): 0 | 1 => (value ? 1 : 0)
