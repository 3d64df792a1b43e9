import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { EventId, WebhookId } from '@mayfly/contract'
import {
  ALICE,
  BOB,
  describeEachDatabase,
  givenDeliveries,
  givenWebhook,
  NOW,
} from '../../../test/testing-store.ts'
import type { Store } from '../open.ts'

const LEASE = NOW + 1_000

const claim = (
  store: Store,
  webhookId: WebhookId,
  lease: { now?: number; limit?: number } = {},
) => {
  const { now = NOW, limit = 100 } = lease
  return store.dispatches.claim(webhookId, { now, leasedUntil: now + 1_000, limit })
}

describeEachDatabase('dispatches', (open) => {
  it('finds the webhooks with due deliveries that are not leased', async () => {
    const store = await open()
    assert.deepEqual(await store.dispatches.listDue(NOW), [])
    const [idle, later, held, ready, expired] = await Promise.all(
      [ALICE, ALICE, BOB, BOB, BOB].map((owner) => givenWebhook(store, owner)),
    )
    assert.ok(idle && later && held && ready && expired)
    const give = (webhookId: WebhookId, at: number, count = 1) =>
      givenDeliveries(store, { owner: ALICE, webhookId, count, at })
    await give(later, NOW + 1)
    await give(held, NOW)
    await claim(store, held)
    await give(ready, NOW, 50)
    await claim(store, ready, { limit: 10 })
    await give(expired, NOW - 1_000)
    await claim(store, expired, { now: NOW - 1_000 })
    assert.deepEqual((await store.dispatches.listDue(NOW)).sort(), [ready, expired].sort())
  })

  it('claims no more than the limit, however the database runs the statement', async () => {
    const store = await open()
    const webhookId = await givenWebhook(store, ALICE)
    await givenDeliveries(store, { owner: ALICE, webhookId, count: 40 })
    if (store.isShared) {
      // A nested loop, which PostgreSQL also chooses by itself for some statistics.
      for (const plan of ['hashjoin', 'mergejoin', 'hashagg', 'sort', 'material']) {
        await store.execute(`set enable_${plan} = off`)
      }
    }
    assert.equal((await claim(store, webhookId, { limit: 10 })).length, 10)
    assert.equal(await store.dispatches.countLeased(webhookId, NOW), 10)
  })

  it('claims the longest due first, each once, and again when the lease has run out', async () => {
    const store = await open()
    const webhookId = await givenWebhook(store, ALICE)
    const give = (at: number) => givenDeliveries(store, { owner: ALICE, webhookId, count: 2, at })
    const [later, sooner] = [await give(NOW), await give(NOW - 5)]
    await give(NOW + 1)
    const ids = (claimed: readonly { id: EventId }[]) => claimed.map(({ id }) => id).sort()

    assert.deepEqual(ids(await claim(store, webhookId, { limit: 2 })), sooner.toSorted())
    assert.deepEqual(ids(await claim(store, webhookId)), later.toSorted())
    assert.deepEqual(await claim(store, webhookId), [])
    assert.equal(await store.dispatches.countLeased(webhookId, NOW), 4)
    assert.equal(await store.dispatches.countLeased(webhookId, LEASE), 0)
    assert.equal((await claim(store, webhookId, { now: LEASE })).length, 6)
  })

  it('releases what was claimed, unless another process has it by now', async () => {
    const store = await open()
    const webhookId = await givenWebhook(store, ALICE)
    const [id] = await givenDeliveries(store, { owner: ALICE, webhookId, count: 1 })
    assert.ok(id)
    await claim(store, webhookId)
    await store.dispatches.release({ id, leasedUntil: LEASE - 1 })
    assert.deepEqual(await claim(store, webhookId), [])
    await store.dispatches.release({ id, leasedUntil: LEASE })
    assert.equal((await claim(store, webhookId)).length, 1)
    await store.dispatches.releaseAll()
    assert.equal((await claim(store, webhookId)).length, 1)
  })

  it('holds an endpoint that is open, and none that is disabled or deleted', async () => {
    const store = await open()
    const [active, disabled, deleted] = await Promise.all(
      [ALICE, ALICE, ALICE].map((owner) => givenWebhook(store, owner)),
    )
    assert.ok(active && disabled && deleted)
    await store.webhooks.disable(disabled, NOW)
    await store.webhooks.delete(ALICE, deleted)
    const states = await Promise.all(
      [active, disabled, deleted].map((id) => store.dispatches.lockEndpoint(id)),
    )
    assert.deepEqual(states, [{ accountId: ALICE, secretSealed: 'sealed' }, null, null])
  })

  it('gives up what is pending to one webhook, and only that', async () => {
    const store = await open()
    const [one, other] = await Promise.all(
      [ALICE, ALICE].map((owner) => givenWebhook(store, owner)),
    )
    assert.ok(one && other)
    const give = (webhookId: WebhookId) =>
      givenDeliveries(store, { owner: ALICE, webhookId, count: 2 })
    const [pending, done] = await give(one)
    await give(other)
    assert.ok(pending && done)
    await claim(store, one, { limit: 1 })
    await store.dispatches.setState(done, { status: 'succeeded', attemptsMade: 1 })
    assert.equal(await store.dispatches.failPending(one, 10), 1)
    const states = await store.dispatches.lockStates([pending, done])
    assert.deepEqual(states.get(pending), { status: 'failed', attemptsMade: 0 })
    assert.equal(states.get(done)?.status, 'succeeded')
    assert.deepEqual(await store.dispatches.listDue(NOW), [other])
  })

  it('gives up a backlog some at a time, the longest due first', async () => {
    const store = await open()
    const webhookId = await givenWebhook(store, ALICE)
    const about = { owner: ALICE, webhookId }
    const [later] = await givenDeliveries(store, { ...about, count: 1, at: NOW + 1 })
    await givenDeliveries(store, { ...about, count: 4 })
    assert.ok(later)
    const fail = () => store.dispatches.failPending(webhookId, 2)
    assert.deepEqual([await fail(), await fail()], [2, 2])
    assert.equal((await store.dispatches.lockStates([later])).get(later)?.status, 'pending')
    assert.deepEqual([await fail(), await fail()], [1, 0])
  })

  it('counts attempts, and knows no state of what is purged', async () => {
    const store = await open()
    const webhookId = await givenWebhook(store, ALICE)
    const [id, untouched] = await givenDeliveries(store, { owner: ALICE, webhookId, count: 2 })
    assert.ok(id && untouched)
    const attempt = { deliveryId: id, at: NOW, status: 500, detail: null, durationMs: 1 }
    await store.dispatches.addAttempts(
      [1, 2].map((number) => ({ ...attempt, number, error: 'status' as const })),
    )
    assert.deepEqual([...(await store.dispatches.countAttempts([id, untouched]))], [[id, 2]])
    const unknown = 'evt_unknown' as EventId // A brand by hand.
    assert.deepEqual([...(await store.dispatches.lockStates([unknown]))], [])
  })
})
