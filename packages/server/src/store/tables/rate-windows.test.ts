import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { describeEachDatabase, NOW } from '../../../test/testing-store.ts'
import { MemoryWindows } from '../../features/limits/memory-windows.ts'

const MINUTE_MS = 60_000

describeEachDatabase('rate windows', (open) => {
  it('give each of many concurrent requests another count', async () => {
    const { rateWindows } = await open()
    const windows = await Promise.all(
      Array.from({ length: 40 }, () => rateWindows.count('a', MINUTE_MS, NOW)),
    )
    assert.deepEqual(usedOf(windows), ascending(1, 40))
  })

  it('are followed by one window, whatever comes around their end', async () => {
    const { rateWindows } = await open()
    const end = NOW + MINUTE_MS
    for (let round = 0; round < 10; round++) {
      const name = `${round}`
      await rateWindows.count(name, MINUTE_MS, NOW)
      const windows = await Promise.all(
        Array.from({ length: 40 }, (_, i) =>
          rateWindows.count(name, MINUTE_MS, end - 1 + ((i + round) % 3)),
        ),
      )
      const last = windows.filter(({ startedAt }) => startedAt === NOW)
      const next = windows.filter(({ startedAt }) => startedAt !== NOW)
      assert.deepEqual(usedOf(last), ascending(2, last.length))
      assert.deepEqual(usedOf(next), ascending(1, next.length))
      assert.equal(new Set(next.map(({ startedAt }) => startedAt)).size, 1)
      assert.ok(next.every(({ startedAt }) => startedAt >= end))
    }
  })

  it('are deleted when they have ended', async () => {
    const store = await open()
    await store.rateWindows.count('old', MINUTE_MS, NOW)
    await store.rateWindows.count('young', MINUTE_MS, NOW + 1)
    await store.rateWindows.deleteEnded(NOW + MINUTE_MS)
    // Of the past: one that is there would go on.
    assert.equal((await store.rateWindows.count('old', MINUTE_MS, NOW + 1)).used, 1)
    assert.equal((await store.rateWindows.count('young', MINUTE_MS, NOW + 1)).used, 2)
  })

  it('count as memory does, also when a clock is set back', async () => {
    const { rateWindows } = await open()
    const steps = fc.array(
      fc.record({
        name: fc.constantFrom('x', 'y'),
        stepMs: fc.oneof(
          fc.integer({ min: -70_000, max: 70_000 }),
          fc.constantFrom(-MINUTE_MS, MINUTE_MS - 1, MINUTE_MS),
        ),
      }),
      { maxLength: 12 },
    )
    let run = 0
    await fc.assert(
      fc.asyncProperty(steps, async (requests) => {
        run += 1
        const memory = new MemoryWindows()
        let now = NOW
        for (const { name, stepMs } of requests) {
          now += stepMs
          const request = [`${run} ${name}`, MINUTE_MS, now] as const
          assert.deepEqual(await rateWindows.count(...request), await memory.count(...request))
        }
      }),
      { numRuns: 30 },
    )
  })
})

const usedOf = (windows: readonly { readonly used: number }[]) =>
  windows.map(({ used }) => used).sort((a, b) => a - b)

const ascending = (from: number, count: number) => Array.from({ length: count }, (_, i) => from + i)
