import { setTimeout as delay } from 'node:timers/promises'
import { resultCode, SQLITE } from './result-codes.ts'

/** Time that the queries of one turn of the event loop take together, before the loop goes on. */
const TURN_MS = 8

/** Time between two tries to write while another thread writes. */
const BUSY_PAUSE_MS = 2

/** How long a writer waits for a writer on another thread. */
export const BUSY_TIMEOUT_MS = 5_000

/**
 * Lets the event loop turn between queries, and while another thread writes.
 *
 * A query of SQLite blocks its thread, and its promise resolves before the loop turns. Without
 * this, a loop of queries, or many calls that each run some, would keep everybody else waiting.
 */
export class Turns {
  readonly #elapsedMs: () => number
  /** When the first query of this turn began; null before it. */
  #startedAtMs: number | null = null

  constructor(elapsedMs: () => number) {
    this.#elapsedMs = elapsedMs
  }

  /** Null when a query may run now, before anything else; otherwise resolves when it may. */
  next(): Promise<void> | null {
    return this.#isOver() ? this.#wait() : null
  }

  /** Does `work`, and again while another thread writes. SQLite itself would block the thread. */
  async whenFree<T>(work: () => T): Promise<T> {
    const giveUpAtMs = this.#elapsedMs() + BUSY_TIMEOUT_MS
    for (;;) {
      try {
        return work()
      } catch (error) {
        if (resultCode(error) !== SQLITE.BUSY || this.#elapsedMs() >= giveUpAtMs) throw error
      }
      await delay(BUSY_PAUSE_MS)
    }
  }

  async #wait(): Promise<void> {
    do await new Promise((resolve) => setImmediate(resolve))
    while (this.#isOver())
  }

  #isOver(): boolean {
    if (this.#startedAtMs !== null) return this.#elapsedMs() - this.#startedAtMs >= TURN_MS
    this.#startedAtMs = this.#elapsedMs()
    // Before those that wait: they are called in the order of their calls.
    setImmediate(() => {
      this.#startedAtMs = null
    })
    return false
  }
}
