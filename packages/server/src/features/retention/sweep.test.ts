import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  ALICE,
  describeEachDatabase,
  givenDeliveries,
  givenInbox,
  givenWebhook,
  NOW,
} from '../../../test/testing-store.ts'
import { PLANS } from '../limits/plans.ts'
import { sweepExpired } from './sweep.ts'

const DAY_MS = 24 * 60 * 60 * 1000

const limitsOf = (plan: keyof typeof PLANS) => PLANS[plan]

describeEachDatabase('the sweep', (open) => {
  it('purges an inbox once the plan no longer keeps it, not a moment before', async () => {
    const store = await open()
    const old = await givenInbox(store, { owner: ALICE, expiresAt: NOW })
    const young = await givenInbox(store, { owner: ALICE, expiresAt: NOW + 1 })
    const sweepAt = (now: number) => sweepExpired({ store, clock: { now: () => now }, limitsOf })
    const keptUntil = NOW + (PLANS.unlimited.retentionDays ?? 0) * DAY_MS

    await sweepAt(keptUntil - 1)
    assert.notEqual(await store.inboxes.find(ALICE, old.id, NOW), null)
    await sweepAt(keptUntil)
    assert.equal(await store.inboxes.find(ALICE, old.id, NOW), null)
    assert.notEqual(await store.inboxes.find(ALICE, young.id, NOW), null)
  })

  it('keeps the log of deliveries for 30 days, and what is pending for ever', async () => {
    const store = await open()
    const webhookId = await givenWebhook(store, ALICE)
    const about = { owner: ALICE, webhookId, count: 1 }
    const [old] = await givenDeliveries(store, { ...about, at: NOW - 30 * DAY_MS - 1 })
    const [pending] = await givenDeliveries(store, { ...about, at: NOW - 40 * DAY_MS })
    const [recent] = await givenDeliveries(store, { ...about, at: NOW - 30 * DAY_MS })
    assert.ok(old && pending && recent)
    for (const id of [old, recent]) {
      await store.dispatches.setState(id, { status: 'succeeded', attemptsMade: 1 })
    }
    await sweepExpired({ store, clock: { now: () => NOW }, limitsOf })
    const left = await store.deliveries.list(ALICE, { limit: 10, before: null })
    assert.deepEqual(
      left.map(({ id }) => id),
      [recent, pending],
    )
  })
})
