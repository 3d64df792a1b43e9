import type { AccountId, AttachmentId, InboxId, MessageId } from '@mayfly/contract'
import { type Expression, type ExpressionBuilder, type Kysely, type SqlBool, sql } from 'kysely'
import type { Dialect } from '../dialect.ts'
import type { Schema } from '../schema.ts'
import type { Candidate } from './candidates.ts'
import type { MailContent } from './mails.ts'

/** A message in one of the catch-all inboxes of an account. */
export type CatchAllRef = { readonly inboxId: InboxId; readonly messageId: MessageId }

/** The columns of a message that lists and searches need, without its content. */
export type CatchAllEntry = CatchAllRef &
  Omit<Candidate, 'id' | 'sequence'> & { readonly tags: readonly string[] }

/** Different sets of tags that are counted; an inbox keeps no more messages. */
const TAG_SETS_MAX = 1_000

/** Tags that are counted: any sender can add some, and lists of messages have them all. */
const TAGS_MAX = 500

/** Messages of several catch-all inboxes of one account. */
export class CatchAllMessages {
  readonly #db: Kysely<Schema>
  readonly #dialect: Dialect

  constructor(db: Kysely<Schema>, dialect: Dialect) {
    this.#db = db
    this.#dialect = dialect
  }

  /** All messages, newest first. */
  async list(owner: AccountId, inboxIds: readonly InboxId[]): Promise<CatchAllEntry[]> {
    const rows = await this.#owned(owner, inboxIds)
      .select(['message.id', 'message.inbox_id', 'message.received_at', 'message.size_bytes'])
      .select(['message.from_name', 'message.from_address', 'message.subject', 'message.tags'])
      .select(['message.is_read', 'message.has_attachments', 'message.otp_value'])
      .select('inbox.address')
      .orderBy('message.received_at', 'desc')
      .orderBy('message.sequence', 'desc')
      .execute()
    return rows.map((row) => ({
      messageId: row.id,
      inboxId: row.inbox_id,
      inbox: { id: row.inbox_id, address: row.address },
      receivedAt: row.received_at,
      from: { name: row.from_name, address: row.from_address },
      subject: row.subject,
      sizeBytes: row.size_bytes,
      isRead: row.is_read === 1,
      hasAttachments: row.has_attachments === 1,
      otp: row.otp_value,
      tags: toTags(row.tags),
    }))
  }

  /** The newest messages, from the one at `start`. */
  async listPage(
    owner: AccountId,
    inboxIds: readonly InboxId[],
    page: { readonly start: number; readonly limit: number },
  ): Promise<CatchAllRef[]> {
    const rows = await this.#owned(owner, inboxIds)
      .select(['message.id', 'message.inbox_id'])
      .orderBy('message.received_at', 'desc')
      .orderBy('message.sequence', 'desc')
      .offset(page.start)
      .limit(page.limit)
      .execute()
    return rows.map((row) => ({ messageId: row.id, inboxId: row.inbox_id }))
  }

  /**
   * Those of these messages that are in one of the inboxes. A cross join, so that SQLite finds them
   * by their ids, and not among all messages of the inboxes.
   */
  async findRefs(
    owner: AccountId,
    inboxIds: readonly InboxId[],
    ids: readonly string[],
  ): Promise<CatchAllRef[]> {
    const rows = await this.#db
      .selectFrom('message')
      .crossJoin('inbox')
      .select(['message.id', 'message.inbox_id'])
      .whereRef('inbox.id', '=', 'message.inbox_id')
      .where('inbox.account_id', '=', owner)
      .where('inbox.keep_messages', 'is not', null)
      .where(this.#dialect.isAmong('inbox.id', inboxIds))
      .where(this.#dialect.isAmong('message.id', ids))
      .execute()
    return rows.map((row) => ({ messageId: row.id, inboxId: row.inbox_id }))
  }

  /** The columns of a message that only the views of catch-all inboxes show. */
  async findExtras(
    owner: AccountId,
    { inboxId, messageId }: CatchAllRef,
  ): Promise<{ readonly username: string | null; readonly tags: readonly string[] } | null> {
    const message = await this.#owned(owner, [inboxId])
      .select(['message.tags', 'message.mail_id'])
      .where('message.id', '=', messageId)
      .executeTakeFirst()
    if (message === undefined) return null
    const mail = await this.#db
      .selectFrom('mail')
      .select('content')
      .where('id', '=', message.mail_id)
      .executeTakeFirst()
    if (mail === undefined) return null
    // Written by `Mails.add`.
    const { catchAll } = JSON.parse(mail.content) as MailContent
    return { username: catchAll?.username ?? null, tags: toTags(message.tags) }
  }

  /** The attachment at a position, from 0; null without it. */
  async findAttachmentId(
    owner: AccountId,
    ref: CatchAllRef,
    ordinal: number,
  ): Promise<AttachmentId | null> {
    return this.#findFirst(owner, ref, ({ eb }) => eb('ordinal', '=', ordinal))
  }

  /** The attachments, each with the position of its bytes in the raw mail. */
  async listAttachmentStarts(
    owner: AccountId,
    ref: CatchAllRef,
  ): Promise<readonly { readonly id: AttachmentId; readonly bodyStart: number }[]> {
    const mailId = await this.findMailId(owner, ref)
    if (mailId === null) return []
    const rows = await this.#db
      .selectFrom('attachment')
      .select(['id', 'body_start'])
      .where('mail_id', '=', mailId)
      .orderBy('ordinal')
      .execute()
    return rows.map((row) => ({ id: row.id, bodyStart: row.body_start }))
  }

  /** The attachment with this id or file name; null without it. */
  async findAttachmentByName(
    owner: AccountId,
    ref: CatchAllRef,
    name: string,
  ): Promise<AttachmentId | null> {
    return this.#findFirst(owner, ref, ({ or, eb }) =>
      or([eb('filename', '=', name), eb(sql<string>`id`, '=', name)]),
    )
  }

  /** The first attachment of a message that fulfils a condition; null without one. */
  async #findFirst(
    owner: AccountId,
    ref: CatchAllRef,
    condition: (builder: ExpressionBuilder<Schema, 'attachment'>) => Expression<SqlBool>,
  ): Promise<AttachmentId | null> {
    const mailId = await this.findMailId(owner, ref)
    if (mailId === null) return null
    const row = await this.#db
      .selectFrom('attachment')
      .select('id')
      .where('mail_id', '=', mailId)
      .where(condition)
      .orderBy('ordinal')
      .executeTakeFirst()
    return row?.id ?? null
  }

  /** The id of the mail of a message; null without it. */
  async findMailId(owner: AccountId, { inboxId, messageId }: CatchAllRef): Promise<string | null> {
    const row = await this.#owned(owner, [inboxId])
      .select('message.mail_id')
      .where('message.id', '=', messageId)
      .executeTakeFirst()
    return row?.mail_id ?? null
  }

  /**
   * The tags of the messages, by name, and how many messages have each. When there are too many,
   * those of the most messages, then those of the newest.
   */
  async countTags(
    owner: AccountId,
    inboxIds: readonly InboxId[],
  ): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#owned(owner, inboxIds)
      .select(['message.tags', ({ fn }) => fn.countAll<number>().as('count')])
      .where('message.tags', 'is not', null)
      .where('message.tags', '<>', '[]')
      .groupBy('message.tags')
      .orderBy(({ fn }) => fn.countAll(), 'desc')
      .orderBy(({ fn }) => fn.max('message.received_at'), 'desc')
      .orderBy(({ fn }) => fn.max('message.sequence'), 'desc')
      .limit(TAG_SETS_MAX)
      .execute()
    const counts = new Map<string, number>()
    for (const { tags, count } of rows) {
      for (const tag of toTags(tags)) counts.set(tag, (counts.get(tag) ?? 0) + Number(count))
    }
    const shown = [...counts].sort(([, a], [, b]) => b - a).slice(0, TAGS_MAX)
    return new Map(shown.sort(([a], [b]) => a.localeCompare(b, 'en')))
  }

  /** The messages that have a tag, in any case, with all their tags. */
  async listTagged(
    owner: AccountId,
    inboxIds: readonly InboxId[],
    tag: string,
  ): Promise<(CatchAllRef & { readonly tags: readonly string[] })[]> {
    const folded = tag.toLowerCase()
    const pattern = `%${JSON.stringify(folded).replace(/[!%_]/g, '!$&')}%`
    const rows = await this.#owned(owner, inboxIds)
      .select(['message.id', 'message.inbox_id', 'message.tags'])
      .where(sql<boolean>`lower(message.tags) like ${pattern} escape '!'`)
      .execute()
    return rows.map((row) => ({
      messageId: row.id,
      inboxId: row.inbox_id,
      tags: toTags(row.tags),
    }))
  }

  /** Sets the tags of messages that `findRefs` or `listTagged` returned. In a transaction. */
  async setTags(refs: readonly CatchAllRef[], tags: readonly string[]): Promise<void> {
    const { isAmong, forUpdate } = this.#dialect
    const inboxIds = refs.map(({ inboxId }) => inboxId)
    // The inboxes first, in the order of their ids: so does receiving, which deletes messages.
    await sql`select id from inbox where ${isAmong('id', inboxIds)}
      order by id${sql.raw(forUpdate)}`.execute(this.#db)
    const ids = refs.map(({ messageId }) => messageId)
    await this.#db
      .updateTable('message')
      .set({ tags: JSON.stringify(tags) })
      .where(isAmong('id', ids))
      .execute()
  }

  #owned(owner: AccountId, inboxIds: readonly InboxId[]) {
    return this.#db
      .selectFrom('message')
      .innerJoin('inbox', 'inbox.id', 'message.inbox_id')
      .where('inbox.account_id', '=', owner)
      .where('inbox.keep_messages', 'is not', null)
      .where(this.#dialect.isAmong('inbox.id', inboxIds))
  }
}

function toTags(json: string | null): readonly string[] {
  // Written by `Mails.add` and `setTags`.
  return json === null ? [] : (JSON.parse(json) as string[])
}
