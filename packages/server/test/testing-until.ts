import { setTimeout as delay } from 'node:timers/promises'

/** Longest that a test waits for something that must happen soon. */
const PATIENCE_MS = 60_000

/** Asks again and again until the answer is not null; fails when it stays so. */
export async function until<T>(ask: () => Promise<T | null>): Promise<T> {
  const deadline = performance.now() + PATIENCE_MS
  for (;;) {
    const answer = await ask()
    if (answer !== null) return answer
    if (performance.now() > deadline) throw new Error('it did not happen')
    await delay(10)
  }
}
