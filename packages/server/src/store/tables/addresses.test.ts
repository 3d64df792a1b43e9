import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { InboxId } from '@mayfly/contract'
import { ALICE, BOB, describeEachDatabase, givenInbox, NOW } from '../../../test/testing-store.ts'

const DAY_MS = 24 * 60 * 60 * 1000

describeEachDatabase('addresses', (open) => {
  const claim = (at: number, inboxId = 'inb_new') => ({
    address: 'a@mayfly.test',
    inboxId: inboxId as InboxId, // A brand by hand: the test needs a fixed id.
    occupiedUntil: at + DAY_MS,
    now: at,
  })

  it('gives a free address to the first claim', async () => {
    const store = await open()
    assert.equal(await store.addresses.claim(ALICE, claim(NOW)), true)
    assert.equal(await store.addresses.claim(BOB, claim(NOW)), false)
    assert.equal(await store.addresses.claim(ALICE, claim(NOW)), false)
  })

  it('gives an expired address back to its account at once', async () => {
    const store = await open()
    await store.addresses.claim(ALICE, claim(NOW))
    assert.equal(await store.addresses.claim(ALICE, claim(NOW + DAY_MS - 1)), false)
    assert.equal(await store.addresses.claim(ALICE, claim(NOW + DAY_MS)), true)
  })

  it('keeps a given-up address from other accounts for 30 days', async () => {
    const store = await open()
    await store.addresses.claim(ALICE, claim(NOW))
    assert.equal(await store.addresses.claim(BOB, claim(NOW + 31 * DAY_MS - 1)), false)
    assert.equal(await store.addresses.claim(BOB, claim(NOW + 31 * DAY_MS)), true)
  })

  it('counts the 30 days from the release', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE, address: 'a@mayfly.test' })
    await store.addresses.release(inbox.id, inbox.address, NOW + 1)
    assert.equal(await store.addresses.claim(BOB, claim(NOW + 30 * DAY_MS)), false)
    assert.equal(await store.addresses.claim(BOB, claim(NOW + 30 * DAY_MS + 1)), true)
  })

  it('lets an inbox release only the address that it still holds', async () => {
    const store = await open()
    await store.addresses.claim(ALICE, claim(NOW, 'inb_old'))
    await store.addresses.claim(ALICE, claim(NOW + DAY_MS, 'inb_young'))
    // A brand by hand.
    await store.addresses.release('inb_old' as InboxId, 'a@mayfly.test', NOW + DAY_MS)
    assert.equal(await store.addresses.claim(ALICE, claim(NOW + DAY_MS + 1)), false)
  })
})
