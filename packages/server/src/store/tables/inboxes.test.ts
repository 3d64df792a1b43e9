import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  ALICE,
  BOB,
  describeEachDatabase,
  givenInbox,
  NOW,
  untilLockWait,
} from '../../../test/testing-store.ts'
import type { InboxPage } from './inboxes.ts'

/** A page of unexpired inboxes, unless a test wants others. */
function page(some: Partial<InboxPage> = {}): InboxPage {
  return { state: 'unexpired', before: null, limit: 100, now: NOW, ...some }
}

describeEachDatabase('inboxes', (open, database) => {
  it('does not show an inbox to another account', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE })

    assert.equal((await store.inboxes.find(ALICE, inbox.id, NOW))?.id, inbox.id)
    assert.equal(await store.inboxes.find(BOB, inbox.id, NOW), null)
    assert.deepEqual(await store.inboxes.list(BOB, page()), [])
    assert.equal(await store.inboxes.purge(BOB, inbox.id), null)
    assert.notEqual(await store.inboxes.find(ALICE, inbox.id, NOW), null)
  })

  it('shows an expired inbox by its id, not in the list', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE, expiresAt: NOW + 1000 })

    assert.equal((await store.inboxes.find(ALICE, inbox.id, NOW + 999))?.state, 'active')
    assert.equal((await store.inboxes.list(ALICE, page({ now: NOW + 999 }))).length, 1)
    assert.equal((await store.inboxes.find(ALICE, inbox.id, NOW + 1000))?.state, 'expired')
    assert.deepEqual(await store.inboxes.list(ALICE, page({ now: NOW + 1000 })), [])
  })

  it('purges an inbox once', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE })

    assert.equal((await store.inboxes.purge(ALICE, inbox.id))?.address, inbox.address)
    assert.equal(await store.inboxes.purge(ALICE, inbox.id), null)
    assert.equal(await store.inboxes.find(ALICE, inbox.id, NOW), null)
  })

  it('expires more inboxes on a domain than a statement has parameters', async () => {
    const store = await open()
    // In parts: a statement may take 5 s, and the machine may be busy.
    for (let from = 1; from <= 33_000; from += 3_000) {
      await store.execute(`insert into inbox (id, account_id, address, domain, environment,
        created_at, expires_at) with recursive n(i) as (select ${from} union all select i + 1 from n
        where i < ${from + 2_999}) select 'inb_' || i, '${ALICE}', 'x' || i || '@a.example',
        'a.example', 'live', ${NOW}, ${NOW + 1000} from n`)
    }
    await store.execute(`insert into address (address, account_id, inbox_id, occupied_until)
      select address, account_id, id, expires_at from inbox`)
    const other = await givenInbox(store, { owner: BOB, address: 'y@a.example' })
    await store.inboxes.expireOnDomain(ALICE, 'a.example', { now: NOW + 1, limit: 100_000 })
    assert.deepEqual(await store.inboxes.list(ALICE, page({ now: NOW + 1 })), [])
    assert.equal(await store.addresses.findHolder('x33000@a.example', NOW + 1), ALICE)
    const released = { inboxId: other.id, occupiedUntil: NOW + 9, now: NOW + 1 }
    const isFree = await store.addresses.claim(ALICE, { ...released, address: 'x1@a.example' })
    assert.equal(isFree, true)
    assert.equal((await store.inboxes.find(BOB, other.id, NOW + 1))?.state, 'active')
  })

  it('counts unexpired inboxes on a domain, up to a number', async () => {
    const store = await open()
    await givenInbox(store, { owner: ALICE })
    await givenInbox(store, { owner: BOB })
    await givenInbox(store, { owner: BOB, expiresAt: NOW })
    assert.equal(await store.inboxes.countOnDomain('mayfly.test', NOW, 10), 2)
    assert.equal(await store.inboxes.countOnDomain('mayfly.test', NOW, 1), 1)
    assert.equal(await store.inboxes.countOnDomain('empty.test', NOW, 10), 0)
  })

  it('lists by state, newest first, in pages', async () => {
    const store = await open()
    for (let i = 0; i < 5; i++) await givenInbox(store, { owner: ALICE })
    const all = await store.inboxes.list(ALICE, page({ state: 'all' }))
    const ids = all.map(({ id }) => id)
    assert.deepEqual(ids, ids.toSorted().toReversed())
    for (const id of [ids[2], ids[4]]) {
      await store.execute(`update inbox set expires_at = ${NOW} where id = '${id}'`)
    }
    await store.execute(`update inbox set suspended_at = ${NOW} where id = '${ids[0]}'`)
    const list = async (some: Partial<InboxPage>) =>
      (await store.inboxes.list(ALICE, page(some))).map(({ id }) => ids.indexOf(id))
    assert.deepEqual(await list({}), [0, 1, 3])
    assert.deepEqual(await list({ state: 'active' }), [1, 3])
    assert.deepEqual(await list({ state: 'suspended' }), [0])
    assert.deepEqual(await list({ state: 'expired' }), [2, 4])
    assert.deepEqual(await list({ state: 'all', limit: 3 }), [0, 1, 2])
    assert.deepEqual(await list({ state: 'all', before: ids[2] ?? null }), [3, 4])
    assert.deepEqual(await list({ before: ids[0] ?? null, limit: 1 }), [1])
  })

  it('undoes a transaction that throws', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE })
    await assert.rejects(
      store.transaction(async (tx) => {
        await tx.inboxes.purge(ALICE, inbox.id)
        throw new Error('changed my mind')
      }),
      /changed my mind/,
    )
    assert.notEqual(await store.inboxes.find(ALICE, inbox.id, NOW), null)
  })

  if (database !== 'PostgreSQL') return

  it('expires inboxes on a domain while mail for several of them is stored', async () => {
    const store = await open()
    const given = [
      await givenInbox(store, { owner: ALICE, address: 'x@a.example' }),
      await givenInbox(store, { owner: ALICE, address: 'y@a.example' }),
    ]
    const [first, second] = given.map(({ id }) => id).toSorted()
    assert.ok(first !== undefined && second !== undefined)
    // Its row is now behind the other in the table, and its entry in the index of expiries.
    await store.execute(`update inbox set expires_at = expires_at + 1 where id = '${first}'`)
    let expired: Promise<number> | null = null
    await store.transaction(async (tx) => {
      await tx.receiving.lockInboxes([first])
      expired = store.transaction((other) =>
        other.inboxes.expireOnDomain(ALICE, 'a.example', { now: NOW + 1, limit: 9 }),
      )
      await untilLockWait(store)
      await tx.receiving.lockInboxes([second])
    })
    await expired
    assert.deepEqual(await store.inboxes.list(ALICE, page({ now: NOW + 1 })), [])
  })

  it('expires inboxes on a domain while one of them is purged', async () => {
    const store = await open()
    const { id, address } = await givenInbox(store, { owner: ALICE, address: 'x@a.example' })
    let expired: Promise<number> | null = null
    await store.transaction(async (tx) => {
      await tx.inboxes.purge(ALICE, id)
      expired = store.transaction((other) =>
        other.inboxes.expireOnDomain(ALICE, 'a.example', { now: NOW + 1, limit: 9 }),
      )
      await untilLockWait(store)
      await tx.addresses.release(id, address, NOW)
    })
    await expired
    assert.equal(await store.inboxes.find(ALICE, id, NOW), null)
  })
})
