import { type Kysely, sql } from 'kysely'
import type { Schema } from '../schema.ts'

/** A window of a rate limit. */
export type RateWindow = {
  /** When its first request was counted; it ends after its length. */
  readonly startedAt: number
  /** The requests in it, refused ones too. */
  readonly used: number
}

// In both directions: a window that begins in the future is from before a clock was set back.
const HAS_ENDED = sql`abs(excluded.started_at - rate_window.started_at) >= excluded.window_ms`

/** Windows of the rate limits, counted by all nodes together. */
export class RateWindows {
  readonly #db: Kysely<Schema>

  constructor(db: Kysely<Schema>) {
    this.#db = db
  }

  /**
   * Counts a request in the window of a name; the first one after its end begins the next. One
   * statement, so that each of several concurrent calls gets another count.
   */
  async count(name: string, windowMs: number, now: number): Promise<RateWindow> {
    const { rows } = await sql<{ readonly started_at: number; readonly used: number }>`
      insert into rate_window (name, started_at, window_ms, used)
      values (${name}, ${now}, ${windowMs}, 1)
      on conflict (name) do update set
        started_at = case when ${HAS_ENDED} then excluded.started_at
          else rate_window.started_at end,
        used = case when ${HAS_ENDED} then 1 else rate_window.used + 1 end
      returning started_at, used`.execute(this.#db)
    const row = rows[0]
    if (row === undefined) throw new Error('The statement returned no row.')
    return { startedAt: row.started_at, used: row.used }
  }

  /** Deletes windows that have ended. */
  async deleteEnded(now: number): Promise<void> {
    await this.#db
      .deleteFrom('rate_window')
      .where(sql<boolean>`started_at + window_ms <= ${now}`)
      .execute()
  }
}
