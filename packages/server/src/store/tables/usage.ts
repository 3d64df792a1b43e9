import type { AccountId, Environment } from '@mayfly/contract'
import { type Kysely, sql } from 'kysely'
import type { Dialect } from '../dialect.ts'
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
  readonly #dialect: Dialect

  constructor(db: Kysely<Schema>, dialect: Dialect) {
    this.#db = db
    this.#dialect = dialect
  }

  /** Adds to the usage of a day, unless the account was purged or is being purged. */
  async add(addition: UsageAddition): Promise<void> {
    const { accountId, date, environment, requests, inboxes } = addition
    await sql`insert into usage_day (account_id, date, environment, requests, inboxes)
      select id, ${date}, ${environment}, ${requests}, ${inboxes} from account
      where id = ${accountId}${sql.raw(this.#dialect.skipDeleted)}
      on conflict (account_id, date, environment) do update set
        requests = usage_day.requests + excluded.requests,
        inboxes = usage_day.inboxes + excluded.inboxes`.execute(this.#db)
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
