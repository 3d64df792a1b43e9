import type { AccountId, AttemptError, DeliveryStatus, EventId, WebhookId } from '@mayfly/contract'
import { type Kysely, sql } from 'kysely'
import type { Dialect } from '../dialect.ts'
import type { Schema } from '../schema.ts'
import { insertRows, statementsOver } from '../statements.ts'
import { HAS_INBOX } from './deliveries.ts'

/** A delivery that only this process attempts until its lease expires. */
export type ClaimedDelivery = {
  readonly id: EventId
  readonly url: string
  readonly payload: string
  readonly leasedUntil: number
}

/** The part of a delivery that attempts change. */
export type DeliveryState = {
  /** Scheduled attempts, without replays. */
  readonly attemptsMade: number
} & (
  | {
      readonly status: 'pending'
      readonly nextAttemptAt: number
      /** Null when no process has claimed it. */
      readonly leasedUntil: number | null
    }
  | { readonly status: 'succeeded' | 'failed' }
)

/** An attempt as it is written. */
export type NewAttempt = {
  readonly deliveryId: EventId
  readonly number: number
  readonly at: number
  readonly status: number | null
  readonly error: AttemptError | null
  readonly detail: string | null
  readonly durationMs: number
}

/**
 * Queries of the dispatcher. None takes an owner: it works for all accounts.
 *
 * A transaction that locks several rows locks webhooks first, then deliveries, each in the order
 * of their ids. So no two transactions deadlock.
 */
export class Dispatches {
  readonly #db: Kysely<Schema>
  readonly #dialect: Dialect

  constructor(db: Kysely<Schema>, dialect: Dialect) {
    this.#db = db
    this.#dialect = dialect
  }

  /** Webhooks with due deliveries that are not leased. */
  async listDue(now: number): Promise<WebhookId[]> {
    // Skips from webhook to webhook in the index, so that long backlogs are not read.
    const { rows } = await sql<{ id: WebhookId }>`
      with recursive waiting (id) as (
        select min(webhook_id) from delivery where next_attempt_at is not null
        union all
        select (select min(webhook_id) from delivery
          where next_attempt_at is not null and webhook_id > waiting.id)
        from waiting where waiting.id is not null)
      select id from waiting where id is not null and exists (
        select 1 from delivery where webhook_id = waiting.id and next_attempt_at <= ${now}
        and (leased_until is null or leased_until <= ${now}))`.execute(this.#db)
    return rows.map((row) => row.id)
  }

  /**
   * Locks a webhook until the end of the transaction, so that no other process claims for it, and
   * returns its owner and sealed secret; null when the webhook was deleted or disabled.
   */
  async lockEndpoint(
    id: WebhookId,
  ): Promise<{ readonly accountId: AccountId; readonly secretSealed: string } | null> {
    const { rows } = await sql<{ account_id: AccountId; secret_sealed: string }>`
      select account_id, secret_sealed from webhook
      where id = ${id} and disabled_at is null${sql.raw(this.#dialect.forUpdate)}`.execute(this.#db)
    const [row] = rows
    return row === undefined ? null : { accountId: row.account_id, secretSealed: row.secret_sealed }
  }

  /** Deliveries to a webhook that are leased, on any node. */
  async countLeased(webhookId: WebhookId, now: number): Promise<number> {
    const { count } = await this.#db
      .selectFrom('delivery')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('webhook_id', '=', webhookId)
      .where('leased_until', '>', now)
      .executeTakeFirstOrThrow()
    return count
  }

  /** Leases due deliveries of a webhook, the longest due first; none of a purged inbox. */
  async claim(
    webhookId: WebhookId,
    lease: { readonly now: number; readonly leasedUntil: number; readonly limit: number },
  ): Promise<ClaimedDelivery[]> {
    const { now, leasedUntil, limit } = lease
    // Materialized: PostgreSQL may run a plain subquery once a row, and so pass its limit.
    const { rows } = await sql<{ id: EventId; url: string; payload: string }>`
      with due as materialized (
        select id from delivery
        where webhook_id = ${webhookId} and next_attempt_at <= ${now}
        and (leased_until is null or leased_until <= ${now}) and ${HAS_INBOX}
        and exists (select 1 from account
          where account.id = delivery.account_id and account.moving_to is null)
        order by next_attempt_at limit ${limit}${sql.raw(this.#dialect.skipLocked)})
      update delivery set leased_until = ${leasedUntil} where id in (select id from due)
      returning id, url, payload`.execute(this.#db)
    return rows.map((row) => ({ ...row, leasedUntil }))
  }

  /** Ends the lease of a delivery, unless another process has it by now. */
  async release(delivery: Pick<ClaimedDelivery, 'id' | 'leasedUntil'>): Promise<void> {
    await this.#db
      .updateTable('delivery')
      .set({ leased_until: null })
      .where('id', '=', delivery.id)
      .where('leased_until', '=', delivery.leasedUntil)
      .execute()
  }

  /** Ends all leases; only for a store that no other process dispatches from. */
  async releaseAll(): Promise<void> {
    await this.#db
      .updateTable('delivery')
      .set({ leased_until: null })
      .where('leased_until', 'is not', null)
      .execute()
  }

  /**
   * Fails pending deliveries of a webhook, the longest due first; returns how many. Locked ones
   * stay pending: `claimDue` fails them when it finds no webhook.
   */
  async failPending(webhookId: WebhookId, limit: number): Promise<number> {
    // Materialized, as in `claim`.
    const { numAffectedRows = 0n } = await sql`with pending as materialized (
        select id from delivery where webhook_id = ${webhookId} and next_attempt_at is not null
        order by next_attempt_at limit ${limit}${sql.raw(this.#dialect.skipLocked)})
      update delivery set status = 'failed', next_attempt_at = null, leased_until = null
      where id in (select id from pending)`.execute(this.#db)
    return Number(numAffectedRows)
  }

  /** Locks webhooks until the end of the transaction. */
  async lockWebhooks(ids: readonly WebhookId[]): Promise<void> {
    await sql`select id from webhook where id in (${sql.join(ids)})
      order by id${sql.raw(this.#dialect.forUpdate)}`.execute(this.#db)
  }

  /** Locks deliveries until the end of the transaction and returns their states. */
  async lockStates(ids: readonly EventId[]): Promise<Map<EventId, DeliveryState>> {
    const query = sql<StateRow>`select id, status, attempts_made, next_attempt_at, leased_until
      from delivery where id in (${sql.join(ids)})
      order by id${sql.raw(this.#dialect.forUpdate)}`
    const { rows } = await query.execute(this.#db)
    return new Map(rows.map((row) => [row.id, toState(row)]))
  }

  /** Writes the state of a delivery. */
  async setState(id: EventId, state: DeliveryState): Promise<void> {
    await this.#db
      .updateTable('delivery')
      .set({
        status: state.status,
        attempts_made: state.attemptsMade,
        next_attempt_at: state.status === 'pending' ? state.nextAttemptAt : null,
        leased_until: state.status === 'pending' ? state.leasedUntil : null,
      })
      .where('id', '=', id)
      .execute()
  }

  /** Attempts of each of these deliveries, replays included. */
  async countAttempts(ids: readonly EventId[]): Promise<Map<EventId, number>> {
    const rows = await this.#db
      .selectFrom('delivery_attempt')
      .select(({ fn }) => ['delivery_id', fn.max('number').as('number')])
      .where('delivery_id', 'in', ids)
      .groupBy('delivery_id')
      .execute()
    return new Map(rows.map((row) => [row.delivery_id, row.number]))
  }

  /** Whether the log has an attempt that began at this time. */
  async hasAttempt(id: EventId, at: number): Promise<boolean> {
    const row = await this.#db
      .selectFrom('delivery_attempt')
      .select('number')
      .where('delivery_id', '=', id)
      .where('at', '=', at)
      .executeTakeFirst()
    return row !== undefined
  }

  /** Writes attempts to the log. */
  async addAttempts(attempts: readonly NewAttempt[]): Promise<void> {
    const rows = attempts.map((attempt) => ({
      delivery_id: attempt.deliveryId,
      number: attempt.number,
      at: attempt.at,
      status: attempt.status,
      error: attempt.error,
      duration_ms: attempt.durationMs,
      detail: attempt.detail,
    }))
    await insertRows(statementsOver(this.#db), this.#dialect, { table: 'delivery_attempt', rows })
  }
}

type StateRow = {
  id: EventId
  status: DeliveryStatus
  attempts_made: number
  next_attempt_at: number | null
  leased_until: number | null
}

function toState(row: StateRow): DeliveryState {
  const attemptsMade = row.attempts_made
  if (row.status !== 'pending') return { status: row.status, attemptsMade }
  // A pending row always has a time; the type of the column does not say so.
  const nextAttemptAt = row.next_attempt_at ?? 0
  return { status: 'pending', attemptsMade, nextAttemptAt, leasedUntil: row.leased_until }
}
