import type { InboxId } from '@mayfly/contract'
import { type Kysely, sql } from 'kysely'
import type { Dialect } from './dialect.ts'
import { insertRows } from './insert-rows.ts'
import type { Schema } from './schema.ts'

/** A stage that no other row tells of. */
export type NewDiagnosticEvent = {
  readonly id: string
  readonly inboxId: InboxId
  readonly stage: 'smtp.refused' | 'near.miss' | 'inbox.suspended'
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
    await insertRows(this.#db, this.#dialect, { table: 'diagnostic_event', rows })
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

  async #trim(inboxId: InboxId): Promise<void> {
    await sql`delete from diagnostic_event where inbox_id = ${inboxId} and id in (
      select id from diagnostic_event where inbox_id = ${inboxId}
      order by at desc, id desc limit 1000 offset ${EVENTS_PER_INBOX_MAX})`.execute(this.#db)
  }
}
