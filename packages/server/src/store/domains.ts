import type { AccountId } from '@mayfly/contract'
import type { Kysely } from 'kysely'
import type { Schema } from './schema.ts'

/** Receiving domains: accounts' own, and how each fares. */
export class Domains {
  readonly #db: Kysely<Schema>

  constructor(db: Kysely<Schema>) {
    this.#db = db
  }

  /** Names of the account's active custom domains. */
  async listActive(owner: AccountId): Promise<string[]> {
    const rows = await this.#db
      .selectFrom('custom_domain')
      .select('domain')
      .where('account_id', '=', owner)
      .where('state', '=', 'active')
      .orderBy('domain')
      .execute()
    return rows.map((row) => row.domain)
  }

  /** Where a custom domain stands; null when nobody has registered it. */
  async findState(domain: string): Promise<'pending' | 'verified' | 'active' | null> {
    const row = await this.#db
      .selectFrom('custom_domain')
      .select('state')
      .where('domain', '=', domain)
      .executeTakeFirst()
    return row?.state ?? null
  }

  /** Refused recipients on each of these domains since then. */
  async countRefusals(domains: readonly string[], since: number): Promise<Map<string, number>> {
    const rows = await this.#db
      .selectFrom('domain_refusal')
      .select(({ fn }) => ['domain', fn.sum<number>('refusals').as('count')])
      .where('domain', 'in', domains)
      .where('hour_at', '>=', since)
      .groupBy('domain')
      .execute()
    return new Map(rows.map((row) => [row.domain, row.count]))
  }
}
