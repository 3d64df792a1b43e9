import type { AccountId, InboxId, Plan } from '@mayfly/contract'
import { type Kysely, sql } from 'kysely'
import type { Dialect } from '../dialect.ts'
import type { Schema } from '../schema.ts'
import { AccountRows } from './account-rows.ts'

/** An account as the operator sees it; times in milliseconds. */
export type AccountEntry = {
  readonly id: AccountId
  readonly email: string
  readonly plan: Plan
  readonly isConnected: boolean
  readonly createdAt: number
  readonly suspendedAt: number | null
  /** The cell that it is being moved to. */
  readonly movingTo: string | null
}

/** An account with the number of its keys and inboxes. */
export type AccountSummary = AccountEntry & {
  readonly activeKeys: number
  /** Unexpired ones. */
  readonly inboxes: number
}

/** An inbox as the operator sees it. */
export type InboxEntry = {
  readonly id: InboxId
  readonly accountId: AccountId
  readonly address: string
  readonly suspendedAt: number | null
}

/** The size of a database, and of its backlog. */
export type StoreOverview = {
  readonly accounts: number
  readonly newMessages: number
  /** When the oldest delivery that is still to be attempted was made; null without one. */
  readonly oldestRetryAt: number | null
  readonly diskBytes: number
}

/** Queries of the operator. None takes an owner: they reach all accounts. */
export class OperatorQueries {
  readonly #db: Kysely<Schema>
  readonly #dialect: Dialect
  /** Whole rows, for moving an account. */
  readonly rows: AccountRows

  constructor(db: Kysely<Schema>, dialect: Dialect) {
    this.#db = db
    this.rows = new AccountRows(db)
    this.#dialect = dialect
  }

  /** Accounts whose email contains a text, newest first. */
  async listAccounts(filter: {
    readonly emailContains: string
    readonly limit: number
    readonly now: number
  }): Promise<AccountSummary[]> {
    const rows = await this.#accounts()
      .select([
        sql<number>`(select count(*) from api_key where api_key.account_id = account.id
          and api_key.revoked_at is null)`.as('active_keys'),
        sql<number>`(select count(*) from inbox where inbox.account_id = account.id
          and inbox.expires_at > ${filter.now})`.as('inboxes'),
      ])
      .where('account.email', 'like', `%${withoutWildcards(filter.emailContains.toLowerCase())}%`)
      .orderBy('account.created_at', 'desc')
      .orderBy('account.id', 'desc')
      .limit(filter.limit)
      .execute()
    return rows.map((row) => ({
      ...toAccount(row),
      activeKeys: row.active_keys,
      inboxes: row.inboxes,
    }))
  }

  /** Accounts on a plan, other than one. */
  async countOnPlan(plan: Plan, exceptId: AccountId): Promise<number> {
    const { count } = await this.#db
      .selectFrom('account')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('plan', '=', plan)
      .where('id', '!=', exceptId)
      .executeTakeFirstOrThrow()
    return count
  }

  /** The account with this id or email, or null. */
  async findAccount(idOrEmail: string): Promise<AccountEntry | null> {
    const row = await this.#accounts()
      .where((where) =>
        where.or([
          where('account.email', '=', idOrEmail.toLowerCase()),
          where(sql<string>`account.id`, '=', idOrEmail),
        ]),
      )
      .executeTakeFirst()
    return row === undefined ? null : toAccount(row)
  }

  /** The inbox with this id, or the newest with this address; null when there is none. */
  async findInbox(idOrAddress: string): Promise<InboxEntry | null> {
    const row = await this.#db
      .selectFrom('inbox')
      .select(['id', 'account_id', 'address', 'suspended_at'])
      .where((where) =>
        where.or([
          where('address', '=', idOrAddress.toLowerCase()),
          where(sql<string>`id`, '=', idOrAddress),
        ]),
      )
      .orderBy('created_at', 'desc')
      .executeTakeFirst()
    if (row === undefined) return null
    const { id, account_id: accountId, address, suspended_at: suspendedAt } = row
    return { id, accountId, address, suspendedAt }
  }

  /** Changes the plan of an account, also the one that is restored by a disconnect. */
  async setPlan(id: AccountId, plan: Plan): Promise<void> {
    await this.#db.updateTable('account').set({ plan }).where('id', '=', id).execute()
    await this.#db
      .updateTable('external_identity')
      .set({ plan_before: plan })
      .where('account_id', '=', id)
      .execute()
  }

  /** Suspends an account, or resumes it when `at` is null, also one that is being moved. */
  async setAccountSuspended(id: AccountId, at: number | null): Promise<void> {
    await this.#db
      .updateTable('account')
      .set({ suspended_at: at, ...(at === null ? { moving_to: null } : {}) })
      .where('id', '=', id)
      .execute()
  }

  /** Notes the cell that an account is being moved to, or that it is not moved any more. */
  async setMoving(id: AccountId, to: string | null): Promise<void> {
    await this.#db.updateTable('account').set({ moving_to: to }).where('id', '=', id).execute()
  }

  /**
   * Waits for the transactions that lock inboxes of an account. Later ones see what was committed
   * before this call. In a transaction.
   */
  async lockInboxes(id: AccountId): Promise<void> {
    await sql`select id from inbox where account_id = ${id}
      order by id${sql.raw(this.#dialect.forUpdate)}`.execute(this.#db)
  }

  /** Deliveries of an account that a process is attempting. */
  async countLeased(id: AccountId, now: number): Promise<number> {
    const { count } = await this.#db
      .selectFrom('delivery')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('account_id', '=', id)
      .where('leased_until', '>', now)
      .executeTakeFirstOrThrow()
    return count
  }

  /** Resumes a suspended inbox. */
  async resumeInbox(id: InboxId): Promise<void> {
    await this.#db
      .updateTable('inbox')
      // Its count of mails starts over: earlier mails do not suspend it again.
      .set({ suspended_at: null, suspended_reason: null, flood_mails: 0 })
      .where('id', '=', id)
      .execute()
  }

  /** Revokes every active key of an account; returns how many. */
  async revokeKeys(id: AccountId, revokedAt: number): Promise<number> {
    const { numUpdatedRows } = await this.#db
      .updateTable('api_key')
      .set({ revoked_at: revokedAt })
      .where('account_id', '=', id)
      .where('revoked_at', 'is', null)
      .executeTakeFirst()
    return Number(numUpdatedRows)
  }

  /** Up to `limit` inboxes of an account, expired ones included. */
  async listInboxes(id: AccountId, limit: number): Promise<InboxId[]> {
    const rows = await this.#db
      .selectFrom('inbox')
      .select('id')
      .where('account_id', '=', id)
      .limit(limit)
      .execute()
    return rows.map((row) => row.id)
  }

  /** Deletes an account, whose inboxes were purged before, with all its other records. */
  async deleteAccount(id: AccountId): Promise<void> {
    await this.#db.deleteFrom('account').where('id', '=', id).execute()
  }

  /** The size of the database; `since` is an id before which messages are not counted. */
  async overview(since: string): Promise<StoreOverview> {
    const { rows } = await sql<StoreOverview>`select
      (select count(*) from account) as accounts,
      (select count(*) from message where id > ${since}) as "newMessages",
      (select min(created_at) from delivery where next_attempt_at is not null) as "oldestRetryAt",
      ${sql.raw(this.#dialect.databaseBytes)} as "diskBytes"`.execute(this.#db)
    const [row] = rows
    if (row === undefined) throw new Error('a query of one row had none')
    return row
  }

  /** The current time of the database, in milliseconds. */
  async databaseTime(): Promise<number> {
    const { rows } = await sql<{ now: number }>`
      select ${sql.raw(this.#dialect.currentMs)} as now`.execute(this.#db)
    return rows[0]?.now ?? 0
  }

  #accounts() {
    return this.#db
      .selectFrom('account')
      .leftJoin('external_identity', 'external_identity.account_id', 'account.id')
      .select([
        'account.id',
        'account.email',
        'account.plan',
        'account.created_at',
        'account.suspended_at',
        'account.moving_to',
        'external_identity.connected_at',
      ])
  }
}

/** `_` stays: it matches any character, so that slightly more is found. */
const withoutWildcards = (text: string): string => text.replace(/[%\\]/g, '')

function toAccount(row: {
  id: AccountId
  email: string
  plan: Plan
  created_at: number
  suspended_at: number | null
  moving_to: string | null
  connected_at: number | null
}): AccountEntry {
  return {
    id: row.id,
    email: row.email,
    plan: row.plan,
    isConnected: row.connected_at !== null,
    createdAt: row.created_at,
    suspendedAt: row.suspended_at,
    movingTo: row.moving_to,
  }
}
