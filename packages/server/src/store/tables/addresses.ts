import type { AccountId, InboxId } from '@mayfly/contract'
import { type Kysely, sql } from 'kysely'
import type { Schema } from '../schema.ts'

/** How long a released address is reserved for its last account. */
const RESERVED_MS = 30 * 24 * 60 * 60 * 1000

/** A claim of an address. */
export type AddressClaim = {
  readonly address: string
  readonly inboxId: InboxId
  readonly occupiedUntil: number
  readonly now: number
}

/** Addresses and their owners. */
export class Addresses {
  readonly #db: Kysely<Schema>

  constructor(db: Kysely<Schema>) {
    this.#db = db
  }

  /**
   * Takes an address; false when it is in use, or still reserved for another account. One
   * statement, so that only one of several concurrent calls succeeds.
   */
  async claim(owner: AccountId, claim: AddressClaim): Promise<boolean> {
    const { address, inboxId, occupiedUntil, now } = claim
    const taken = await this.#db
      .insertInto('address')
      .values({
        address,
        account_id: owner,
        inbox_id: inboxId,
        occupied_until: occupiedUntil,
      })
      .onConflict((conflict) =>
        conflict
          .column('address')
          .doUpdateSet({ account_id: owner, inbox_id: inboxId, occupied_until: occupiedUntil })
          .where('address.occupied_until', '<=', now)
          .where((where) =>
            where.or([
              where('address.account_id', '=', owner),
              where('address.occupied_until', '<=', now - RESERVED_MS),
            ]),
          ),
      )
      .returning('address')
      .execute()
    return taken.length === 1
  }

  /** The account that has an address, or for which it is still reserved; null when it is free. */
  async findHolder(address: string, now: number): Promise<AccountId | null> {
    const row = await this.#db
      .selectFrom('address')
      .select('account_id')
      .where('address', '=', address)
      .where('occupied_until', '>', now - RESERVED_MS)
      .executeTakeFirst()
    return row?.account_id ?? null
  }

  /** Deletes addresses that are no longer reserved for anybody, the oldest; returns how many. */
  async deleteFree(now: number, limit: number): Promise<number> {
    const { numAffectedRows = 0n } = await sql`delete from address where address in (
      select address from address where occupied_until <= ${now - RESERVED_MS}
      order by occupied_until limit ${limit}) and occupied_until <= ${now - RESERVED_MS}
    `.execute(this.#db)
    return Number(numAffectedRows)
  }

  /** Releases the address of an inbox, if the inbox still has it. */
  async release(inboxId: InboxId, address: string, now: number): Promise<void> {
    await this.#db
      .updateTable('address')
      .set({ occupied_until: now })
      .where('address', '=', address)
      .where('inbox_id', '=', inboxId)
      .where('occupied_until', '>', now)
      .execute()
  }
}
