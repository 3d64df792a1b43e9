import type { Kysely } from 'kysely'
import type { Schema } from '../schema.ts'

const WEBHOOKS = 'webhooks'

/** Keys for sealing secrets, shared by nodes whose operator configured none. */
export class SecretKeys {
  readonly #db: Kysely<Schema>

  constructor(db: Kysely<Schema>) {
    this.#db = db
  }

  /** The key for the secrets of webhooks, or null. */
  async find(): Promise<string | null> {
    const row = await this.#db
      .selectFrom('secret_key')
      .select('value')
      .where('name', '=', WEBHOOKS)
      .executeTakeFirst()
    return row?.value ?? null
  }

  /** Keeps this key unless there is one; whichever of them is kept. */
  async keep(value: string, now: number): Promise<string> {
    await this.#db
      .insertInto('secret_key')
      .values({ name: WEBHOOKS, value, created_at: now })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute()
    return (await this.find()) ?? value
  }
}
