import type { AccountId } from '@mayfly/contract'
import type { Kysely } from 'kysely'
import type { Dialect } from '../dialect.ts'
import type { Schema } from '../schema.ts'

/** A claim of one numbered slot of an account. */
export type WaitSlotClaim = {
  readonly number: number
  readonly token: string
  readonly node: string
  readonly leasedUntil: number
  readonly now: number
}

/** Slots of waits, streams and link fetches, leased: those of a crashed node become free again. */
export class WaitSlots {
  readonly #db: Kysely<Schema>
  readonly #dialect: Dialect

  constructor(db: Kysely<Schema>, dialect: Dialect) {
    this.#db = db
    this.#dialect = dialect
  }

  /** Numbers of the slots that are held, of `count` numbers above one. */
  async listHeld(
    owner: AccountId,
    { above, count }: { readonly above: number; readonly count: number },
    now: number,
  ): Promise<number[]> {
    const rows = await this.#db
      .selectFrom('wait_slot')
      .select('number')
      .where('account_id', '=', owner)
      .where('number', '>', above)
      .where('number', '<=', above + count)
      .where('leased_until', '>', now)
      .execute()
    return rows.map((row) => row.number)
  }

  /** Takes a slot; false when it is held. One statement, so that only one of several succeeds. */
  async claim(owner: AccountId, claim: WaitSlotClaim): Promise<boolean> {
    const { number, token, node, leasedUntil, now } = claim
    const taken = await this.#db
      .insertInto('wait_slot')
      .values({ account_id: owner, number, token, node, leased_until: leasedUntil })
      .onConflict((conflict) =>
        conflict
          .columns(['account_id', 'number'])
          .doUpdateSet({ token, node, leased_until: leasedUntil })
          .where('wait_slot.leased_until', '<=', now),
      )
      .returning('number')
      .execute()
    return taken.length === 1
  }

  /** Releases a slot, unless its lease expired and another wait has it. */
  async release(owner: AccountId, number: number, token: string): Promise<void> {
    await this.#db
      .deleteFrom('wait_slot')
      .where('account_id', '=', owner)
      .where('number', '=', number)
      .where('token', '=', token)
      .execute()
  }

  /** Extends the leases of slots of a node. */
  async renew(node: string, tokens: readonly string[], leasedUntil: number): Promise<void> {
    await this.#db
      .updateTable('wait_slot')
      .set({ leased_until: leasedUntil })
      .where('node', '=', node)
      .where(this.#dialect.isAmong('token', tokens))
      .execute()
  }

  /** Deletes slots whose lease expired. */
  async deleteEnded(now: number): Promise<void> {
    await this.#db.deleteFrom('wait_slot').where('leased_until', '<=', now).execute()
  }
}
