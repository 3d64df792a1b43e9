import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AccountId } from '@mayfly/contract'
import { ALICE, BOB, describeEachDatabase, NOW } from '../../../test/testing-store.ts'
import type { SlotKind } from '../../store/schema.ts'
import { LeasedSlots } from './leased-slots.ts'
import { MemorySlots, type Slot, type SlotHolder } from './slots.ts'

const KINDS: readonly SlotKind[] = ['wait', 'stream', 'link']

type Take = (limit: number, owner?: AccountId) => Promise<Slot | null>

/** What holds wherever slots are counted. */
async function holdsExactly(takers: readonly Take[]): Promise<void> {
  const burst = async (count: number, limit: number) => {
    const slots = await Promise.all(
      Array.from({ length: count }, (_, i) => takers[i % takers.length]?.(limit)),
    )
    return slots.filter((slot) => slot !== null && slot !== undefined)
  }
  const held = await burst(60, 50)
  assert.equal(held.length, 50)
  assert.deepEqual(await burst(4, 50), [])
  const others = await Promise.all(takers.map((take) => take(1, BOB)))
  assert.equal(others.filter((slot) => slot !== null).length, 1, 'accounts are counted apart')

  // Given back twice, it is free once.
  for (const slot of held.slice(0, 3)) await slot[Symbol.asyncDispose]()
  for (const slot of held.slice(0, 3)) await slot[Symbol.asyncDispose]()
  assert.equal((await burst(10, 50)).length, 3)
}

const taker =
  (holder: SlotHolder, kind: SlotKind): Take =>
  (limit, owner = ALICE) =>
    holder.take(owner, kind, limit)

describe('slots in memory', () => {
  it('are as many as the limit, exactly, for each kind', async () => {
    const holder = new MemorySlots()
    for (const kind of KINDS) await holdsExactly([taker(holder, kind)])
  })
})

describeEachDatabase('slots in the store', (open) => {
  it('are as many as the limit over all nodes, exactly, for each kind', async () => {
    const store = await open()
    const nodes = ['a', 'b', 'c'].map((node) => leased({ store, node }))
    for (const kind of KINDS) await holdsExactly(nodes.map((node) => taker(node, kind)))
  })

  it('come free when their node dies, and stay while it lives', async () => {
    const store = await open()
    let now = NOW
    const clock = { now: () => now }
    const dead = leased({ store, node: 'dead', clock })
    const living = leased({ store, node: 'living', clock })
    assert.notEqual(await dead.take(ALICE, 'wait', 2), null)
    assert.notEqual(await living.take(ALICE, 'wait', 2), null)
    for (let i = 0; i < 3; i++) {
      assert.equal(await living.take(ALICE, 'wait', 2), null)
      now += 20_000
      await living.renew()
    }
    assert.notEqual(await living.take(ALICE, 'wait', 2), null)
    assert.equal(await living.take(ALICE, 'wait', 2), null)
  })

  it('are not given back by a holder that outlived its lease', async () => {
    const store = await open()
    let now = NOW
    const holder = leased({ store, node: 'a', clock: { now: () => now } })
    const late = await holder.take(ALICE, 'wait', 1)
    now += 60_000
    assert.notEqual(await holder.take(ALICE, 'wait', 1), null)
    await late?.[Symbol.asyncDispose]()
    assert.equal(await holder.take(ALICE, 'wait', 1), null)
  })

  it('are given back without a throw when the store is gone', async () => {
    const store = await open()
    const failures: unknown[] = []
    const holder = leased({ store, node: 'a', onReleaseFailed: (error) => failures.push(error) })
    const slot = await holder.take(ALICE, 'wait', 1)
    await store.execute('drop table slot')
    await slot?.[Symbol.asyncDispose]()
    assert.equal(failures.length, 1)
  })

  it('come free a minute after a failed release, while their node holds others', async () => {
    const store = await open()
    let now = NOW
    const failures: unknown[] = []
    const onReleaseFailed = (error: unknown) => failures.push(error)
    const holder = leased({ store, node: 'a', clock: { now: () => now }, onReleaseFailed })
    const slot = await holder.take(ALICE, 'wait', 1)
    assert.notEqual(await holder.take(BOB, 'wait', 1), null)
    assert.notEqual(await holder.take(ALICE, 'stream', 1), null)
    await store.execute('alter table slot rename to slot_away')
    await slot?.[Symbol.asyncDispose]()
    await store.execute('alter table slot_away rename to slot')
    assert.equal(failures.length, 1)
    for (let i = 0; i < 3; i++) {
      assert.equal(await holder.take(ALICE, 'wait', 1), null)
      now += 20_000
      await holder.renew()
    }
    assert.notEqual(await holder.take(ALICE, 'wait', 1), null)
    assert.equal(await holder.take(BOB, 'wait', 1), null)
    assert.equal(await holder.take(ALICE, 'stream', 1), null)
  })

  it('come free a minute after a claim whose response was lost', async () => {
    const store = await open()
    let now = NOW
    const holder = leased({ store, node: 'a', clock: { now: () => now } })
    assert.notEqual(await holder.take(BOB, 'wait', 1), null)
    const slot = { kind: 'wait', number: 1, token: 'a-2' } as const
    const claim = { ...slot, node: 'a', leasedUntil: NOW + 60_000, now }
    assert.equal(await store.slots.claim(ALICE, claim), true)
    for (let i = 0; i < 3; i++) {
      now += 20_000
      await holder.renew()
    }
    assert.notEqual(await holder.take(ALICE, 'wait', 1), null)
  })

  it('are forgotten once their lease is over', async () => {
    const store = await open()
    await leased({ store, node: 'a' }).take(ALICE, 'wait', 1)
    await store.slots.deleteEnded(NOW + 59_999)
    assert.deepEqual(await store.slots.listTaken(ALICE, 'wait', NOW), [1])
    await store.slots.deleteEnded(NOW + 60_000)
    assert.deepEqual(await store.slots.listTaken(ALICE, 'wait', NOW), [])
  })
})

function leased(
  about: Partial<ConstructorParameters<typeof LeasedSlots>[0]> &
    Pick<ConstructorParameters<typeof LeasedSlots>[0], 'store' | 'node'>,
): LeasedSlots {
  return new LeasedSlots({
    clock: { now: () => NOW },
    onReleaseFailed: (error) => assert.fail(String(error)),
    ...about,
  })
}
