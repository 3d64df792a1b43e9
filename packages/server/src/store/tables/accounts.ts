import type { Account, AccountId, Plan } from '@mayfly/contract'
import type { Kysely } from 'kysely'
import type { Dialect } from '../dialect.ts'
import type { Schema } from '../schema.ts'
import { isoTime } from '../time.ts'

/** An account as it is written. */
export type NewAccount = {
  readonly id: AccountId
  readonly email: string
  readonly name: string | null
  readonly plan: Plan
  readonly createdAt: number
}

/** Accounts. */
export class Accounts {
  readonly #db: Kysely<Schema>
  readonly #dialect: Dialect

  constructor(db: Kysely<Schema>, dialect: Dialect) {
    this.#db = db
    this.#dialect = dialect
  }

  /** Writes an account; false when its email, or its id, is there already. */
  async add(account: NewAccount): Promise<boolean> {
    const { numInsertedOrUpdatedRows } = await this.#db
      .insertInto('account')
      .values({
        id: account.id,
        email: account.email,
        name: account.name,
        plan: account.plan,
        created_at: account.createdAt,
        suspended_at: null,
      })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst()
    return numInsertedOrUpdatedRows === 1n
  }

  /** Whether there is any account but this one. */
  async hasOthers(than: AccountId): Promise<boolean> {
    const row = await this.#db
      .selectFrom('account')
      .select('id')
      .where('id', '!=', than)
      .limit(1)
      .executeTakeFirst()
    return row !== undefined
  }

  /** The account with this id, or null. */
  async find(id: AccountId): Promise<Account | null> {
    const row = await this.#db
      .selectFrom('account')
      .leftJoin('external_identity', 'external_identity.account_id', 'account.id')
      .select(['id', 'email', 'name', 'plan', 'created_at', 'connected_at'])
      .where('id', '=', id)
      .executeTakeFirst()
    if (row === undefined) return null
    return {
      id: row.id,
      email: row.email,
      name: row.name,
      plan: row.plan,
      connected: row.connected_at !== null,
      createdAt: isoTime(row.created_at),
    }
  }

  /** Locks an account until the end of the transaction. */
  async lock(id: AccountId): Promise<void> {
    await this.#dialect.lockAccount(this.#db, id)
  }
}
