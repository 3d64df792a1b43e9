import type { Kysely } from 'kysely'
import type { Schema } from '../schema.ts'

const WEBHOOKS = 'webhooks'

/** Generated keys for sealing secrets, shared by all nodes; used when none is configured. */
export class SecretKeys {
  readonly #db: Kysely<Schema>

  constructor(db: Kysely<Schema>) {
    this.#db = db
  }

  /** The key for webhook secrets, or null. */
  async find(): Promise<string | null> {
    const row = await this.#db
      .selectFrom('secret_key')
      .select('value')
      .where('name', '=', WEBHOOKS)
      .executeTakeFirst()
    return row?.value ?? null
  }

  /** Stores this key unless there is one already; returns the stored one. */
  async addOrFind(value: string, now: number): Promise<string> {
    await this.#db
      .insertInto('secret_key')
      .values({ name: WEBHOOKS, value, created_at: now })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute()
    return (await this.find()) ?? value
  }
}
