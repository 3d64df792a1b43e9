import type { AttemptError, DeliveryStatus, EventId, WebhookId } from '@mayfly/contract'
import { type Kysely, sql } from 'kysely'
import type { Dialect } from '../dialect.ts'
import { insertRows } from '../insert-rows.ts'
import type { Schema } from '../schema.ts'
import { statementsOver } from '../statements.ts'

/** A delivery that is this process's to attempt until its lease runs out. */
export type ClaimedDelivery = {
  readonly id: EventId
  readonly url: string
  readonly payload: string
  readonly leasedUntil: number
}

/** Where a delivery stands, as far as attempts change it. */
export type DeliveryState = {
  readonly status: DeliveryStatus
  /** Attempts by schedule, without replays. */
  readonly attemptsMade: number
  readonly nextAttemptAt: number | null
  readonly leasedUntil: number | null
}

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
 * The queries of the dispatcher. Not by owner: it works for everybody.
 *
 * Whoever locks several rows locks the webhooks first, then the deliveries, each in the order of
 * their ids: so no two transactions ever wait for each other.
 */
export class Dispatches {
  readonly #db: Kysely<Schema>
  readonly #dialect: Dialect

  constructor(db: Kysely<Schema>, dialect: Dialect) {
    this.#db = db
    this.#dialect = dialect
  }

  /** Webhooks with something due that nobody attempts. */
  async listDue(now: number): Promise<WebhookId[]> {
    // From one webhook to the next by the index, however many deliveries each has waiting.
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
   * The sealed secret of a webhook, for which nobody else claims until the end of the transaction;
   * null when it was deleted or disabled.
   */
  async holdEndpoint(id: WebhookId): Promise<{ readonly secretSealed: string } | null> {
    const { rows } = await sql<{ secret_sealed: string }>`select secret_sealed from webhook
      where id = ${id} and disabled_at is null${sql.raw(this.#dialect.forUpdate)}`.execute(this.#db)
    const [row] = rows
    return row === undefined ? null : { secretSealed: row.secret_sealed }
  }

  /** Deliveries to a webhook that are under way, on any node. */
  async countLeased(webhookId: WebhookId, now: number): Promise<number> {
    const { count } = await this.#db
      .selectFrom('delivery')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('webhook_id', '=', webhookId)
      .where('leased_until', '>', now)
      .executeTakeFirstOrThrow()
    return count
  }

  /** Takes what is due to a webhook, the longest due first. */
  async claim(
    webhookId: WebhookId,
    terms: { readonly now: number; readonly leasedUntil: number; readonly limit: number },
  ): Promise<ClaimedDelivery[]> {
    const { now, leasedUntil, limit } = terms
    const { rows } = await sql<{ id: EventId; url: string; payload: string }>`
      update delivery set leased_until = ${leasedUntil} where id in (
        select id from delivery
        where webhook_id = ${webhookId} and next_attempt_at <= ${now}
        and (leased_until is null or leased_until <= ${now})
        order by next_attempt_at limit ${limit}${sql.raw(this.#dialect.skipLocked)})
      returning id, url, payload`.execute(this.#db)
    return rows.map((row) => ({ ...row, leasedUntil }))
  }

  /** Gives a claimed delivery back, as if it had never been claimed. */
  async release(delivery: Pick<ClaimedDelivery, 'id' | 'leasedUntil'>): Promise<void> {
    await this.#db
      .updateTable('delivery')
      .set({ leased_until: null })
      .where('id', '=', delivery.id)
      .where('leased_until', '=', delivery.leasedUntil)
      .execute()
  }

  /** Ends all leases: for whoever knows that nobody else dispatches. */
  async releaseAll(): Promise<void> {
    await this.#db
      .updateTable('delivery')
      .set({ leased_until: null })
      .where('leased_until', 'is not', null)
      .execute()
  }

  /** Gives up what is pending to a webhook. */
  async endPending(webhookId: WebhookId): Promise<void> {
    await sql`update delivery set status = 'failed', next_attempt_at = null, leased_until = null
      where id in (
        select id from delivery where webhook_id = ${webhookId} and next_attempt_at is not null
        order by id${sql.raw(this.#dialect.forUpdate)})`.execute(this.#db)
  }

  /** Nobody else changes these webhooks until the end of the transaction. */
  async lockWebhooks(ids: readonly WebhookId[]): Promise<void> {
    await sql`select id from webhook where id in (${sql.join(ids)})
      order by id${sql.raw(this.#dialect.forUpdate)}`.execute(this.#db)
  }

  /** Where these deliveries stand; nobody else changes them until the end of the transaction. */
  async lockStates(ids: readonly EventId[]): Promise<Map<EventId, DeliveryState>> {
    const { rows } = await sql<{
      id: EventId
      status: DeliveryStatus
      attempts_made: number
      next_attempt_at: number | null
      leased_until: number | null
    }>`select id, status, attempts_made, next_attempt_at, leased_until from delivery
       where id in (${sql.join(ids)}) order by id${sql.raw(this.#dialect.forUpdate)}`.execute(
      this.#db,
    )
    const states = rows.map((row): [EventId, DeliveryState] => [
      row.id,
      {
        status: row.status,
        attemptsMade: row.attempts_made,
        nextAttemptAt: row.next_attempt_at,
        leasedUntil: row.leased_until,
      },
    ])
    return new Map(states)
  }

  /** Writes where a delivery stands. */
  async setState(id: EventId, state: DeliveryState): Promise<void> {
    await this.#db
      .updateTable('delivery')
      .set({
        status: state.status,
        attempts_made: state.attemptsMade,
        next_attempt_at: state.nextAttemptAt,
        leased_until: state.leasedUntil,
      })
      .where('id', '=', id)
      .execute()
  }

  /** Attempts so far of each of these deliveries, replays included. */
  async countAttempts(ids: readonly EventId[]): Promise<Map<EventId, number>> {
    const rows = await this.#db
      .selectFrom('delivery_attempt')
      .select(({ fn }) => ['delivery_id', fn.max('number').as('number')])
      .where('delivery_id', 'in', ids)
      .groupBy('delivery_id')
      .execute()
    return new Map(rows.map((row) => [row.delivery_id, row.number]))
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
