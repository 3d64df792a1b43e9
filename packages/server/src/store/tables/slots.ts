import type { AccountId } from '@mayfly/contract'
import type { Kysely } from 'kysely'
import type { Dialect } from '../dialect.ts'
import type { Schema, SlotKind } from '../schema.ts'

/** A slot as its holder names it. */
export type ClaimedSlot = {
  readonly kind: SlotKind
  readonly number: number
  readonly token: string
}

/** A claim of a slot. */
export type SlotClaim = ClaimedSlot & {
  readonly node: string
  readonly leasedUntil: number
  readonly now: number
}

/** The numbered slots of accounts, leased: those of a crashed node become free again. */
export class Slots {
  readonly #db: Kysely<Schema>
  readonly #dialect: Dialect

  constructor(db: Kysely<Schema>, dialect: Dialect) {
    this.#db = db
    this.#dialect = dialect
  }

  /** Numbers of the taken slots of a kind. */
  async listTaken(owner: AccountId, kind: SlotKind, now: number): Promise<number[]> {
    const rows = await this.#db
      .selectFrom('slot')
      .select('number')
      .where('account_id', '=', owner)
      .where('kind', '=', kind)
      .where('leased_until', '>', now)
      .execute()
    return rows.map((row) => row.number)
  }

  /** Claims a slot; false when it is taken. One statement, so that only one of several succeeds. */
  async claim(owner: AccountId, claim: SlotClaim): Promise<boolean> {
    const { kind, number, token, node, leasedUntil, now } = claim
    const taken = await this.#db
      .insertInto('slot')
      .values({ account_id: owner, kind, number, token, node, leased_until: leasedUntil })
      .onConflict((conflict) =>
        conflict
          .columns(['account_id', 'kind', 'number'])
          .doUpdateSet({ token, node, leased_until: leasedUntil })
          .where('slot.leased_until', '<=', now),
      )
      .returning('number')
      .execute()
    return taken.length === 1
  }

  /** Releases a slot, unless its lease expired and another holder has it. */
  async release(owner: AccountId, { kind, number, token }: ClaimedSlot): Promise<void> {
    await this.#db
      .deleteFrom('slot')
      .where('account_id', '=', owner)
      .where('kind', '=', kind)
      .where('number', '=', number)
      .where('token', '=', token)
      .execute()
  }

  /** Extends the leases of slots of a node. */
  async renew(node: string, tokens: readonly string[], leasedUntil: number): Promise<void> {
    await this.#db
      .updateTable('slot')
      .set({ leased_until: leasedUntil })
      .where('node', '=', node)
      .where(this.#dialect.isAmong('token', tokens))
      .execute()
  }

  /** Deletes slots whose lease expired. */
  async deleteEnded(now: number): Promise<void> {
    await this.#db.deleteFrom('slot').where('leased_until', '<=', now).execute()
  }
}
