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
export class LoopTurns {
  readonly #elapsedMs: () => number
  /** When the first query of this turn began; null before it. */
  #startedAtMs: number | null = null
  /** Lets those that wait go on, in the order of their calls. */
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

  /** Lets those that wait go one after the other, as long as the turn lasts. */
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
    // Before those that wait: immediates are called in the order in which they were made.
    setImmediate(() => {
      this.#startedAtMs = null
    })
    return false
  }
}
