import type { DiagnosticEvent, InboxId, Stage } from '@mayfly/contract'
import { type Kysely, sql } from 'kysely'
import type { Dialect } from '../dialect.ts'
import { insertRows } from '../insert-rows.ts'
import type { Schema } from '../schema.ts'
import { statementsOver } from '../statements.ts'
import { isoTime } from '../time.ts'

/** The stages that no other row tells of. */
export type StoredStage = Extract<Stage, 'smtp.refused' | 'near.miss' | 'inbox.suspended'>

/** A stage that no other row tells of. */
export type NewDiagnosticEvent = {
  readonly id: string
  readonly inboxId: InboxId
  readonly stage: StoredStage
  readonly at: number
  readonly detail: string | null
}

/** Kept of each inbox; older ones give way. Nobody reads further back to find one mail. */
const EVENTS_PER_INBOX_MAX = 500

/** Refusals, near misses and suspensions; all other stages follow from rows that exist anyway. */
export class Diagnostics {
  readonly #db: Kysely<Schema>
  readonly #dialect: Dialect

  constructor(db: Kysely<Schema>, dialect: Dialect) {
    this.#db = db
    this.#dialect = dialect
  }

  /** Writes events of inboxes that still exist, and forgets the oldest past the bound. */
  async add(events: readonly NewDiagnosticEvent[]): Promise<void> {
    const ids = [...new Set(events.map((event) => event.inboxId))]
    if (ids.length === 0) return
    const existing = await this.#db
      .selectFrom('inbox')
      .select('id')
      .where('id', 'in', ids)
      .execute()
    const known = new Set(existing.map((row) => row.id))
    const rows = events
      .filter((event) => known.has(event.inboxId))
      .map(({ id, inboxId, stage, at, detail }) => ({ id, inbox_id: inboxId, stage, at, detail }))
    await insertRows(statementsOver(this.#db), this.#dialect, { table: 'diagnostic_event', rows })
    for (const id of known) await this.#trim(id)
  }

  /** Counts refused recipients of our domains, by the hour. */
  async countRefusals(refusals: ReadonlyMap<string, number>, hourAt: number): Promise<void> {
    for (const [domain, count] of refusals) {
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
  async list(inboxId: InboxId, limit: number): Promise<(DiagnosticEvent & { id: string })[]> {
    const rows = await this.#db
      .selectFrom('diagnostic_event')
      .select(['id', 'stage', 'at', 'detail'])
      .where('inbox_id', '=', inboxId)
      .orderBy('id', 'desc')
      .limit(limit)
      .execute()
    return rows.map(toEvent)
  }

  /** Events past the one with this id, oldest first. */
  async listAfter(
    inboxId: InboxId,
    after: string,
    limit: number,
  ): Promise<(DiagnosticEvent & { id: string })[]> {
    const rows = await this.#db
      .selectFrom('diagnostic_event')
      .select(['id', 'stage', 'at', 'detail'])
      .where('inbox_id', '=', inboxId)
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .execute()
    return rows.map(toEvent)
  }

  /** Id of the newest event of an inbox; ids sort by time. */
  async newestId(inboxId: InboxId): Promise<string | null> {
    const [newest] = await this.list(inboxId, 1)
    return newest?.id ?? null
  }

  async #trim(inboxId: InboxId): Promise<void> {
    await sql`delete from diagnostic_event where inbox_id = ${inboxId} and id in (
      select id from diagnostic_event where inbox_id = ${inboxId}
      order by id desc limit 1000 offset ${EVENTS_PER_INBOX_MAX})`.execute(this.#db)
  }
}

function toEvent(row: { id: string; stage: StoredStage; at: number; detail: string | null }) {
  return { id: row.id, stage: row.stage, at: isoTime(row.at), detail: row.detail }
}
