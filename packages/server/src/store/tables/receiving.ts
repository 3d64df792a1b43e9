import type { AccountId, InboxId } from '@mayfly/contract'
import type { Kysely } from 'kysely'
import type { Dialect } from '../dialect.ts'
import { executeRows, type RowsStatement } from '../insert-rows.ts'
import type { Schema } from '../schema.ts'
import type { Statements } from '../statements.ts'

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

type RoomRow = {
  id: InboxId
  account_id: AccountId
  address: string
  message_count: number
  size_bytes: number
  last_sequence: number
}

const asInteger = (placeholder: string) => `cast(${placeholder} as bigint)`

/** Both databases call the columns of a list of values so. */
const GROW: RowsStatement = {
  name: 'inbox growth',
  sql: (values) =>
    `update inbox set message_count = grown.column2, size_bytes = grown.column3,
       last_sequence = grown.column4
     from (values ${values}) as grown where inbox.id = grown.column1`,
  values: [(placeholder) => placeholder, asInteger, asInteger, asInteger],
}

/** Queries of the receiving side. None takes an owner: the sender of a mail has no account. */
export class ReceivingQueries {
  readonly #db: Kysely<Schema>
  readonly #dialect: Dialect
  readonly #statements: Statements

  constructor(db: Kysely<Schema>, dialect: Dialect, statements: Statements) {
    this.#db = db
    this.#dialect = dialect
    this.#statements = statements
  }

  /** The inbox that an address names, in whatever state; the newest that held it. */
  async findRecipient(address: string): Promise<Recipient | null> {
    const [row] = await this.#statements.run<RecipientRow>(
      `select inbox.id, inbox.account_id, inbox.address, inbox.expires_at,
           coalesce(inbox.suspended_at, account.suspended_at) as suspended,
           inbox.message_count, inbox.size_bytes
         from address
         join inbox on inbox.id = address.inbox_id
         join account on account.id = inbox.account_id
         where address.address = ${this.#dialect.placeholder(1)}`,
      [address],
    )
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

  /** Unexpired inboxes that have one of these addresses. */
  async listByAddress(
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
    const rows = await this.#statements.run<RoomRow>(
      `select id, account_id, address, message_count, size_bytes, last_sequence from inbox
         where id ${this.#dialect.among(1)} order by id${this.#dialect.forUpdate}`,
      [this.#dialect.list(ids)],
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

  /** Writes how full inboxes are now. */
  async grow(inboxes: readonly InboxGrowth[]): Promise<void> {
    const rows = inboxes.map((inbox) => [
      inbox.id,
      inbox.messageCount,
      inbox.sizeBytes,
      inbox.lastSequence,
    ])
    await executeRows({ statements: this.#statements, dialect: this.#dialect }, GROW, rows)
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
