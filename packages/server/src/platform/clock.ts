/** The source of the current time; tests pass their own. */
export type Clock = {
  /** Milliseconds since 1970, UTC. */
  now(): number
}

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now() }

/** Milliseconds of a monotonic clock, for durations. */
export const elapsedMs = (): number => performance.now()

/** A clock that a test sets, in all threads that have its memory. */
export function clockIn(memory: SharedArrayBuffer): Clock & { set(ms: number): void } {
  const value = new BigInt64Array(memory)
  return {
    now: () => Number(Atomics.load(value, 0)),
    set: (ms) => void Atomics.store(value, 0, BigInt(ms)),
  }
}
