import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AccountId } from '@mayfly/contract'
import { ALICE, BOB, describeEachDatabase, NOW } from '../../../test/testing-store.ts'
import { ServiceError } from '../../errors.ts'
import { LeasedWaitSlots } from './leased-wait-slots.ts'
import { PLANS } from './plans.ts'
import { MemoryWaitSlots, takeWaitSlot, type WaitSlot, type WaitSlotHolder } from './wait-slots.ts'

type Take = (limit: number, owner?: AccountId) => Promise<WaitSlot | null>

/** What holds wherever places are counted. */
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
  (holder: WaitSlotHolder): Take =>
  (limit, owner = ALICE) =>
    holder.take(owner, limit)

describe('places of waits in memory', () => {
  it('are as many as the limit, exactly', async () => {
    await holdsExactly([taker(new MemoryWaitSlots())])
  })
})

describeEachDatabase('places of waits in the store', (open) => {
  it('are as many as the limit over all nodes, exactly', async () => {
    const store = await open()
    const node = (name: string) => leased({ store, node: name })
    await holdsExactly(['a', 'b', 'c'].map((name) => taker(node(name))))
  })

  it('come free when their node dies, and stay while it lives', async () => {
    const store = await open()
    let now = NOW
    const clock = { now: () => now }
    const dead = leased({ store, node: 'dead', clock })
    const living = leased({ store, node: 'living', clock })
    assert.notEqual(await dead.take(ALICE, 2), null)
    assert.notEqual(await living.take(ALICE, 2), null)
    for (let i = 0; i < 3; i++) {
      assert.equal(await living.take(ALICE, 2), null)
      now += 20_000
      await living.renew()
    }
    assert.notEqual(await living.take(ALICE, 2), null)
    assert.equal(await living.take(ALICE, 2), null)
  })

  it('are counted apart for waits, streams and links', async () => {
    const store = await open()
    for (const kind of ['waits', 'streams', 'links'] as const) {
      await holdsExactly(['a', 'b'].map((node) => taker(leased({ store, node, kind }))))
    }
  })

  it('are not given back by a wait that outlived its lease', async () => {
    const store = await open()
    let now = NOW
    const holder = leased({ store, node: 'a', clock: { now: () => now } })
    const late = await holder.take(ALICE, 1)
    now += 60_000
    assert.notEqual(await holder.take(ALICE, 1), null)
    await late?.[Symbol.asyncDispose]()
    assert.equal(await holder.take(ALICE, 1), null)
  })

  it('are given back without a throw when the store is gone', async () => {
    const store = await open()
    const failures: unknown[] = []
    const holder = leased({ store, node: 'a', onReleaseFailed: (error) => failures.push(error) })
    const slot = await holder.take(ALICE, 1)
    await store.execute('drop table wait_slot')
    await slot?.[Symbol.asyncDispose]()
    assert.equal(failures.length, 1)
  })

  it('come free a minute after a failed release, while their node holds others', async () => {
    const store = await open()
    let now = NOW
    const failures: unknown[] = []
    const onReleaseFailed = (error: unknown) => failures.push(error)
    const about = { store, node: 'a', clock: { now: () => now }, onReleaseFailed }
    const [waits, streams] = [leased(about), leased({ ...about, kind: 'streams' })]
    const slot = await waits.take(ALICE, 1)
    assert.notEqual(await waits.take(BOB, 1), null)
    assert.notEqual(await streams.take(ALICE, 1), null)
    await store.execute('alter table wait_slot rename to wait_slot_away')
    await slot?.[Symbol.asyncDispose]()
    await store.execute('alter table wait_slot_away rename to wait_slot')
    assert.equal(failures.length, 1)
    for (let i = 0; i < 3; i++) {
      assert.equal(await waits.take(ALICE, 1), null)
      now += 20_000
      for (const holder of [waits, streams]) await holder.renew()
    }
    assert.notEqual(await waits.take(ALICE, 1), null)
    assert.equal(await waits.take(BOB, 1), null)
    assert.equal(await streams.take(ALICE, 1), null)
  })

  it('come free a minute after a claim whose response was lost', async () => {
    const store = await open()
    let now = NOW
    const holder = leased({ store, node: 'a', clock: { now: () => now } })
    assert.notEqual(await holder.take(BOB, 1), null)
    const claim = { number: 1, token: 'a-waits-2', node: 'a', leasedUntil: NOW + 60_000, now }
    assert.equal(await store.waitSlots.claim(ALICE, claim), true)
    for (let i = 0; i < 3; i++) {
      now += 20_000
      await holder.renew()
    }
    assert.notEqual(await holder.take(ALICE, 1), null)
  })

  it('are forgotten once their lease is over', async () => {
    const store = await open()
    await leased({ store, node: 'a' }).take(ALICE, 1)
    await store.waitSlots.deleteEnded(NOW + 59_999)
    assert.deepEqual(await store.waitSlots.listHeld(ALICE, { above: 0, count: 1 }, NOW), [1])
    await store.waitSlots.deleteEnded(NOW + 60_000)
    assert.deepEqual(await store.waitSlots.listHeld(ALICE, { above: 0, count: 1 }, NOW), [])
  })
})

describe('takeWaitSlot', () => {
  const caller = (plan: 'key_only' | 'unlimited') =>
    // Only the account and the plan of a caller matter here.
    ({ accountId: ALICE, plan }) as Parameters<typeof takeWaitSlot>[1]
  const deps = () => ({
    waitSlots: new MemoryWaitSlots(),
    limitsOf: (plan: 'key_only' | 'connected' | 'unlimited') => PLANS[plan],
  })

  it('refuses past the plan, and gives back however the wait ends', async () => {
    const { waitSlots, limitsOf } = deps()
    const wait = async (body: () => Promise<void>) => {
      await using _slot = await takeWaitSlot({ waitSlots, limitsOf }, caller('key_only'))
      await body()
    }
    await assert.rejects(
      wait(() => wait(() => wait(async () => {}))),
      (error) => {
        assert.ok(error instanceof ServiceError)
        assert.equal(error.code, 'concurrent_waits_exceeded')
        assert.equal(error.detail.retryAfterSeconds, 1)
        return true
      },
    )
    await assert.rejects(
      wait(async () => {
        throw new Error('gone')
      }),
      /gone/,
    )
    await wait(() => wait(async () => {}))
  })

  it('does not count where nothing limits', async () => {
    const shared = deps()
    const slots = await Promise.all(
      Array.from({ length: 100 }, () => takeWaitSlot(shared, caller('unlimited'))),
    )
    assert.equal(slots.length, 100)
  })
})

function leased(
  about: Partial<ConstructorParameters<typeof LeasedWaitSlots>[0]> &
    Pick<ConstructorParameters<typeof LeasedWaitSlots>[0], 'store' | 'node'>,
): LeasedWaitSlots {
  return new LeasedWaitSlots({
    clock: { now: () => NOW },
    kind: 'waits',
    onReleaseFailed: (error) => assert.fail(String(error)),
    ...about,
  })
}
