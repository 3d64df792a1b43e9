import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createBatchedQuery } from './batched-query.ts'

/** A query that a test answers when it wants. */
function givenQuery() {
  const asked: (readonly number[])[] = []
  const running: PromiseWithResolvers<readonly string[]>[] = []
  const ask = createBatchedQuery((keys: readonly number[]) => {
    asked.push(keys)
    const answer = Promise.withResolvers<readonly string[]>()
    running.push(answer)
    return answer.promise
  })
  return { ask, asked, running }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('the batched query', () => {
  it('asks once for what is asked for in one turn', async () => {
    const { ask, asked, running } = givenQuery()
    const answers = Promise.all([ask(1), ask(2), ask(1)])
    assert.deepEqual(asked, [])
    await turn()
    assert.deepEqual(asked, [[1, 2, 1]])
    running[0]?.resolve(['one', 'two', 'one again'])
    assert.deepEqual(await answers, ['one', 'two', 'one again'])
  })

  it('begins a query of its own for what is asked for while another one runs', async () => {
    const { ask, asked, running } = givenQuery()
    const first = ask(1)
    await turn()
    const second = ask(1)
    await turn()
    assert.deepEqual(asked, [[1], [1]])
    running[1]?.resolve(['newer'])
    assert.equal(await second, 'newer')
    running[0]?.resolve(['older'])
    assert.equal(await first, 'older')
  })

  it('fails all that a failed query asked for, and no other', async () => {
    const { ask, running } = givenQuery()
    const failing = [ask(1), ask(2)]
    await turn()
    const other = ask(3)
    await turn()
    running[0]?.reject(new Error('no connection'))
    for (const one of failing) await assert.rejects(one, { message: 'no connection' })
    running[1]?.resolve(['three'])
    assert.equal(await other, 'three')
  })

  it('asks for at most 200 at a time', async () => {
    const { ask, asked, running } = givenQuery()
    const answers = Promise.all(Array.from({ length: 201 }, (_, key) => ask(key)))
    await turn()
    assert.deepEqual(
      asked.map(({ length }) => length),
      [200, 1],
    )
    for (const [i, answer] of running.entries()) answer.resolve(asked[i]?.map(String) ?? [])
    assert.equal((await answers)[200], '200')
  })

  it('fails when there is not one result for each key', async () => {
    const { ask, running } = givenQuery()
    const answers = [ask(1), ask(2)]
    await turn()
    running[0]?.resolve(['one'])
    for (const one of answers) await assert.rejects(one, { message: 'not one result for each key' })
  })
})
