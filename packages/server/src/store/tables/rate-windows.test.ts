import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { describeEachDatabase, NOW } from '../../../test/testing-store.ts'
import { MemoryWindows } from '../../features/limits/memory-windows.ts'

const MINUTE_MS = 60_000

describeEachDatabase('rate windows', (open) => {
  const take = (name: string, count = 1, slot = NOW) => ({ name, windowMs: MINUTE_MS, count, slot })

  it('gives each of many takers at once places of its own', async () => {
    const store = await open()
    const windows = await Promise.all(
      Array.from({ length: 40 }, () => store.rateWindows.add([take('a')])),
    )
    const places = windows.flat().map(({ used }) => used)
    assert.deepEqual(
      places.sort((a, b) => a - b),
      Array.from({ length: 40 }, (_, i) => i + 1),
    )
  })

  it('does not cross with another that takes from the same rates', async () => {
    const store = await open()
    const names = Array.from({ length: 20 }, (_, i) => `acc_${i}`)
    const rounds = Array.from({ length: 20 }, (_, i) => {
      const takes = names.map((name) => take(name))
      return store.rateWindows.add(i % 2 === 0 ? takes : takes.reverse())
    })
    const windows = (await Promise.all(rounds)).flat()
    assert.equal(Math.max(...windows.map(({ used }) => used)), 20)
  })

  it('forgets windows that are over', async () => {
    const store = await open()
    await store.rateWindows.add([take('old', 5), take('young', 5, NOW + 1_000)])
    await store.rateWindows.deleteEnded(NOW + MINUTE_MS)
    const windows = await store.rateWindows.add([take('old'), take('young')])
    assert.deepEqual(windows.map(({ name, used }) => [name, used]).sort(), [
      ['old', 1],
      ['young', 6],
    ])
  })

  it('counts as memory does, whatever is taken when', async () => {
    const store = await open()
    const steps = fc.array(
      fc.record({
        name: fc.constantFrom('x', 'y'),
        count: fc.integer({ min: 1, max: 4 }),
        // Back too: a machine's clock may be set.
        stepMs: fc.integer({ min: -70_000, max: 70_000 }),
      }),
      { maxLength: 12 },
    )
    let run = 0
    await fc.assert(
      fc.asyncProperty(steps, async (takes) => {
        run += 1
        const memory = new MemoryWindows()
        let now = NOW
        for (const { name, count, stepMs } of takes) {
          now += stepMs
          const options = [take(`${run} ${name}`, count, now)]
          assert.deepEqual(await store.rateWindows.add(options), await memory.add(options))
        }
      }),
      { numRuns: 30 },
    )
  })
})
