import type { AccountId, DomainState } from '@mayfly/contract'
import { type Kysely, type Selectable, sql } from 'kysely'
import type { Schema } from '../schema.ts'

/** A custom domain as it is written. */
export type NewCustomDomain = {
  readonly domain: string
  readonly challenge: string
  readonly createdAt: number
}

/** A custom domain of an account. */
export type CustomDomain = NewCustomDomain & {
  readonly accountId: AccountId
  readonly state: DomainState
  readonly verifiedAt: number | null
  readonly activeAt: number | null
  readonly lastCheckedAt: number | null
  /** When its proof was first missing; null while it is there. */
  readonly unprovenSince: number | null
}

/** Custom domains, and refusals counted by domain. */
export class Domains {
  readonly #db: Kysely<Schema>

  constructor(db: Kysely<Schema>) {
    this.#db = db
  }

  /** Claims a domain, unproven; null when it is claimed already. */
  async add(owner: AccountId, claim: NewCustomDomain): Promise<CustomDomain | null> {
    const row = await this.#db
      .insertInto('custom_domain')
      .values({
        domain: claim.domain,
        account_id: owner,
        state: 'pending',
        challenge: claim.challenge,
        created_at: claim.createdAt,
        verified_at: null,
        active_at: null,
        last_checked_at: null,
        unproven_since: claim.createdAt,
        next_check_at: null,
      })
      .onConflict((conflict) => conflict.column('domain').doNothing())
      .returningAll()
      .executeTakeFirst()
    return row === undefined ? null : toDomain(row)
  }

  /** The account's domains in any state, by name. */
  async list(owner: AccountId): Promise<CustomDomain[]> {
    const rows = await this.#db
      .selectFrom('custom_domain')
      .selectAll()
      .where('account_id', '=', owner)
      .orderBy('domain')
      .execute()
    return rows.map(toDomain)
  }

  /** The number of domains that the account has claimed. */
  async count(owner: AccountId): Promise<number> {
    const { count } = await this.#db
      .selectFrom('custom_domain')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('account_id', '=', owner)
      .executeTakeFirstOrThrow()
    return count
  }

  /** The account's domain with this name, or null. */
  async find(owner: AccountId, domain: string): Promise<CustomDomain | null> {
    const row = await this.#db
      .selectFrom('custom_domain')
      .selectAll()
      .where('account_id', '=', owner)
      .where('domain', '=', domain)
      .executeTakeFirst()
    return row === undefined ? null : toDomain(row)
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

  /** Whose custom domain this is, whatever the account; null when it is not registered. */
  async findClaim(domain: string): Promise<Pick<CustomDomain, 'accountId' | 'state'> | null> {
    const row = await this.#db
      .selectFrom('custom_domain')
      .select(['account_id', 'state'])
      .where('domain', '=', domain)
      .executeTakeFirst()
    return row === undefined ? null : { accountId: row.account_id, state: row.state }
  }

  /** Writes a domain after a check; false when its claim was removed or replaced meanwhile. */
  async update(domain: CustomDomain, nextCheckAt: number | null): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable('custom_domain')
      .set({
        state: domain.state,
        verified_at: domain.verifiedAt,
        active_at: domain.activeAt,
        last_checked_at: domain.lastCheckedAt,
        unproven_since: domain.unprovenSince,
        next_check_at: nextCheckAt,
      })
      .where('account_id', '=', domain.accountId)
      .where('domain', '=', domain.domain)
      .where('challenge', '=', domain.challenge)
      .executeTakeFirst()
    return numUpdatedRows === 1n
  }

  /**
   * Takes domains that are due for a check, and makes them due again at `retryAt`. A concurrent
   * call waits for the rows and then finds them not due.
   */
  async takeDue(due: {
    readonly now: number
    readonly retryAt: number
    readonly limit: number
  }): Promise<CustomDomain[]> {
    const rows = await this.#db
      .updateTable('custom_domain')
      .set({ next_check_at: due.retryAt })
      .where('next_check_at', '<=', due.now)
      .where(
        'domain',
        'in',
        sql<string>`(select domain from custom_domain where next_check_at <= ${due.now}
          order by next_check_at limit ${due.limit})`,
      )
      .returningAll()
      .execute()
    return rows.map(toDomain)
  }

  /** Removes a domain; false when the account has no such domain. */
  async remove(owner: AccountId, domain: string): Promise<boolean> {
    const { numDeletedRows } = await this.#db
      .deleteFrom('custom_domain')
      .where('account_id', '=', owner)
      .where('domain', '=', domain)
      .executeTakeFirst()
    return numDeletedRows === 1n
  }

  /** Claims without proof since then. */
  async listLapsed(unprovenSince: number): Promise<CustomDomain[]> {
    const rows = await this.#db
      .selectFrom('custom_domain')
      .selectAll()
      .where('unproven_since', '<=', unprovenSince)
      .execute()
    return rows.map(toDomain)
  }

  /** Removes claims without proof since then: that of a domain, and those of an account. */
  async removeLapsed(
    unprovenSince: number,
    among: { readonly domain: string; readonly owner?: AccountId },
  ): Promise<CustomDomain[]> {
    const { domain, owner } = among
    const rows = await this.#db
      .deleteFrom('custom_domain')
      .where('unproven_since', '<=', unprovenSince)
      .where((where) =>
        where.or([
          where('domain', '=', domain),
          ...(owner === undefined ? [] : [where('account_id', '=', owner)]),
        ]),
      )
      .returningAll()
      .execute()
    return rows.map(toDomain)
  }

  /** Deletes the counts of refused recipients from before then. */
  async deleteRefusals(before: number): Promise<void> {
    await this.#db.deleteFrom('domain_refusal').where('hour_at', '<', before).execute()
  }

  /** Refused recipients of each of these domains since then. */
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

function toDomain(row: Selectable<Schema['custom_domain']>): CustomDomain {
  return {
    domain: row.domain,
    accountId: row.account_id,
    state: row.state,
    challenge: row.challenge,
    createdAt: row.created_at,
    verifiedAt: row.verified_at,
    activeAt: row.active_at,
    lastCheckedAt: row.last_checked_at,
    unprovenSince: row.unproven_since,
  }
}
