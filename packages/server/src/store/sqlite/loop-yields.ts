import { setTimeout as delay } from 'node:timers/promises'
import { resultCode, SQLITE } from './result-codes.ts'

/** Time for queries within one turn of the event loop; the rest wait for the next one. */
const TURN_MS = 8

/** Time between two tries to write while another thread writes. */
const BUSY_PAUSE_MS = 2

/** How long a writer waits for a writer on another thread. */
export const BUSY_TIMEOUT_MS = 5_000

/**
 * Yields to the event loop between queries, and while another thread writes.
 *
 * A query of SQLite blocks its thread, and its promise resolves before the loop turns. Without
 * this, a loop of queries, or many calls that each run some, would block all other work.
 */
export class LoopYields {
  readonly #elapsedMs: () => number
  /** When the first query of this turn began; null before it. */
  #startedAtMs: number | null = null
  /** Resumes waiting callers in the order of their calls. */
  readonly #waiting = new Set<() => void>()

  constructor(elapsedMs: () => number) {
    this.#elapsedMs = elapsedMs
  }

  /** Null when a query may run now, before anything else; otherwise resolves when it may. */
  next(): Promise<void> | null {
    return this.#waiting.size > 0 || this.#isOver() ? this.#wait() : null
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

  #wait(): Promise<void> {
    if (this.#waiting.size === 0) setImmediate(() => this.#letGo())
    return new Promise((resolve) => this.#waiting.add(resolve))
  }

  /** Resumes waiting callers one by one, until the time of the turn is used up. */
  #letGo(): void {
    const [first] = this.#waiting
    if (first === undefined) return
    if (this.#isOver()) {
      setImmediate(() => this.#letGo())
      return
    }
    this.#waiting.delete(first)
    first()
    // When its query has run: a tick follows all microtasks.
    queueMicrotask(() => process.nextTick(() => this.#letGo()))
  }

  #isOver(): boolean {
    if (this.#startedAtMs !== null) return this.#elapsedMs() - this.#startedAtMs >= TURN_MS
    this.#startedAtMs = this.#elapsedMs()
    // Before the waiting callers: immediates run in the order in which they were set.
    setImmediate(() => {
      this.#startedAtMs = null
    })
    return false
  }
}
