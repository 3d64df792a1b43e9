/** The source of the current time; tests pass their own. */
export type Clock = {
  /** Milliseconds since 1970, UTC. */
  now(): number
}

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now() }

/** Milliseconds of a monotonic clock, for durations. */
export const elapsedMs = (): number => performance.now()
