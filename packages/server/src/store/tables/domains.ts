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

/** A domain whose removal was begun. */
export type RemovedDomain = Pick<CustomDomain, 'accountId' | 'domain'>

/** The claims of a domain and of an account. */
type ClaimsAmong = { readonly domain: string; readonly owner: AccountId }

/**
 * The values of a domain that is being removed: its row is kept until its inboxes have expired.
 * Without its challenge, a running check is not recorded.
 */
const REMOVED = {
  state: 'pending',
  challenge: '',
  unproven_since: -1,
  next_check_at: null,
} as const

/** Whether an inbox is on a domain that is being removed; `owner` is the account of the inbox. */
export const isOnRemovedDomain = (inbox: { readonly domain: string; readonly owner: string }) =>
  `exists (select 1 from custom_domain where custom_domain.domain = ${inbox.domain}
    and custom_domain.account_id = ${inbox.owner}
    and custom_domain.unproven_since = ${REMOVED.unproven_since})`

const isKept = sql<boolean>`coalesce(unproven_since, 1) <> ${sql.lit(REMOVED.unproven_since)}`

const isClaimAmong = (among: ClaimsAmong | undefined) =>
  among === undefined
    ? sql<boolean>`1 = 1`
    : sql<boolean>`(domain = ${among.domain} or account_id = ${among.owner})`

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
      .where(isKept)
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
      .where(isKept)
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
      .where(isKept)
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
      .where(isKept)
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

  /**
   * Begins to remove a domain: from now on queries skip it, and its inboxes get no mail. False when
   * the account has no such domain.
   */
  async beginRemoval(owner: AccountId, domain: string): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable('custom_domain')
      .set(REMOVED)
      .where('account_id', '=', owner)
      .where('domain', '=', domain)
      .where(isKept)
      .executeTakeFirst()
    return numUpdatedRows === 1n
  }

  /** Begins to remove claims without proof since then: all, or those of a domain or an account. */
  async removeLapsed(unprovenSince: number, among?: ClaimsAmong): Promise<void> {
    await this.#db
      .updateTable('custom_domain')
      .set(REMOVED)
      .where('unproven_since', '<=', unprovenSince)
      .where(isKept)
      .where(isClaimAmong(among))
      .execute()
  }

  /** Domains whose removal was begun: all, or those of a domain or an account. */
  async listRemoved(among?: ClaimsAmong): Promise<RemovedDomain[]> {
    const rows = await this.#db
      .selectFrom('custom_domain')
      .select(['account_id', 'domain'])
      .where('unproven_since', '=', REMOVED.unproven_since)
      .where(isClaimAmong(among))
      .execute()
    return rows.map((row) => ({ accountId: row.account_id, domain: row.domain }))
  }

  /** Whether the removal of a domain was begun and has not ended. */
  async isRemoved({ accountId, domain }: RemovedDomain): Promise<boolean> {
    const row = await this.#db
      .selectFrom('custom_domain')
      .select('domain')
      .where('account_id', '=', accountId)
      .where('domain', '=', domain)
      .where('unproven_since', '=', REMOVED.unproven_since)
      .executeTakeFirst()
    return row !== undefined
  }

  /** Ends the removal of a domain: anyone may claim it. */
  async endRemoval({ accountId, domain }: RemovedDomain): Promise<void> {
    await this.#db
      .deleteFrom('custom_domain')
      .where('account_id', '=', accountId)
      .where('domain', '=', domain)
      .where('unproven_since', '=', REMOVED.unproven_since)
      .execute()
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
