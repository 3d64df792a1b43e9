/** Memory that all sessions together take for mail that is not stored yet. */
export type InFlight = { bytes: number; readonly bytesMax: number }

/** One session's share of it. */
export class MemoryShare {
  readonly #inFlight: InFlight
  #bytes = 0

  constructor(inFlight: InFlight) {
    this.#inFlight = inFlight
  }

  /** States anew how much this session holds. False when all together hold too much. */
  hold(bytes: number): boolean {
    this.#inFlight.bytes += bytes - this.#bytes
    this.#bytes = bytes
    return this.#inFlight.bytes <= this.#inFlight.bytesMax
  }
}
