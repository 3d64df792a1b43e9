import type { DiagnosticId, InboxId } from '@mayfly/contract'
import { type Kysely, type Selectable, sql } from 'kysely'
import type { Dialect } from '../dialect.ts'
import type { RefusalCode, Schema } from '../schema.ts'
import { insertRows, statementsOver } from '../statements.ts'
import { isoTime } from '../time.ts'

/** The fields of each stored stage beside its detail. */
type StageFields =
  | { readonly stage: 'smtp.refused'; readonly reason: RefusalCode }
  /** `recipient` is the address that the mail was sent to. */
  | { readonly stage: 'near.miss'; readonly recipient: string }
  | {
      readonly stage:
        | 'provider.accepted'
        | 'provider.refused'
        | 'inbox.suspended'
        | 'fault.injected'
        | 'webhook.failed'
    }

/** An event as it is written. */
export type NewDiagnosticEvent = StageFields & {
  readonly id: DiagnosticId
  readonly inboxId: InboxId
  readonly at: number
  readonly detail: string
}

/** An event as it is read. */
export type StoredDiagnosticEvent = StageFields & {
  readonly id: DiagnosticId
  readonly at: string
  readonly detail: string
}

/** Events kept for each inbox; the oldest are deleted first. */
const EVENTS_PER_INBOX_MAX = 500

const COLUMNS = ['id', 'stage', 'at', 'detail', 'reason', 'recipient'] as const

/** Events that are stored; all other stages are derived from other tables. */
export class Diagnostics {
  readonly #db: Kysely<Schema>
  readonly #dialect: Dialect

  constructor(db: Kysely<Schema>, dialect: Dialect) {
    this.#db = db
    this.#dialect = dialect
  }

  /**
   * Writes events of inboxes that still exist, and deletes the oldest past the bound. An inbox that
   * is being purged counts as purged.
   */
  async add(events: readonly NewDiagnosticEvent[]): Promise<void> {
    const ids = [...new Set(events.map((event) => event.inboxId))]
    if (ids.length === 0) return
    // Without waiting for locked rows: a purge of several inboxes locks them in another order, and
    // then fault rules, of which the caller may have locked one.
    const { rows: existing } = await sql<{ id: InboxId }>`
      select id from inbox where ${this.#dialect.isAmong('id', ids)}
      order by id${sql.raw(this.#dialect.skipDeleted)}`.execute(this.#db)
    const known = new Set(existing.map((row) => row.id))
    const rows = events.filter((event) => known.has(event.inboxId)).map(toRow)
    await insertRows(statementsOver(this.#db), this.#dialect, { table: 'diagnostic_event', rows })
    for (const id of known) await this.#trim(id)
  }

  /** Adds to the hourly counts of refused recipients by domain. */
  async countRefusals(refusals: ReadonlyMap<string, number>, hourAt: number): Promise<void> {
    // In order, so that two threads that count for the same domains do not deadlock.
    for (const [domain, count] of [...refusals].sort(([a], [b]) => (a < b ? -1 : 1))) {
      await this.#db
        .insertInto('domain_refusal')
        .values({ domain, hour_at: hourAt, refusals: count })
        .onConflict((conflict) =>
          conflict
            .columns(['domain', 'hour_at'])
            .doUpdateSet({ refusals: sql<number>`domain_refusal.refusals + ${count}` }),
        )
        .execute()
    }
  }

  /** The newest events of an inbox, newest first. */
  async list(inboxId: InboxId, limit: number): Promise<StoredDiagnosticEvent[]> {
    const rows = await this.#db
      .selectFrom('diagnostic_event')
      .select(COLUMNS)
      .where('inbox_id', '=', inboxId)
      .orderBy('id', 'desc')
      .limit(limit)
      .execute()
    return rows.map(toEvent)
  }

  /** Events after the one with this id, oldest first. */
  async listAfter(
    inboxId: InboxId,
    after: string,
    limit: number,
  ): Promise<StoredDiagnosticEvent[]> {
    const rows = await this.#db
      .selectFrom('diagnostic_event')
      .select(COLUMNS)
      .where('inbox_id', '=', inboxId)
      .where(sql<string>`id`, '>', after)
      .orderBy('id')
      .limit(limit)
      .execute()
    return rows.map(toEvent)
  }

  async #trim(inboxId: InboxId): Promise<void> {
    await sql`delete from diagnostic_event where inbox_id = ${inboxId} and id in (
      select id from diagnostic_event where inbox_id = ${inboxId}
      order by id desc limit 1000 offset ${EVENTS_PER_INBOX_MAX})`.execute(this.#db)
  }
}

type EventRow = Pick<Selectable<Schema['diagnostic_event']>, (typeof COLUMNS)[number]>

function toEvent(row: EventRow): StoredDiagnosticEvent {
  // Written by `toRow`, which has no other combinations of the columns.
  return { ...row, at: isoTime(row.at) } as StoredDiagnosticEvent
}

function toRow(event: NewDiagnosticEvent): Selectable<Schema['diagnostic_event']> {
  return {
    id: event.id,
    inbox_id: event.inboxId,
    stage: event.stage,
    at: event.at,
    detail: event.detail,
    reason: event.stage === 'smtp.refused' ? event.reason : null,
    recipient: event.stage === 'near.miss' ? event.recipient : null,
  }
}
