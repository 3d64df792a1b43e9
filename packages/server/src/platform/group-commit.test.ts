import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createGroupCommit, createKeyedCommit } from './group-commit.ts'

/** A commit that a test lets go on when it wants. */
function givenCommit(options: Parameters<typeof createGroupCommit>[1] = {}) {
  const batches: (readonly number[])[] = []
  const running: PromiseWithResolvers<void>[] = []
  const add = createGroupCommit(async (items: readonly number[]) => {
    batches.push(items)
    const done = Promise.withResolvers<void>()
    running.push(done)
    await done.promise
    return items.map((item) => item * 10)
  }, options)
  return { add, batches, running }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('the group commit', () => {
  it('commits together what is ready at once, and apart what comes meanwhile', async () => {
    const { add, batches, running } = givenCommit()
    const first = [add(1), add(2)]
    await turn()
    const second = [add(3), add(4), add(5)]
    await turn()
    assert.deepEqual(batches, [[1, 2]])
    running[0]?.resolve()
    assert.deepEqual(await Promise.all(first), [10, 20])
    await turn()
    assert.deepEqual(batches, [
      [1, 2],
      [3, 4, 5],
    ])
    running[1]?.resolve()
    assert.deepEqual(await Promise.all(second), [30, 40, 50])
  })

  it('runs as many commits at a time as it may', async () => {
    const { add, batches, running } = givenCommit({ commitsMax: 2 })
    const results = []
    for (const item of [1, 2, 3, 4]) {
      results.push(add(item))
      await turn()
    }
    assert.deepEqual(batches, [[1], [2]])
    running[1]?.resolve()
    assert.equal(await results[1], 20)
    await turn()
    assert.deepEqual(batches, [[1], [2], [3, 4]])
    for (const { resolve } of running) resolve()
    assert.deepEqual(await Promise.all(results), [10, 20, 30, 40])
  })

  it('runs a commit beside another only with as many items', async () => {
    const { add, batches, running } = givenCommit({ commitsMax: 2 })
    const results = [add(1), add(2)]
    await turn()
    results.push(add(3))
    await turn()
    assert.deepEqual(batches, [[1, 2]])
    results.push(add(4))
    await turn()
    assert.deepEqual(batches, [
      [1, 2],
      [3, 4],
    ])
    results.push(add(5))
    for (const { resolve } of running) resolve()
    await Promise.all(results.slice(0, 4))
    await turn()
    assert.deepEqual(batches.at(-1), [5])
    running.at(-1)?.resolve()
    assert.deepEqual(await Promise.all(results), [10, 20, 30, 40, 50])
  })

  it('tells a failure to all of its batch, and goes on', async () => {
    const { add, running } = givenCommit()
    const first = [add(1), add(2)]
    await turn()
    const second = add(3)
    running[0]?.reject(new Error('disk'))
    const results = await Promise.allSettled(first)
    assert.deepEqual(
      results.map(({ status }) => status),
      ['rejected', 'rejected'],
    )
    await turn()
    running[1]?.resolve()
    assert.equal(await second, 30)
  })

  it('puts no more than 200 items into one commit', async () => {
    const { add, batches, running } = givenCommit()
    const all = Array.from({ length: 450 }, (_, i) => add(i))
    for (let i = 0; i < 3; i++) {
      await turn()
      running[i]?.resolve()
    }
    await Promise.all(all)
    assert.deepEqual(
      batches.map(({ length }) => length),
      [200, 200, 50],
    )
  })

  it('puts fewer items into one commit when asked to', async () => {
    const { add, batches, running } = givenCommit({ batchMax: 2 })
    const all = [1, 2, 3].map((item) => add(item))
    for (const i of [0, 1]) {
      await turn()
      running[i]?.resolve()
    }
    await Promise.all(all)
    assert.deepEqual(batches, [[1, 2], [3]])
  })

  it('pauses after a commit when asked to', async () => {
    const { add, batches, running } = givenCommit({ restMs: 30 })
    const first = add(1)
    await turn()
    running[0]?.resolve()
    await first
    const restedFrom = performance.now()
    const second = add(2)
    while (batches.length < 2) await turn()
    assert.ok(performance.now() - restedFrom >= 25)
    running[1]?.resolve()
    await second
  })

  it('commits together what comes in the turns between two commits', async () => {
    const { add, batches, running } = givenCommit({ restTurns: 2 })
    const first = add(1)
    await turn()
    const second = add(2)
    running[0]?.resolve()
    await first
    await turn()
    const third = add(3)
    assert.deepEqual(batches, [[1]])
    while (batches.length < 2) await turn()
    assert.deepEqual(batches, [[1], [2, 3]])
    running[1]?.resolve()
    assert.deepEqual(await Promise.all([second, third]), [20, 30])
  })
})

describe('the commit by key', () => {
  it('commits together what has the same key, and a few keys at a time', async () => {
    const commits: { items: readonly string[]; done: PromiseWithResolvers<void> }[] = []
    const add = createKeyedCommit(
      async (items: readonly string[]) => {
        const done = Promise.withResolvers<void>()
        commits.push({ items, done })
        await done.promise
        return items
      },
      { keyOf: (item) => item.slice(0, 1), commitsMax: 2 },
    )
    const added = ['a1', 'b1', 'c1', 'a2', 'c2', 'a3'].map(add)
    const run = () => commits.map(({ items }) => items.join(' '))
    assert.deepEqual(run(), ['a1', 'b1'])
    commits[1]?.done.resolve()
    assert.equal(await added[1], 'b1')
    await nextTurn()
    assert.deepEqual(run(), ['a1', 'b1', 'c1 c2'])
    commits[0]?.done.reject(new Error('locked'))
    await assert.rejects(added[0] ?? Promise.resolve(), /locked/)
    await nextTurn()
    assert.deepEqual(run(), ['a1', 'b1', 'c1 c2', 'a2 a3'])
    for (const { done } of commits) done.resolve()
    assert.deepEqual(await Promise.all(added.slice(1)), ['b1', 'c1', 'a2', 'c2', 'a3'])
  })
})
