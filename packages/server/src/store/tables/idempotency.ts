import type { AccountId } from '@mayfly/contract'
import type { Kysely } from 'kysely'
import type { Schema } from '../schema.ts'

/** How long a repeated key gets the stored response. */
const HONOURED_MS = 24 * 60 * 60 * 1000

/** Idempotency-Keys and the responses stored with them. */
export class IdempotencyKeys {
  readonly #db: Kysely<Schema>

  constructor(db: Kysely<Schema>) {
    this.#db = db
  }

  /**
   * Claims the key in this transaction and returns null, or returns the response stored with it. A
   * concurrent transaction with the same key waits for the end of this one.
   */
  async takeOrRecall(owner: AccountId, key: string, now: number): Promise<string | null> {
    const taken = await this.#db
      .insertInto('idempotency_key')
      .values({ account_id: owner, key, created_at: now, answer: null })
      .onConflict((conflict) =>
        conflict
          .columns(['account_id', 'key'])
          .doUpdateSet({ created_at: now, answer: null })
          .where('idempotency_key.created_at', '<=', now - HONOURED_MS),
      )
      .returning('key')
      .execute()
    if (taken.length === 1) return null
    const row = await this.#db
      .selectFrom('idempotency_key')
      .select('answer')
      .where('account_id', '=', owner)
      .where('key', '=', key)
      .executeTakeFirstOrThrow()
    return row.answer
  }

  /** Stores the response of the key that this transaction has claimed. */
  async keep(owner: AccountId, key: string, answer: string): Promise<void> {
    await this.#db
      .updateTable('idempotency_key')
      .set({ answer })
      .where('account_id', '=', owner)
      .where('key', '=', key)
      .execute()
  }

  /** Lets a key go: the next call with it is made. */
  async forget(owner: AccountId, key: string): Promise<void> {
    await this.#db
      .deleteFrom('idempotency_key')
      .where('account_id', '=', owner)
      .where('key', '=', key)
      .execute()
  }

  /** Deletes keys that are no longer honoured. */
  async deleteOld(now: number): Promise<void> {
    await this.#db
      .deleteFrom('idempotency_key')
      .where('created_at', '<=', now - HONOURED_MS)
      .execute()
  }
}
