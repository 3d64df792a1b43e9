import { type Kysely, sql } from 'kysely'
import type { Schema } from '../schema.ts'

/** Requests to count in a window. */
export type RateAddition = {
  /** Names the window. */
  readonly name: string
  readonly windowMs: number
  readonly count: number
  /** Start of the part of the window in which they are counted. */
  readonly slot: number
}

/** A window after an addition. `used` counts all requests, also those above the limit. */
export type RateWindow = {
  readonly name: string
  /** When the oldest requests in it were counted; they leave it after its length. */
  readonly startedAt: number
  readonly used: number
}

/** Sliding windows of the rate limits, counted by all nodes together. */
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
      .map((addition) => ({
        name: addition.name,
        started_at: addition.slot,
        window_ms: addition.windowMs,
        used: addition.count,
      }))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
    // In both directions: a slot that starts in the future is from before a clock was set back.
    const others = sql`from rate_slot as other where other.name = rate_slot.name
      and other.started_at <> rate_slot.started_at
      and abs(other.started_at - rate_slot.started_at) < rate_slot.window_ms`
    const windows = await this.#db
      .insertInto('rate_slot')
      .values(rows)
      .onConflict((conflict) =>
        conflict
          .columns(['name', 'started_at'])
          .doUpdateSet({ used: sql<number>`rate_slot.used + excluded.used` }),
      )
      .returning([
        'name',
        'started_at',
        'used',
        sql<number>`(select cast(coalesce(sum(other.used), 0) as bigint) ${others})`.as('before'),
        sql<number | null>`(select min(other.started_at) ${others})`.as('first'),
      ])
      .execute()
    return windows.map((row) => ({
      name: row.name,
      startedAt: Math.min(row.first ?? row.started_at, row.started_at),
      used: row.used + row.before,
    }))
  }

  /** Deletes what is in no window any more. */
  async deleteEnded(now: number): Promise<void> {
    await this.#db
      .deleteFrom('rate_slot')
      .where(sql<boolean>`started_at + window_ms <= ${now}`)
      .execute()
  }
}
