import { type Clock, clockIn } from '../src/platform/clock.ts'

/** A clock that a test sets, for all threads of a service. */
export type TestClock = Clock & {
  /** Milliseconds since 1970. */
  ms: number
  readonly memory: SharedArrayBuffer
}

/** A clock that stands at this time until the test sets it. */
export function testClock(ms: number): TestClock {
  const memory = new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT)
  const clock = clockIn(memory)
  clock.set(ms)
  return {
    memory,
    now: clock.now,
    get ms() {
      return clock.now()
    },
    set ms(value) {
      clock.set(value)
    },
  }
}
