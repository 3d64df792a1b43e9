import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type ReadPlace, ReadPlaces } from './read-places.ts'

/** Places, and who was granted one, in order. */
function givenPlaces(limits: { readonly readsMax: number; readonly readsPerOwnerMax: number }) {
  const places = new ReadPlaces(limits)
  const granted: string[] = []
  const requested = new Map<string, ReadPlace>()
  return {
    granted,
    /** By names whose first letter is the owner. */
    request: (...names: readonly string[]) => {
      for (const name of names) {
        const place = places.request(name.slice(0, 1))
        requested.set(name, place)
        void place.granted.then(() => granted.push(name))
      }
      return settled()
    },
    giveBack: (name: string) => {
      requested.get(name)?.[Symbol.dispose]()
      return settled()
    },
  }
}

/** Promises that are resolved have called back. */
async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
}

describe('places for messages in memory', () => {
  it('are limited for an owner, and for all', async () => {
    const { granted, request } = givenPlaces({ readsMax: 4, readsPerOwnerMax: 2 })
    await request('a0', 'a1', 'a2', 'b0', 'c0', 'd0')
    assert.deepEqual(granted, ['a0', 'a1', 'b0', 'c0'])
  })

  it('are granted to owners in turns', async () => {
    const { granted, request, giveBack } = givenPlaces({ readsMax: 2, readsPerOwnerMax: 2 })
    await request('a0', 'a1', 'a2', 'a3', 'a4', 'b0', 'b1', 'c0')
    for (const name of ['a0', 'a1', 'a2', 'b0', 'c0']) await giveBack(name)
    assert.deepEqual(granted, ['a0', 'a1', 'a2', 'b0', 'c0', 'a3', 'b1'])
  })

  it('pass by those who have left the queue, and are given back once', async () => {
    const { granted, request, giveBack } = givenPlaces({ readsMax: 1, readsPerOwnerMax: 1 })
    await request('a0', 'a1', 'b0', 'a2', 'b1')
    await giveBack('a1')
    await giveBack('b0')
    assert.deepEqual(granted.splice(0), ['a0', 'a1', 'b0'], 'those who leave wait no longer')
    await giveBack('a0')
    await giveBack('a0')
    assert.deepEqual(granted.splice(0), ['a2'])
    await giveBack('a2')
    assert.deepEqual(granted, ['b1'])
  })
})
