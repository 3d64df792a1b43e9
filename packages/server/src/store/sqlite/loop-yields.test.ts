import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { LoopYields } from './loop-yields.ts'

/** Queries that take some milliseconds each, and the turn of the event loop that each ran in. */
function given() {
  let nowMs = 0
  let turn = 0
  let isCounting = true
  const count = () => {
    turn += 1
    if (isCounting) setImmediate(count)
  }
  setImmediate(count)
  const turns = new LoopYields(() => nowMs)
  const ranIn: number[] = []
  const query = async (takesMs: number) => {
    const next = turns.next()
    if (next !== null) await next
    nowMs += takesMs
    ranIn.push(turn)
  }
  const dispose = () => {
    isCounting = false
  }
  return { query, ranIn, [Symbol.dispose]: dispose }
}

const perTurn = (ranIn: readonly number[]) =>
  [...Map.groupBy(ranIn, (turn) => turn).values()].map(({ length }) => length)

describe('the turns of the event loop', () => {
  it('have queries for 8 ms each, when one runs after the other', async () => {
    using loop = given()
    for (let i = 0; i < 9; i++) await loop.query(3)
    assert.deepEqual(perTurn(loop.ranIn), [3, 3, 3])
  })

  it('have queries for 8 ms each, when they all wait', async () => {
    using loop = given()
    await Promise.all(Array.from({ length: 9 }, () => loop.query(3)))
    assert.deepEqual(perTurn(loop.ranIn), [3, 3, 3])
  })

  it('have each query in its turn, also beside a loop of long ones', async () => {
    using loop = given()
    const ran: string[] = []
    const queries = async (name: string, count: number) => {
      for (let i = 0; i < count; i++) {
        await loop.query(10)
        ran.push(name)
      }
    }
    await Promise.all([queries('loop', 20), queries('other', 3)])
    assert.deepEqual(ran.slice(0, 6), ['loop', 'other', 'loop', 'other', 'loop', 'other'])
  })

  it('have at least one', async () => {
    using loop = given()
    for (let i = 0; i < 3; i++) await loop.query(100)
    assert.deepEqual(perTurn(loop.ranIn), [1, 1, 1])
  })
})
