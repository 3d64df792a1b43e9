import type { AccountId } from '@mayfly/contract'
import type { Kysely } from 'kysely'
import type { Schema } from '../schema.ts'

/** For how long a repeat gets the first answer. */
const HONOURED_MS = 24 * 60 * 60 * 1000

/** Answers that are given again when the same Idempotency-Key comes again. */
export class IdempotencyKeys {
  readonly #db: Kysely<Schema>

  constructor(db: Kysely<Schema>) {
    this.#db = db
  }

  /**
   * Takes the key for this transaction and returns null, or returns the answer that was
   * given to it before. A transaction that takes it at the same time waits for our end.
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

  /** Keeps the answer beside the key taken in this transaction. */
  async keep(owner: AccountId, key: string, answer: string): Promise<void> {
    await this.#db
      .updateTable('idempotency_key')
      .set({ answer })
      .where('account_id', '=', owner)
      .where('key', '=', key)
      .execute()
  }

  /** Forgets keys that are no longer honoured. */
  async forgetOld(now: number): Promise<void> {
    await this.#db
      .deleteFrom('idempotency_key')
      .where('created_at', '<=', now - HONOURED_MS)
      .execute()
  }
}
