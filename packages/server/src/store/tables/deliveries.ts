import {
  type AccountId,
  type AttemptError,
  type Delivery,
  type DeliveryAttempt,
  EVENT_TYPE,
  type EventId,
  type InboxId,
  type MessageId,
  type WebhookId,
} from '@mayfly/contract'
import { type Kysely, type Selectable, type SelectQueryBuilder, sql } from 'kysely'
import type { Dialect } from '../dialect.ts'
import type { Schema } from '../schema.ts'
import { insertRows, statementsOver } from '../statements.ts'
import { isoTime, isoTimeOrNull } from '../time.ts'

/** An event for one webhook, written in the transaction of its message. */
export type NewDelivery = {
  readonly id: EventId
  readonly accountId: AccountId
  readonly webhookId: WebhookId
  readonly url: string
  readonly inboxId: InboxId
  readonly messageId: MessageId
  /** The body of every attempt. */
  readonly payload: string
  readonly createdAt: number
}

/** The part of a delivery that is sent. */
export type StoredEvent = Pick<NewDelivery, 'id' | 'webhookId' | 'url' | 'payload'>

/** A position in the log: the last entry of a page. */
export type DeliveryPosition = { readonly createdAt: number; readonly id: string }

/** A page of the log: at most `limit`, older than `before`. */
export type DeliveryPage = { readonly limit: number; readonly before: DeliveryPosition | null }

/** An attempt as the diagnostics of its inbox show it. */
export type InboxAttempt = {
  readonly at: number
  /** From 1, replays included. */
  readonly number: number
  readonly status: number | null
  /** Null when it succeeded. */
  readonly error: AttemptError | null
  readonly url: string
}

/** Deliveries of events to webhooks, and their log. */
export class Deliveries {
  readonly #db: Kysely<Schema>
  readonly #dialect: Dialect

  constructor(db: Kysely<Schema>, dialect: Dialect) {
    this.#db = db
    this.#dialect = dialect
  }

  /** Writes deliveries that are due immediately. */
  async add(deliveries: readonly NewDelivery[]): Promise<void> {
    const rows = deliveries.map((delivery) => ({
      id: delivery.id,
      account_id: delivery.accountId,
      webhook_id: delivery.webhookId,
      url: delivery.url,
      event: EVENT_TYPE,
      inbox_id: delivery.inboxId,
      message_id: delivery.messageId,
      payload: delivery.payload,
      status: 'pending' as const,
      created_at: delivery.createdAt,
      next_attempt_at: delivery.createdAt,
      leased_until: null,
    }))
    await insertRows(statementsOver(this.#db), this.#dialect, { table: 'delivery', rows })
  }

  /** A page of the account's log, newest first. */
  async list(owner: AccountId, page: DeliveryPage): Promise<Delivery[]> {
    let query = this.#db
      .selectFrom('delivery')
      .select(LOG_COLUMNS)
      .where('account_id', '=', owner)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(page.limit)
    if (page.before !== null) {
      const { createdAt, id } = page.before
      query = query.where(sql<boolean>`(created_at, id) < (${createdAt}, ${id})`)
    }
    return this.#withAttempts(query)
  }

  /** One entry of the account's log, or null. */
  async find(owner: AccountId, id: EventId): Promise<Delivery | null> {
    const query = this.#db
      .selectFrom('delivery')
      .select(LOG_COLUMNS)
      .where('account_id', '=', owner)
      .where('id', '=', id)
    const [delivery] = await this.#withAttempts(query)
    return delivery ?? null
  }

  /** The accounts of these deliveries; deleted ones are left out. */
  async listOwners(
    ids: readonly EventId[],
  ): Promise<{ readonly deliveryId: EventId; readonly accountId: AccountId }[]> {
    return this.#db
      .selectFrom('delivery')
      .select(['id as deliveryId', 'account_id as accountId'])
      .where(this.#dialect.isAmong('id', ids))
      .execute()
  }

  /** The event of a delivery, to send it again; null when the account has no such delivery. */
  async findEvent(owner: AccountId, id: EventId): Promise<StoredEvent | null> {
    const row = await this.#db
      .selectFrom('delivery')
      .select(['id', 'webhook_id', 'url', 'payload'])
      .where('account_id', '=', owner)
      .where('id', '=', id)
      .executeTakeFirst()
    if (row === undefined) return null
    return { id: row.id, webhookId: row.webhook_id, url: row.url, payload: row.payload }
  }

  /** The newest `limit` attempts for messages of an inbox, oldest first. */
  async listAttemptsOfInbox(inboxId: InboxId, limit: number): Promise<InboxAttempt[]> {
    const rows = await this.#db
      .selectFrom('delivery_attempt')
      .innerJoin('delivery', 'delivery.id', 'delivery_attempt.delivery_id')
      .select(['at', 'number', 'delivery_attempt.status', 'error', 'url'])
      .where('delivery.inbox_id', '=', inboxId)
      .orderBy('at', 'desc')
      .orderBy('delivery_id', 'desc')
      .orderBy('number', 'desc')
      .limit(limit)
      .execute()
    return rows.reverse().map((row) => ({ ...row }))
  }

  /** Deletes finished deliveries from before then, the oldest first; returns how many. */
  async deleteOld(before: number, limit: number): Promise<number> {
    // Materialized, so that PostgreSQL runs it once: see `claim` in dispatches.ts.
    const { numAffectedRows = 0n } = await sql`with old as materialized (
        select id from delivery where created_at < ${before} and next_attempt_at is null
        order by created_at limit ${limit}${sql.raw(this.#dialect.skipLocked)})
      delete from delivery where id in (select id from old)`.execute(this.#db)
    return Number(numAffectedRows)
  }

  /** In one statement, so that the status and the attempts are of the same moment. */
  async #withAttempts(
    deliveries: SelectQueryBuilder<Schema, 'delivery', LogRow>,
  ): Promise<Delivery[]> {
    const rows = await this.#db
      .selectFrom(deliveries.as('delivery'))
      .leftJoin('delivery_attempt as attempt', 'attempt.delivery_id', 'delivery.id')
      .selectAll('delivery')
      .select(['attempt.at', 'attempt.error', 'attempt.detail', 'attempt.duration_ms'])
      .select('attempt.status as attempt_status')
      .orderBy('delivery.created_at', 'desc')
      .orderBy('delivery.id', 'desc')
      .orderBy('attempt.number')
      .execute()
    return [...Map.groupBy(rows, (row) => row.id).values()].flatMap(toDelivery)
  }
}

const LOG_COLUMNS = [
  'id',
  'webhook_id',
  'url',
  'event',
  'inbox_id',
  'message_id',
  'status',
  'created_at',
  'next_attempt_at',
] as const

type LogRow = Pick<Selectable<Schema['delivery']>, (typeof LOG_COLUMNS)[number]>

/** A delivery with one of its attempts; the attempt's columns are null when it has none. */
type JoinedRow = LogRow & {
  readonly at: number | null
  readonly attempt_status: number | null
  readonly error: AttemptError | null
  readonly detail: string | null
  readonly duration_ms: number | null
}

function toDelivery(rows: readonly JoinedRow[]): Delivery[] {
  const [row] = rows
  if (row === undefined) return []
  const delivery = {
    id: row.id,
    webhookId: row.webhook_id,
    url: row.url,
    event: row.event,
    inboxId: row.inbox_id,
    messageId: row.message_id,
    status: row.status,
    attempts: rows.flatMap(toAttempt),
    createdAt: isoTime(row.created_at),
    nextAttemptAt: isoTimeOrNull(row.next_attempt_at),
  }
  return [delivery]
}

function toAttempt(row: JoinedRow): DeliveryAttempt[] {
  if (row.at === null) return []
  const { attempt_status: status, error, detail, duration_ms: durationMs } = row
  return [{ at: isoTime(row.at), status, error, detail, durationMs: durationMs ?? 0 }]
}
