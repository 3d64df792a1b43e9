import assert from 'node:assert/strict'
import { it } from 'node:test'
import { ALICE, describeEachDatabase, givenInbox, NOW } from '../../../test/testing-store.ts'
import { PLANS } from '../limits/plans.ts'
import { sweepExpired } from './sweep.ts'

const DAY_MS = 24 * 60 * 60 * 1000

describeEachDatabase('retention', (open) => {
  it('purges an inbox once the plan no longer keeps it, not a moment before', async () => {
    const store = await open()
    const old = await givenInbox(store, { owner: ALICE, expiresAt: NOW })
    const young = await givenInbox(store, { owner: ALICE, expiresAt: NOW + 1 })
    const sweepAt = (now: number) =>
      sweepExpired({ store, clock: { now: () => now }, limitsOf: (plan) => PLANS[plan] })
    const keptUntil = NOW + (PLANS.unlimited.retentionDays ?? 0) * DAY_MS

    await sweepAt(keptUntil - 1)
    assert.notEqual(await store.inboxes.find(ALICE, old.id, NOW), null)
    await sweepAt(keptUntil)
    assert.equal(await store.inboxes.find(ALICE, old.id, NOW), null)
    assert.notEqual(await store.inboxes.find(ALICE, young.id, NOW), null)
  })
})
