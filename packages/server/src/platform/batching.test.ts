import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as yieldToLoop } from 'node:timers/promises'
import { type BatchingOptions, createBatching } from './batching.ts'

/** Runs that a test lets go on when it wants. */
function givenRuns(options: BatchingOptions<number> = {}) {
  const batches: (readonly number[])[] = []
  const running: PromiseWithResolvers<void>[] = []
  const add = createBatching(async (items: readonly number[]) => {
    batches.push(items)
    const done = Promise.withResolvers<void>()
    running.push(done)
    await done.promise
    return items.map((item) => item * 10)
  }, options)
  return { add, batches, running }
}

describe('batching', () => {
  it('runs together what is ready at once, and apart what comes meanwhile', async () => {
    const { add, batches, running } = givenRuns()
    const first = [add(1), add(2)]
    await yieldToLoop()
    const second = [add(3), add(4), add(5)]
    await yieldToLoop()
    assert.deepEqual(batches, [[1, 2]])
    running[0]?.resolve()
    assert.deepEqual(await Promise.all(first), [10, 20])
    await yieldToLoop()
    assert.deepEqual(batches, [
      [1, 2],
      [3, 4, 5],
    ])
    running[1]?.resolve()
    assert.deepEqual(await Promise.all(second), [30, 40, 50])
  })

  it('has as many runs at a time as it may', async () => {
    const { add, batches, running } = givenRuns({ runsMax: 2 })
    const results = []
    for (const item of [1, 2, 3, 4]) {
      results.push(add(item))
      await yieldToLoop()
    }
    assert.deepEqual(batches, [[1], [2]])
    running[1]?.resolve()
    assert.equal(await results[1], 20)
    await yieldToLoop()
    assert.deepEqual(batches, [[1], [2], [3, 4]])
    for (const { resolve } of running) resolve()
    assert.deepEqual(await Promise.all(results), [10, 20, 30, 40])
  })

  it('rejects all items of a run that fails, and goes on', async () => {
    const { add, running } = givenRuns()
    const first = [add(1), add(2)]
    await yieldToLoop()
    const second = add(3)
    running[0]?.reject(new Error('disk'))
    const results = await Promise.allSettled(first)
    assert.deepEqual(
      results.map(({ status }) => status),
      ['rejected', 'rejected'],
    )
    await yieldToLoop()
    running[1]?.resolve()
    assert.equal(await second, 30)
  })

  it('puts no more than 200 items into one run', async () => {
    const { add, batches, running } = givenRuns()
    const all = Array.from({ length: 450 }, (_, i) => add(i))
    for (let i = 0; i < 3; i++) {
      await yieldToLoop()
      running[i]?.resolve()
    }
    await Promise.all(all)
    assert.deepEqual(
      batches.map(({ length }) => length),
      [200, 200, 50],
    )
  })

  it('puts fewer items into one run when asked to', async () => {
    const { add, batches, running } = givenRuns({ batchMax: 2 })
    const all = [1, 2, 3].map((item) => add(item))
    for (const i of [0, 1]) {
      await yieldToLoop()
      running[i]?.resolve()
    }
    await Promise.all(all)
    assert.deepEqual(batches, [[1, 2], [3]])
  })

  it('pauses after a run when asked to', async () => {
    const { add, batches, running } = givenRuns({ restMs: 30 })
    const first = add(1)
    await yieldToLoop()
    running[0]?.resolve()
    await first
    const restedFrom = performance.now()
    const second = add(2)
    while (batches.length < 2) await yieldToLoop()
    assert.ok(performance.now() - restedFrom >= 25)
    running[1]?.resolve()
    await second
  })

  it('starts each run at once where there is no bound', async () => {
    const { add, batches, running } = givenRuns({ runsMax: Number.POSITIVE_INFINITY })
    const first = add(1)
    await yieldToLoop()
    const second = add(2)
    await yieldToLoop()
    assert.deepEqual(batches, [[1], [2]])
    running[1]?.resolve()
    assert.equal(await second, 20)
    running[0]?.resolve()
    assert.equal(await first, 10)
  })

  it('rejects all items of a run that gives not one result for each', async () => {
    const add = createBatching(async () => [1])
    for (const added of [add('a'), add('b')]) await assert.rejects(added, /one result for each/)
  })

  it('runs together what has the same key, and a few keys at a time', async () => {
    const runs: { items: readonly string[]; done: PromiseWithResolvers<void> }[] = []
    const add = createBatching(
      async (items: readonly string[]) => {
        const done = Promise.withResolvers<void>()
        runs.push({ items, done })
        await done.promise
        return items
      },
      { keyOf: (item) => item.slice(0, 1), runsMax: 2 },
    )
    const added = ['a1', 'b1', 'c1', 'a2', 'c2'].map(add)
    const begun = () => runs.map(({ items }) => items.join(' '))
    await yieldToLoop()
    assert.deepEqual(begun(), ['a1 a2', 'b1'])
    const late = add('a3')
    runs[1]?.done.resolve()
    assert.equal(await added[1], 'b1')
    await yieldToLoop()
    assert.deepEqual(begun(), ['a1 a2', 'b1', 'c1 c2'])
    runs[0]?.done.reject(new Error('locked'))
    await assert.rejects(added[0] ?? Promise.resolve(), /locked/)
    await assert.rejects(added[3] ?? Promise.resolve(), /locked/)
    await yieldToLoop()
    assert.deepEqual(begun(), ['a1 a2', 'b1', 'c1 c2', 'a3'])
    for (const { done } of runs) done.resolve()
    assert.deepEqual(await Promise.all([added[2], added[4], late]), ['c1', 'c2', 'a3'])
  })
})
