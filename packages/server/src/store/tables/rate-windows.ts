import { type Kysely, sql } from 'kysely'
import type { Schema } from '../schema.ts'

/** A options to take from a rate. */
export type RateTake = {
  /** Whose rate it is. */
  readonly name: string
  readonly windowMs: number
  readonly count: number
  readonly now: number
}

/** A window after a take. `used` counts every options, those past the limit too. */
export type RateWindow = {
  readonly name: string
  readonly startedAt: number
  readonly used: number
}

/** What is used of each rate, for nodes that count together. */
export class RateWindows {
  readonly #db: Kysely<Schema>

  constructor(db: Kysely<Schema>) {
    this.#db = db
  }

  /**
   * Takes from several rates, each named once. One statement, so that of many takers at once
   * each sees a count of its own; in the order of names, so that two nodes never cross.
   */
  async take(takes: readonly RateTake[]): Promise<RateWindow[]> {
    const rows = takes
      .map(({ name, windowMs, count, now }) => ({
        name,
        window_ms: windowMs,
        started_at: now,
        used: count,
      }))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
    // Either way: a window that seems to lie ahead is from a clock that was set back.
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

  /** Forgets windows that are over. */
  async forgetEnded(now: number): Promise<void> {
    await this.#db
      .deleteFrom('rate_window')
      .where(sql<boolean>`started_at + window_ms <= ${now}`)
      .execute()
  }
}
