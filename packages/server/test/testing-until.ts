import { setTimeout as delay } from 'node:timers/promises'

/** Longest that a test waits for something that must happen soon. */
const PATIENCE_MS = 60_000

/** Pauses between two questions: each takes work, so they grow with a twentieth of the time. */
const PAUSE_MS = { min: 10, max: 100 }
const PAUSE_PART = 1 / 20

/** Asks again and again until the answer is not null; fails when it stays so. */
export async function until<T>(ask: () => Promise<T | null>): Promise<T> {
  const startedAt = performance.now()
  for (;;) {
    const answer = await ask()
    if (answer !== null) return answer
    const waitedMs = performance.now() - startedAt
    if (waitedMs > PATIENCE_MS) throw new Error('it did not happen')
    await delay(Math.min(PAUSE_MS.min + waitedMs * PAUSE_PART, PAUSE_MS.max))
  }
}
