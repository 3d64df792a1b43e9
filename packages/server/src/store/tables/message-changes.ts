import type { AccountId, InboxId, MessageId } from '@mayfly/contract'
import { type DeleteQueryBuilder, type DeleteResult, type Kysely, sql } from 'kysely'
import type { Dialect } from '../dialect.ts'
import type { Schema } from '../schema.ts'

/** A message that was deleted, and its mail. */
export type DeletedMessage = {
  readonly id: MessageId
  readonly mailId: string
  readonly sizeBytes: number
}

type Deletion = DeleteQueryBuilder<Schema, 'message', DeleteResult>

/** Changes to stored messages. To be used in a transaction: the inbox counts its messages. */
export class MessageChanges {
  readonly #db: Kysely<Schema>
  readonly #dialect: Dialect

  constructor(db: Kysely<Schema>, dialect: Dialect) {
    this.#db = db
    this.#dialect = dialect
  }

  /** Marks messages as read or unread; returns those that were not so already. */
  async setRead(
    owner: AccountId,
    { inboxId, ids }: { readonly inboxId: InboxId; readonly ids: readonly MessageId[] },
    isRead: boolean,
  ): Promise<readonly MessageId[]> {
    if (!(await this.#lockInbox(owner, inboxId))) return []
    const changed = await this.#db
      .updateTable('message')
      .set({ is_read: isRead ? 1 : 0 })
      .where('inbox_id', '=', inboxId)
      .where('is_read', '=', isRead ? 0 : 1)
      .where(this.#dialect.isAmong('id', ids))
      .returning('id')
      .execute()
    if (changed.length === 0) return []
    await this.#db
      .updateTable('inbox')
      .set((to) => ({ read_count: to('read_count', isRead ? '+' : '-', changed.length) }))
      .where('id', '=', inboxId)
      .execute()
    return changed.map(({ id }) => id)
  }

  /**
   * Deletes messages of an inbox, or all of them; null when there is no such inbox. Numbers are not
   * used again. `Mails.deleteUnshared` deletes the mails, which other inboxes may share.
   */
  async delete(
    owner: AccountId,
    inboxId: InboxId,
    selection: readonly MessageId[] | 'all',
  ): Promise<readonly DeletedMessage[] | null> {
    if (!(await this.#lockInbox(owner, inboxId))) return null
    return this.#delete(inboxId, (deletion) =>
      selection === 'all' ? deletion : deletion.where(this.#dialect.isAmong('id', selection)),
    )
  }

  async #delete(
    inboxId: InboxId,
    choose: (deletion: Deletion) => Deletion,
  ): Promise<readonly DeletedMessage[]> {
    const rows = await choose(this.#db.deleteFrom('message').where('inbox_id', '=', inboxId))
      .returning(['id', 'mail_id', 'size_bytes', 'is_read'])
      .execute()
    if (rows.length === 0) return []
    const sizeBytes = rows.reduce((sum, row) => sum + row.size_bytes, 0)
    const readCount = rows.filter((row) => row.is_read === 1).length
    await this.#db
      .updateTable('inbox')
      .set((change) => ({
        message_count: change('message_count', '-', rows.length),
        size_bytes: change('size_bytes', '-', sizeBytes),
        read_count: change('read_count', '-', readCount),
      }))
      .where('id', '=', inboxId)
      .execute()
    return rows.map((row) => ({ id: row.id, mailId: row.mail_id, sizeBytes: row.size_bytes }))
  }

  /**
   * Deletes the oldest messages of an inbox that the caller has locked: as many messages, and at
   * least as many bytes. `Mails.deleteUnshared` deletes their mails.
   */
  async deleteOldest(
    inboxId: InboxId,
    excess: { readonly messages: number; readonly bytes: number },
  ): Promise<readonly DeletedMessage[]> {
    const oldest = await this.#db
      .selectFrom('message')
      .select(['id', 'size_bytes'])
      .where('inbox_id', '=', inboxId)
      .orderBy('sequence')
      .$if(excess.bytes <= 0, (query) => query.limit(excess.messages))
      .execute()
    let bytes = 0
    const ids: MessageId[] = []
    for (const { id, size_bytes } of oldest) {
      if (ids.length >= excess.messages && bytes >= excess.bytes) break
      bytes += size_bytes
      ids.push(id)
    }
    const among = this.#dialect.isAmong('id', ids)
    return this.#delete(inboxId, (deletion) => deletion.where(among))
  }

  /** Locked as receiving locks it, which writes the counts that it read; false without it. */
  async #lockInbox(owner: AccountId, id: InboxId): Promise<boolean> {
    const { rows } = await sql`select id from inbox
      where account_id = ${owner} and id = ${id}${sql.raw(this.#dialect.forUpdate)}`.execute(
      this.#db,
    )
    return rows.length === 1
  }
}
