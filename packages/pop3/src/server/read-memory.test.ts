import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ReadMemory, type ReadSlot } from './read-memory.ts'

/** Slots, and who was granted one, in order. */
function givenSlots(limits: { readonly readsMax: number; readonly readsPerOwnerMax: number }) {
  const slots = new ReadMemory(limits)
  const granted: string[] = []
  const requested = new Map<string, ReadSlot>()
  return {
    granted,
    /** By names whose first letter is the owner. */
    request: (...names: readonly string[]) => {
      for (const name of names) {
        const slot = slots.request(name.slice(0, 1))
        requested.set(name, slot)
        void slot.granted.then(() => granted.push(name))
      }
      return settled()
    },
    release: (name: string) => {
      requested.get(name)?.[Symbol.dispose]()
      return settled()
    },
  }
}

/** Promises that are resolved have called back. */
async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
}

describe('slots for messages in memory', () => {
  it('are limited for an owner, and for all', async () => {
    const { granted, request } = givenSlots({ readsMax: 4, readsPerOwnerMax: 2 })
    await request('a0', 'a1', 'a2', 'b0', 'c0', 'd0')
    assert.deepEqual(granted, ['a0', 'a1', 'b0', 'c0'])
  })

  it('are granted to owners in turns', async () => {
    const { granted, request, release } = givenSlots({ readsMax: 2, readsPerOwnerMax: 2 })
    await request('a0', 'a1', 'a2', 'a3', 'a4', 'b0', 'b1', 'c0')
    for (const name of ['a0', 'a1', 'a2', 'b0', 'c0']) await release(name)
    assert.deepEqual(granted, ['a0', 'a1', 'a2', 'b0', 'c0', 'a3', 'b1'])
  })

  it('pass by those who have left the queue, and are given back once', async () => {
    const { granted, request, release } = givenSlots({ readsMax: 1, readsPerOwnerMax: 1 })
    await request('a0', 'a1', 'b0', 'a2', 'b1')
    await release('a1')
    await release('b0')
    assert.deepEqual(granted.splice(0), ['a0', 'a1', 'b0'], 'those who leave wait no longer')
    await release('a0')
    await release('a0')
    assert.deepEqual(granted.splice(0), ['a2'])
    await release('a2')
    assert.deepEqual(granted, ['b1'])
  })
})
