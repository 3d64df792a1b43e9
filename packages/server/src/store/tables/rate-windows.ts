import { type Kysely, sql } from 'kysely'
import type { Dialect } from '../dialect.ts'
import type { Schema } from '../schema.ts'
import type { Statements } from '../statements.ts'

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

type WindowRow = {
  readonly name: string
  readonly started_at: number
  readonly used: number
  readonly before: number
  readonly first: number | null
}

// In both directions: a slot that starts in the future is from before a clock was set back.
const OTHERS = `from rate_slot as other where other.name = rate_slot.name
  and other.started_at <> rate_slot.started_at
  and abs(other.started_at - rate_slot.started_at) < rate_slot.window_ms`

// Written by hand, past the query builder: it runs for every request.
const adding = (values: string) => `insert into rate_slot (name, started_at, window_ms, used)
  values ${values}
  on conflict (name, started_at) do update set used = rate_slot.used + excluded.used
  returning name, started_at, used,
    (select cast(coalesce(sum(other.used), 0) as bigint) ${OTHERS}) as before,
    (select min(other.started_at) ${OTHERS}) as first`

/** Sliding windows of the rate limits, counted by all nodes together. */
export class RateWindows {
  readonly #db: Kysely<Schema>
  readonly #dialect: Dialect
  readonly #statements: Statements

  constructor(db: Kysely<Schema>, dialect: Dialect, statements: Statements) {
    this.#db = db
    this.#dialect = dialect
    this.#statements = statements
  }

  /**
   * Adds to the windows of several names, each named once. In one statement, so that concurrent
   * calls see different counts; in the order of names, so that two nodes do not deadlock.
   */
  async add(additions: readonly RateAddition[]): Promise<RateWindow[]> {
    const rows = additions
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .map(({ name, slot, windowMs, count }) => [name, slot, windowMs, count])
    let position = 0
    const values = rows.map((row) => {
      const placeholders = row.map(() => this.#dialect.placeholder(++position))
      return `(${placeholders.join(', ')})`
    })
    const windows = await this.#statements.run<WindowRow>(adding(values.join(', ')), rows.flat())
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
