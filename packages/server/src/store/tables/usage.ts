import type { AccountId, Environment } from '@mayfly/contract'
import { type Kysely, sql } from 'kysely'
import type { Schema } from '../schema.ts'

/** Usage of one account with keys of one environment on one UTC day. */
export type UsageRow = {
  readonly date: string
  readonly environment: Environment
  readonly requests: number
  readonly inboxes: number
}

/** Usage to add to a day. */
export type UsageAddition = UsageRow & { readonly accountId: AccountId }

/** Usage by account and day. */
export class Usage {
  readonly #db: Kysely<Schema>

  constructor(db: Kysely<Schema>) {
    this.#db = db
  }

  /** Adds to the usage of a day. */
  async add(addition: UsageAddition): Promise<void> {
    const { accountId, date, environment, requests, inboxes } = addition
    await this.#db
      .insertInto('usage_day')
      .values({ account_id: accountId, date, environment, requests, inboxes })
      .onConflict((conflict) =>
        conflict.columns(['account_id', 'date', 'environment']).doUpdateSet({
          requests: sql<number>`usage_day.requests + ${requests}`,
          inboxes: sql<number>`usage_day.inboxes + ${inboxes}`,
        }),
      )
      .execute()
  }

  /** Deletes usage of days before `date`; returns how many rows. */
  async deleteOld(date: string, limit: number): Promise<number> {
    const { numAffectedRows = 0n } = await sql`delete from usage_day
      where (account_id, date, environment) in (select account_id, date, environment
        from usage_day where date < ${date} order by date limit ${limit})`.execute(this.#db)
    return Number(numAffectedRows)
  }

  /** Rows of the days from `from` to `to`, both included, oldest first. */
  async list(owner: AccountId, from: string, to: string): Promise<UsageRow[]> {
    return this.#db
      .selectFrom('usage_day')
      .select(['date', 'environment', 'requests', 'inboxes'])
      .where('account_id', '=', owner)
      .where('date', '>=', from)
      .where('date', '<=', to)
      .orderBy('date')
      .execute()
  }
}
