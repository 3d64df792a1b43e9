/**
 * Passes values on, at most one per interval: the first at once, the newest of the later ones at
 * the end of the interval.
 */
export class Throttle<T> {
  readonly #whileMs: number
  readonly #pass: (value: T) => void
  #timer: NodeJS.Timeout | undefined
  #newest: { readonly value: T } | null = null

  constructor(whileMs: number, pass: (value: T) => void) {
    this.#whileMs = whileMs
    this.#pass = pass
  }

  /** Passes a value on, now or later; a newer one may replace it. */
  add(value: T): void {
    if (this.#timer !== undefined) {
      this.#newest = { value }
      return
    }
    this.#timer = setTimeout(() => this.#end(), this.#whileMs).unref()
    this.#pass(value)
  }

  /** Forgets the value that waits. */
  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#newest = null
  }

  #end(): void {
    const newest = this.#newest
    this.stop()
    if (newest !== null) this.add(newest.value)
  }
}
