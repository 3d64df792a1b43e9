import type { AccountId, InboxId } from '@mayfly/contract'
import { CompiledQuery, type Kysely, sql } from 'kysely'
import type { Dialect } from './dialect.ts'
import type { Schema } from './schema.ts'

/** What receiving needs to know of an inbox before it takes mail for it. */
export type Recipient = {
  readonly inboxId: InboxId
  readonly accountId: AccountId
  readonly address: string
  readonly expiresAt: number
  readonly isSuspended: boolean
  readonly messageCount: number
  readonly sizeBytes: number
}

/** How full an inbox is, read for the transaction that adds to it. */
export type InboxRoom = {
  readonly id: InboxId
  readonly accountId: AccountId
  readonly address: string
  readonly messageCount: number
  readonly sizeBytes: number
  readonly lastSequence: number
}

/** What a transaction added to an inbox. */
export type InboxGrowth = Pick<InboxRoom, 'id' | 'messageCount' | 'sizeBytes' | 'lastSequence'>

type RecipientRow = {
  id: InboxId
  account_id: AccountId
  address: string
  expires_at: number
  suspended: number | null
  message_count: number
  size_bytes: number
}

/** The queries on the way of a mail into an inbox. Not by owner: the sender is nobody's caller. */
export class Arrivals {
  readonly #db: Kysely<Schema>
  readonly #dialect: Dialect

  constructor(db: Kysely<Schema>, dialect: Dialect) {
    this.#db = db
    this.#dialect = dialect
  }

  /** The inbox that an address names, in whatever state; the newest that held it. */
  async findRecipient(address: string): Promise<Recipient | null> {
    // Compiled once by hand: it runs for every recipient of every mail.
    const { rows } = await this.#db.executeQuery<RecipientRow>(
      CompiledQuery.raw(
        `select inbox.id, inbox.account_id, inbox.address, inbox.expires_at,
           coalesce(inbox.suspended_at, account.suspended_at) as suspended,
           inbox.message_count, inbox.size_bytes
         from address
         join inbox on inbox.id = address.inbox_id
         join account on account.id = inbox.account_id
         where address.address = ${this.#dialect.placeholder(1)}`,
        [address],
      ),
    )
    const [row] = rows
    if (row === undefined) return null
    return {
      inboxId: row.id,
      accountId: row.account_id,
      address: row.address,
      expiresAt: row.expires_at,
      isSuspended: row.suspended !== null,
      messageCount: row.message_count,
      sizeBytes: row.size_bytes,
    }
  }

  /** Unexpired inboxes among these addresses. */
  async findNamed(
    addresses: readonly string[],
    now: number,
  ): Promise<{ inboxId: InboxId; address: string }[]> {
    const rows = await this.#db
      .selectFrom('address')
      .innerJoin('inbox', 'inbox.id', 'address.inbox_id')
      .select(['inbox.id', 'address.address'])
      .where('address.address', 'in', addresses)
      .where('inbox.expires_at', '>', now)
      .execute()
    return rows.map((row) => ({ inboxId: row.id, address: row.address }))
  }

  /** How full these inboxes are; nobody else adds to them until the end of the transaction. */
  async lockRooms(ids: readonly InboxId[]): Promise<InboxRoom[]> {
    // In the order of their ids: two transactions that lock the same two must not cross.
    const { rows } = await sql<{
      id: InboxId
      account_id: AccountId
      address: string
      message_count: number
      size_bytes: number
      last_sequence: number
    }>`select id, account_id, address, message_count, size_bytes, last_sequence from inbox
       where id in (${sql.join(ids)}) order by id${sql.raw(this.#dialect.forUpdate)}`.execute(
      this.#db,
    )
    return rows.map((row) => ({
      id: row.id,
      accountId: row.account_id,
      address: row.address,
      messageCount: row.message_count,
      sizeBytes: row.size_bytes,
      lastSequence: row.last_sequence,
    }))
  }

  /** Writes how full an inbox is now. */
  async grow(inbox: InboxGrowth): Promise<void> {
    await this.#db
      .updateTable('inbox')
      .set({
        message_count: inbox.messageCount,
        size_bytes: inbox.sizeBytes,
        last_sequence: inbox.lastSequence,
      })
      .where('id', '=', inbox.id)
      .execute()
  }

  /** Stops an inbox; false when it is stopped or gone already. */
  async suspend(id: InboxId, at: number, reason: string): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable('inbox')
      .set({ suspended_at: at, suspended_reason: reason })
      .where('id', '=', id)
      .where('suspended_at', 'is', null)
      .executeTakeFirst()
    return numUpdatedRows === 1n
  }
}
