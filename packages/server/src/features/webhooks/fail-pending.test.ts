import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { WebhookId } from '@mayfly/contract'
import {
  ALICE,
  describeEachDatabase,
  givenDeliveries,
  givenWebhook,
  NOW,
} from '../../../test/testing-store.ts'
import type { Store } from '../../store/open.ts'
import type { Caller } from '../accounts/authenticate.ts'
import { claimDue } from './claim.ts'
import { failPendingOfGone } from './record.ts'
import { deleteWebhook, type WebhookDeps } from './register.ts'

const GONE = {
  state: 'rejected',
  status: 410,
  error: 'gone',
  detail: '',
  retryAfter: null,
  at: NOW,
  endedAt: NOW,
  durationMs: 1,
} as const

/** A store that shows how many deliveries each statement failed. */
function watched(store: Store): { store: Store; pieces: number[] } {
  const pieces: number[] = []
  const failPending = async (id: WebhookId, limit: number) => {
    const failed = await store.dispatches.failPending(id, limit)
    pieces.push(failed)
    return failed
  }
  const dispatches = Object.assign(Object.create(store.dispatches), { failPending })
  return { store: { ...store, dispatches }, pieces }
}

type End = (store: Store, webhookId: WebhookId) => Promise<unknown>

const ENDS: readonly (readonly [name: string, end: End])[] = [
  [
    'its webhook is deleted',
    // Only the store is used, and of the caller the account.
    (store, id) => deleteWebhook({ store } as WebhookDeps, { accountId: ALICE } as Caller, id),
  ],
  [
    'it is claimed after its webhook was deleted',
    async (store, id) => {
      await store.webhooks.delete(ALICE, id)
      return claimDue({ store, clock: { now: () => NOW }, leaseMs: 1_000 }, id, 10)
    },
  ],
  [
    'its webhook answers 410',
    (store, webhookId) => failPendingOfGone(store, [{ webhookId, attempt: GONE }]),
  ],
]

describeEachDatabase('what is pending', (open) => {
  for (const [name, end] of ENDS) {
    it(`fails in pieces when ${name}`, async () => {
      const { store, pieces } = watched(await open())
      const webhookId = await givenWebhook(store, ALICE)
      const ids = await givenDeliveries(store, { owner: ALICE, webhookId, count: 450 })
      await end(store, webhookId)
      assert.deepEqual(pieces, [200, 200, 50, 0])
      const log = await store.deliveries.list(ALICE, { limit: 500, before: null })
      assert.equal(log.length, ids.length)
      for (const { status, nextAttemptAt } of log) {
        assert.deepEqual([status, nextAttemptAt], ['failed', null])
      }
    })
  }
})
