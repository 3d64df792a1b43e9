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
import { type Kysely, type RawBuilder, type Selectable, type SelectQueryBuilder, sql } from 'kysely'
import type { Dialect } from '../dialect.ts'
import type { Schema } from '../schema.ts'
import { executeTogether, insertion, type Statements } from '../statements.ts'
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

/** Of a delivery: one whose inbox was purged is not read or sent any more, and deleted soon. */
export const HAS_INBOX = sql<boolean>`exists (
  select 1 from inbox where inbox.id = delivery.inbox_id)`

const insertDeliveries = insertion('delivery', {
  id: 'text',
  account_id: 'text',
  webhook_id: 'text',
  url: 'text',
  event: 'text',
  inbox_id: 'text',
  message_id: 'text',
  payload: 'text',
  status: 'text',
  created_at: 'integer',
  next_attempt_at: 'integer',
})

/** Deliveries of events to webhooks, and their log. */
export class Deliveries {
  readonly #db: Kysely<Schema>
  readonly #dialect: Dialect
  readonly #statements: Statements

  constructor(db: Kysely<Schema>, dialect: Dialect, statements: Statements) {
    this.#db = db
    this.#dialect = dialect
    this.#statements = statements
  }

  /** Writes deliveries that are due immediately. In a transaction. */
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
    }))
    const over = { statements: this.#statements, dialect: this.#dialect }
    await executeTogether(over, [insertDeliveries(rows)])
  }

  /** A page of the account's log, newest first. */
  async list(owner: AccountId, page: DeliveryPage): Promise<Delivery[]> {
    let query = this.#db
      .selectFrom('delivery')
      .select(LOG_COLUMNS)
      .where('account_id', '=', owner)
      .where(HAS_INBOX)
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
      .where(HAS_INBOX)
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
      .where(HAS_INBOX)
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
    const old = sql`created_at < ${before} and next_attempt_at is null order by created_at`
    return this.#deleteSome(old, limit)
  }

  /** Deletes deliveries of these inboxes; returns how many. */
  async deleteOfInboxes(inboxIds: readonly InboxId[], limit: number): Promise<number> {
    return this.#deleteSome(
      sql`${this.#dialect.isAmong('inbox_id', inboxIds)} order by inbox_id`,
      limit,
    )
  }

  /** Deletes deliveries of an account; returns how many. */
  async deleteOfAccount(owner: AccountId, limit: number): Promise<number> {
    return this.#deleteSome(sql`account_id = ${owner} order by created_at`, limit)
  }

  /**
   * Finds purged inboxes among those of deliveries, in the order of their ids. `last` is the last
   * one that was read; null when there are no more.
   */
  async listPurgedInboxes(page: {
    readonly after: string
    readonly limit: number
  }): Promise<{ readonly inboxIds: readonly InboxId[]; readonly last: string | null }> {
    // Skips from inbox to inbox in the index, so that long logs are not read.
    const { rows } = await sql<{ id: InboxId; kept: boolean | 0 | 1 }>`
      with recursive found (id, number) as (
        select min(inbox_id), 1 from delivery where inbox_id > ${page.after}
        union all
        select (select min(inbox_id) from delivery where inbox_id > found.id), number + 1
        from found where found.id is not null and number < ${page.limit})
      select id, exists (select 1 from inbox where inbox.id = found.id) as kept
      from found where id is not null order by number`.execute(this.#db)
    return {
      inboxIds: rows.filter(({ kept }) => !kept).map(({ id }) => id),
      last: rows.length < page.limit ? null : (rows.at(-1)?.id ?? null),
    }
  }

  /**
   * Skips locked rows, which a later call deletes. `which` has the order of an index: PostgreSQL
   * would otherwise read all rows that earlier calls have deleted.
   */
  async #deleteSome(which: RawBuilder<unknown>, limit: number): Promise<number> {
    // Materialized, so that PostgreSQL runs it once: see `claim` in dispatches.ts.
    const { numAffectedRows = 0n } = await sql`with some_of_them as materialized (
        select id from delivery where ${which}
        limit ${limit}${sql.raw(this.#dialect.skipLocked)})
      delete from delivery where id in (select id from some_of_them)`.execute(this.#db)
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
