import { type Kysely, sql } from 'kysely'
import type { Schema } from '../schema.ts'

/** Requests to count in a window. */
export type RateAddition = {
  /** Names the window. */
  readonly name: string
  readonly windowMs: number
  readonly count: number
  readonly now: number
}

/** A window after an addition. `used` counts all requests, also those above the limit. */
export type RateWindow = {
  readonly name: string
  readonly startedAt: number
  readonly used: number
}

/** Windows of the rate limits, counted by all nodes together. */
export class RateWindows {
  readonly #db: Kysely<Schema>

  constructor(db: Kysely<Schema>) {
    this.#db = db
  }

  /**
   * Adds to the windows of several names, each named once. In one statement, so that concurrent
   * calls see different counts; in the order of names, so that two nodes do not deadlock.
   */
  async add(additions: readonly RateAddition[]): Promise<RateWindow[]> {
    const rows = additions
      .map(({ name, windowMs, count, now }) => ({
        name,
        window_ms: windowMs,
        started_at: now,
        used: count,
      }))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
    // In both directions: a window that starts in the future is from before a clock was set back.
    const isOver = sql`abs(excluded.started_at - rate_window.started_at) >= rate_window.window_ms`
    const windows = await this.#db
      .insertInto('rate_window')
      .values(rows)
      .onConflict((conflict) =>
        conflict.column('name').doUpdateSet({
          window_ms: sql<number>`excluded.window_ms`,
          started_at: sql<number>`case when ${isOver}
            then excluded.started_at else rate_window.started_at end`,
          used: sql<number>`case when ${isOver}
            then excluded.used else rate_window.used + excluded.used end`,
        }),
      )
      .returning(['name', 'started_at', 'used'])
      .execute()
    return windows.map((row) => ({ name: row.name, startedAt: row.started_at, used: row.used }))
  }

  /** Deletes windows that have ended. */
  async deleteEnded(now: number): Promise<void> {
    await this.#db
      .deleteFrom('rate_window')
      .where(sql<boolean>`started_at + window_ms <= ${now}`)
      .execute()
  }
}
