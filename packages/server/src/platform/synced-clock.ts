import type { Clock } from './clock.ts'

/** Questions at the start: the quickest answer tells the time best. */
const FIRST_SAMPLES = 3

/**
 * A clock that follows another one, which is asked for the time now and then. In between it goes
 * by the time that passes, so that a change of the machine's clock does not matter.
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

  /** Takes over the time for the first time. */
  async start(): Promise<void> {
    let best = await this.#sample()
    for (let i = 1; i < FIRST_SAMPLES; i++) {
      const next = await this.#sample()
      if (next.errorMs < best.errorMs) best = next
    }
    this.#origin = best.origin
  }

  /** Asks again, and follows when the difference is more than the question's own time explains. */
  async sync(): Promise<void> {
    const { origin, errorMs } = await this.#sample()
    if (Math.abs(origin - this.#origin) > errorMs) this.#origin = origin
  }

  async #sample(): Promise<{ readonly origin: number; readonly errorMs: number }> {
    const askedAt = this.#elapsedMs()
    const time = await this.#ask()
    const answeredAt = this.#elapsedMs()
    // The answer was made between the two. A millisecond is lost by rounding.
    return { origin: time - (askedAt + answeredAt) / 2, errorMs: (answeredAt - askedAt) / 2 + 1 }
  }
}
