import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { AccountId } from '@mayfly/contract'
import { StorageQuota } from './storage-quota.ts'

const ALICE = 'acc_alice' as AccountId // A brand by hand: the test needs a fixed id.

/** An account of 100 bytes at most that stores `bytes`, and how often that was asked. */
function given(bytes: number) {
  const state = { bytes, nowMs: 0, sums: 0 }
  const room = new StorageQuota({
    storedBytesMax: (plan) => (plan === 'unlimited' ? null : 100),
    sumBytes: async () => {
      state.sums += 1
      return state.bytes
    },
    elapsedMs: () => state.nowMs,
  })
  return { state, room, hasRoom: () => room.hasRoom(ALICE, 'key_only') }
}

describe('the room of an account', () => {
  it('ends at the limit of its plan, by what is stored here and elsewhere', async () => {
    const { state, room, hasRoom } = given(40)
    assert.equal(await hasRoom(), true)
    room.add(ALICE, 59)
    assert.equal(await hasRoom(), true)
    room.add(ALICE, 1)
    assert.equal(await hasRoom(), false)
    assert.equal(state.sums, 1)
  })

  it('is looked at again after a minute, or after 5 s near the limit', async () => {
    const { state, hasRoom } = given(0)
    const sumsAfter = async (ms: number) => {
      state.nowMs += ms
      await hasRoom()
      return state.sums
    }
    assert.equal(await sumsAfter(0), 1)
    assert.equal(await sumsAfter(59_999), 1)
    state.bytes = 100
    assert.equal(await sumsAfter(1), 2)
    assert.equal(await sumsAfter(4_999), 2)
    state.bytes = 0
    assert.equal(await sumsAfter(1), 3)
    assert.equal(await hasRoom(), true)
  })

  it('counts what is stored while it is summed, and nobody waits for the sum', async () => {
    const summing = Promise.withResolvers<number>()
    const room = new StorageQuota({
      storedBytesMax: () => 100,
      sumBytes: () => summing.promise,
      elapsedMs: () => 0,
    })
    const first = room.hasRoom(ALICE, 'key_only')
    await nextTurn()
    room.add(ALICE, 60)
    summing.resolve(40)
    assert.equal(await first, true)
    assert.equal(await room.hasRoom(ALICE, 'key_only'), false)
  })

  it('has no end without a limit, and nobody sums', async () => {
    const { state, room } = given(1_000)
    assert.equal(await room.hasRoom(ALICE, 'unlimited'), true)
    assert.equal(state.sums, 0)
  })

  it('is asked for again when it could not be read', async () => {
    let isBroken = true
    const room = new StorageQuota({
      storedBytesMax: () => 100,
      sumBytes: async () => (isBroken ? assert.fail('broken') : 0),
      elapsedMs: () => 0,
    })
    await assert.rejects(room.hasRoom(ALICE, 'key_only'), /broken/)
    isBroken = false
    assert.equal(await room.hasRoom(ALICE, 'key_only'), true)
  })
})
