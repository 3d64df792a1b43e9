import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Limits } from '@mayfly/contract'
import {
  ALICE,
  describeEachDatabase,
  givenDeliveries,
  givenWebhook,
  NOW,
} from '../../../test/testing-store.ts'
import { sweepExpired } from './sweep.ts'

const DAY_MS = 24 * 60 * 60 * 1000

// Only the retention is read here.
const LIMITS = { retentionDays: 180 } as Limits

describeEachDatabase('the sweep', (open) => {
  it('keeps the log of deliveries for 30 days, and what is pending for ever', async () => {
    const store = await open()
    const webhookId = await givenWebhook(store, ALICE)
    const about = { owner: ALICE, webhookId, count: 1 }
    const [old] = await givenDeliveries(store, { ...about, at: NOW - 30 * DAY_MS - 1 })
    const [pending] = await givenDeliveries(store, { ...about, at: NOW - 40 * DAY_MS })
    const [recent] = await givenDeliveries(store, { ...about, at: NOW - 30 * DAY_MS })
    assert.ok(old && pending && recent)
    for (const id of [old, recent]) {
      const done = { attemptsMade: 1, nextAttemptAt: null, leasedUntil: null }
      await store.dispatches.setState(id, { status: 'succeeded', ...done })
    }
    await sweepExpired({ store, clock: { now: () => NOW }, limitsOf: () => LIMITS })
    const left = await store.deliveries.list(ALICE, { limit: 10, before: null })
    assert.deepEqual(
      left.map(({ id }) => id),
      [recent, pending],
    )
  })
})
