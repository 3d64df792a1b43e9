import assert from 'node:assert/strict'
import { it } from 'node:test'
import { ALICE, BOB, describeEachDatabase, givenInbox, NOW } from '../../../test/testing-store.ts'
import type { Store } from '../open.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const claim = (domain: string) => ({ domain, challenge: `c-${domain}`, createdAt: NOW })

async function givenVerified(store: Store, domain: string, nextCheckAt: number | null) {
  const claimed = await store.domains.add(ALICE, claim(domain))
  assert.ok(claimed !== null)
  const verified = { ...claimed, state: 'verified' as const, verifiedAt: NOW, unprovenSince: null }
  assert.equal(await store.domains.update(verified, nextCheckAt), true)
  return verified
}

describeEachDatabase('custom domains', (open) => {
  it('are claimed once, and shown to their account alone', async () => {
    const store = await open()
    const claims = await Promise.all(
      [ALICE, BOB, ALICE, BOB].map((owner) => store.domains.add(owner, claim('a.example'))),
    )
    const [claimed, ...more] = claims.filter((one) => one !== null)
    assert.deepEqual(more, [])
    const owner = claimed?.accountId ?? ALICE
    const other = owner === ALICE ? BOB : ALICE
    assert.deepEqual(await store.domains.list(owner), [claimed])
    assert.deepEqual(await store.domains.find(owner, 'a.example'), claimed)
    assert.equal(await store.domains.count(owner), 1)
    assert.equal(await store.domains.find(other, 'a.example'), null)
    assert.deepEqual(await store.domains.list(other), [])
    assert.equal(await store.domains.beginRemoval(other, 'a.example'), false)
    assert.equal(await store.domains.beginRemoval(owner, 'a.example'), true)
    assert.equal(await store.domains.beginRemoval(owner, 'a.example'), false)
  })

  it('are listed for their account when active', async () => {
    const store = await open()
    const verified = await givenVerified(store, 'a.example', null)
    assert.deepEqual(await store.domains.listActive(ALICE), [])
    await store.domains.update({ ...verified, state: 'active', activeAt: NOW }, null)
    assert.deepEqual(await store.domains.listActive(ALICE), ['a.example'])
    assert.deepEqual(await store.domains.listActive(BOB), [])
  })

  it('do not take the result of a check of an earlier claim', async () => {
    const store = await open()
    const verified = await givenVerified(store, 'a.example', null)
    await store.domains.beginRemoval(ALICE, 'a.example')
    assert.equal(await store.domains.update(verified, null), false)
    await store.domains.endRemoval({ accountId: ALICE, domain: 'a.example' })
    await store.domains.add(ALICE, { ...claim('a.example'), challenge: 'another' })
    assert.equal(await store.domains.update(verified, null), false)
    assert.equal((await store.domains.find(ALICE, 'a.example'))?.state, 'pending')
  })

  it('are due once, for one of several callers', async () => {
    const store = await open()
    for (let i = 0; i < 5; i++) await givenVerified(store, `d${i}.example`, NOW - i)
    await givenVerified(store, 'later.example', NOW + 1)
    await store.domains.add(ALICE, claim('pending.example'))
    const take = () => store.domains.takeDue({ now: NOW, retryAt: NOW + 1000, limit: 2 })
    const taken = (await Promise.all([take(), take(), take(), take(), take()])).flat()
    const again = [...taken, ...(await take()), ...(await take()), ...(await take())]
    assert.deepEqual(again.map(({ domain }) => domain).sort(), [
      'd0.example',
      'd1.example',
      'd2.example',
      'd3.example',
      'd4.example',
    ])
    const retry = await store.domains.takeDue({ now: NOW + 1000, retryAt: NOW + 2000, limit: 99 })
    assert.equal(retry.length, 6)
  })

  it('lapse when they were without proof for long', async () => {
    const store = await open()
    await store.domains.add(ALICE, claim('a.example'))
    await store.domains.add(ALICE, claim('b.example'))
    await store.domains.add(BOB, claim('c.example'))
    await givenVerified(store, 'proven.example', null)
    const names = async (since: number, among?: { domain: string; owner: typeof BOB }) => {
      await store.domains.removeLapsed(since, among)
      const removed = await store.domains.listRemoved(among)
      for (const one of removed) await store.domains.endRemoval(one)
      return removed.map(({ domain }) => domain).sort()
    }
    assert.deepEqual(await names(NOW - 1), [])
    assert.deepEqual(await names(NOW - 1, { domain: 'a.example', owner: BOB }), [])
    assert.deepEqual(await names(NOW, { domain: 'a.example', owner: BOB }), [
      'a.example',
      'c.example',
    ])
    assert.deepEqual(await names(NOW), ['b.example'])
    assert.equal(await store.domains.count(ALICE), 1)
  })

  it('are found by nobody while they are removed, and claimed by nobody', async () => {
    const store = await open()
    const verified = await givenVerified(store, 'a.example', NOW)
    await store.domains.update({ ...verified, state: 'active', activeAt: NOW }, NOW)
    const inbox = await givenInbox(store, { owner: ALICE, address: 'x@a.example' })
    const isRefused = async () =>
      (await store.receiving.findRecipient(inbox.address))?.isDomainRemoved
    assert.equal(await isRefused(), false)
    assert.equal(await store.domains.beginRemoval(ALICE, 'a.example'), true)
    assert.equal(await isRefused(), true)
    assert.deepEqual(
      (await store.receiving.listRecipients([inbox.address, 'y@a.example'])).map(
        (recipient) => recipient?.isDomainRemoved,
      ),
      [true, undefined],
    )
    assert.equal((await store.receiving.findInbox(inbox.id))?.isDomainRemoved, true)
    assert.deepEqual(await store.domains.list(ALICE), [])
    assert.deepEqual(await store.domains.listActive(ALICE), [])
    assert.equal(await store.domains.count(ALICE), 0)
    assert.equal(await store.domains.find(ALICE, 'a.example'), null)
    assert.equal(await store.domains.findClaim('a.example'), null)
    assert.deepEqual(await store.domains.takeDue({ now: NOW, retryAt: NOW, limit: 9 }), [])
    assert.equal(await store.domains.update(verified, NOW), false)
    assert.equal(await store.domains.add(BOB, claim('a.example')), null)
    const removed = { accountId: ALICE, domain: 'a.example' }
    assert.deepEqual(await store.domains.listRemoved(), [removed])
    assert.deepEqual(await store.domains.listRemoved({ domain: 'b.example', owner: BOB }), [])
    assert.equal(await store.domains.isRemoved(removed), true)
    await store.domains.endRemoval(removed)
    assert.equal(await store.domains.isRemoved(removed), false)
    assert.notEqual(await store.domains.add(BOB, claim('a.example')), null)
    await store.domains.endRemoval({ accountId: BOB, domain: 'a.example' })
    assert.notEqual(await store.domains.find(BOB, 'a.example'), null)
    // The inboxes of one owner are not those of the next.
    await store.domains.beginRemoval(BOB, 'a.example')
    assert.equal(await isRefused(), false)
  })

  it('take their inboxes with them some at a time', async () => {
    const store = await open()
    for (let i = 0; i < 5; i++) await givenInbox(store, { owner: ALICE, address: `${i}@a.example` })
    const expire = () => store.inboxes.expireOnDomain(ALICE, 'a.example', { now: NOW, limit: 2 })
    assert.deepEqual([await expire(), await expire()], [2, 2])
    assert.equal(await store.inboxes.countOnDomain('a.example', NOW, 10), 1)
    assert.deepEqual([await expire(), await expire()], [1, 0])
  })

  it('take their inboxes with them', async () => {
    const store = await open()
    const mine = await givenInbox(store, { owner: ALICE, address: 'x@a.example' })
    const other = await givenInbox(store, { owner: ALICE, address: 'x@b.example' })
    await store.inboxes.expireOnDomain(BOB, 'a.example', { now: NOW, limit: 9 })
    assert.equal((await store.inboxes.find(ALICE, mine.id, NOW))?.state, 'active')
    await store.inboxes.expireOnDomain(ALICE, 'a.example', { now: NOW, limit: 9 })
    assert.equal((await store.inboxes.find(ALICE, mine.id, NOW))?.state, 'expired')
    assert.equal((await store.inboxes.find(ALICE, other.id, NOW))?.state, 'active')
    const address = { address: 'x@a.example', inboxId: other.id, occupiedUntil: NOW + DAY_MS }
    assert.equal(await store.addresses.claim(ALICE, { ...address, now: NOW }), true)
  })
})
