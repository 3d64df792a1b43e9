import type { Clock } from './clock.ts'

/** Queries at the start: the quickest response has the most exact time. */
const FIRST_SAMPLES = 3

/**
 * A clock that follows another one, which is queried from time to time. In between it uses a
 * monotonic clock, so that a change of the machine's clock does not matter.
 */
export class SyncedClock implements Clock {
  readonly #ask: () => Promise<number>
  readonly #elapsedMs: () => number
  /** The other clock's time when `elapsedMs` was 0. */
  #origin = 0

  constructor(ask: () => Promise<number>, elapsedMs: () => number) {
    this.#ask = ask
    this.#elapsedMs = elapsedMs
  }

  now(): number {
    return Math.floor(this.#origin + this.#elapsedMs())
  }

  /** Reads the time for the first time. */
  async start(): Promise<void> {
    let best = await this.#sample()
    for (let i = 1; i < FIRST_SAMPLES; i++) {
      const next = await this.#sample()
      if (next.errorMs < best.errorMs) best = next
    }
    this.#origin = best.origin
  }

  /**
   * Queries again, and follows when the difference is more than the duration of the query explains.
   */
  async sync(): Promise<void> {
    const { origin, errorMs } = await this.#sample()
    if (Math.abs(origin - this.#origin) > errorMs) this.#origin = origin
  }

  async #sample(): Promise<{ readonly origin: number; readonly errorMs: number }> {
    const askedAt = this.#elapsedMs()
    const time = await this.#ask()
    const answeredAt = this.#elapsedMs()
    // The response was made between the two. Rounding costs a millisecond.
    return { origin: time - (askedAt + answeredAt) / 2, errorMs: (answeredAt - askedAt) / 2 + 1 }
  }
}
