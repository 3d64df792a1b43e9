/** Where the time comes from; tests pass their own. */
export type Clock = {
  /** Milliseconds since 1970, UTC. */
  now(): number
}

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now() }

/** Milliseconds on a clock that only runs forward, for durations. */
export const elapsedMs = (): number => performance.now()
