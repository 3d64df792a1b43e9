import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { EventId, InboxId } from '@mayfly/contract'
import {
  ALICE,
  BOB,
  describeEachDatabase,
  givenDeliveries,
  givenInbox,
  givenWebhook,
  NOW,
} from '../../../test/testing-store.ts'
import type { Store } from '../open.ts'

/** One attempt in the log, and the delivery at its end. */
async function givenAttempt(store: Store, deliveryId: EventId, number: number): Promise<void> {
  const about = { at: NOW + number, durationMs: 5, detail: number === 1 ? 'No.' : null }
  await store.dispatches.addAttempts([
    number === 1
      ? { deliveryId, number, ...about, status: 500, error: 'status' }
      : { deliveryId, number, ...about, status: 200, error: null },
  ])
}

const DONE = { status: 'succeeded', attemptsMade: 1 } as const

describeEachDatabase('deliveries', (open) => {
  it('pages through the log newest first, undisturbed by what is added', async () => {
    const store = await open()
    const webhookId = await givenWebhook(store, ALICE)
    const made: EventId[] = []
    // Three of each instant: the id decides among them.
    for (const at of [NOW, NOW + 1, NOW + 2]) {
      made.push(...(await givenDeliveries(store, { owner: ALICE, webhookId, count: 3, at })))
    }
    const seen: string[] = []
    let before: { createdAt: number; id: string } | null = null
    for (;;) {
      const page = await store.deliveries.list(ALICE, { limit: 2, before })
      const last = page.at(-1)
      if (last === undefined) break
      seen.push(...page.map(({ id }) => id))
      before = { createdAt: Date.parse(last.createdAt), id: last.id }
      await givenDeliveries(store, { owner: ALICE, webhookId, count: 1, at: NOW + 3 })
    }
    const expected = [0, 3, 6].flatMap((start) => made.slice(start, start + 3).sort()).reverse()
    assert.deepEqual(seen, expected)
    assert.deepEqual(await store.deliveries.list(BOB, { limit: 10, before: null }), [])
  })

  it('shows attempts in their order, and nothing to another account', async () => {
    const store = await open()
    const webhookId = await givenWebhook(store, ALICE)
    const [id] = await givenDeliveries(store, { owner: ALICE, webhookId, count: 1 })
    assert.ok(id)
    await givenAttempt(store, id, 1)
    await givenAttempt(store, id, 2)
    const delivery = await store.deliveries.find(ALICE, id)
    assert.deepEqual(delivery?.attempts, [
      {
        at: '2026-01-31T12:00:00.001Z',
        status: 500,
        error: 'status',
        detail: 'No.',
        durationMs: 5,
      },
      { at: '2026-01-31T12:00:00.002Z', status: 200, error: null, detail: null, durationMs: 5 },
    ])
    assert.equal(delivery?.nextAttemptAt, '2026-01-31T12:00:00.000Z')
    assert.equal((await store.deliveries.findEvent(ALICE, id))?.payload, id)
    assert.equal(await store.deliveries.find(BOB, id), null)
    assert.equal(await store.deliveries.findEvent(BOB, id), null)
  })

  it('lists the newest attempts of an inbox, oldest first', async () => {
    const store = await open()
    const webhookId = await givenWebhook(store, ALICE)
    const { id: inboxId } = await givenInbox(store, { owner: ALICE })
    const about = { owner: ALICE, webhookId, count: 1 }
    const [id] = await givenDeliveries(store, { ...about, inboxId })
    const [elsewhere] = await givenDeliveries(store, about)
    assert.ok(id && elsewhere)
    for (const number of [1, 2, 3]) await givenAttempt(store, id, number)
    await givenAttempt(store, elsewhere, 2)
    const attempts = await store.deliveries.listAttemptsOfInbox(inboxId, 2)
    const url = `https://${webhookId}.example/`
    const attempt = { status: 200, error: null, url }
    assert.deepEqual(attempts, [
      { at: NOW + 2, number: 2, ...attempt },
      { at: NOW + 3, number: 3, ...attempt },
    ])
    const [first] = await store.deliveries.listAttemptsOfInbox(inboxId, 10)
    assert.deepEqual([first?.number, first?.error === null], [1, false])
  })

  it('is neither shown nor sent once its inbox is purged, before it is deleted', async () => {
    const store = await open()
    const webhookId = await givenWebhook(store, ALICE)
    const { id: inboxId } = await givenInbox(store, { owner: ALICE })
    const about = { owner: ALICE, webhookId, count: 3 }
    const purged = await givenDeliveries(store, { ...about, inboxId })
    const kept = await givenDeliveries(store, about)
    for (const id of purged) await givenAttempt(store, id, 1)
    await store.inboxes.purge(ALICE, inboxId)
    const listed = await store.deliveries.list(ALICE, { limit: 10, before: null })
    assert.deepEqual(listed.map(({ id }) => id).sort(), kept.toSorted())
    for (const id of purged) {
      assert.equal(await store.deliveries.find(ALICE, id), null)
      assert.equal(await store.deliveries.findEvent(ALICE, id), null)
    }
    const lease = { now: NOW, leasedUntil: NOW + 1, limit: 10 }
    const claimed = await store.dispatches.claim(webhookId, lease)
    assert.deepEqual(claimed.map(({ id }) => id).sort(), kept.toSorted())
    const deleteSome = () => store.deliveries.deleteOfInboxes([inboxId], 2)
    assert.deepEqual([await deleteSome(), await deleteSome(), await deleteSome()], [2, 1, 0])
    assert.equal((await store.deliveries.list(ALICE, { limit: 10, before: null })).length, 3)
  })

  it('is found by its inbox when that was purged, some inboxes at a time', async () => {
    const store = await open()
    const webhookId = await givenWebhook(store, ALICE)
    const inboxIds: InboxId[] = []
    for (let i = 0; i < 5; i++) {
      const { id: inboxId } = await givenInbox(store, { owner: ALICE })
      await givenDeliveries(store, { owner: ALICE, webhookId, count: 2, inboxId })
      inboxIds.push(inboxId)
    }
    const [first, second, , fourth, last] = inboxIds.sort()
    assert.ok(first && second && fourth && last)
    const list = (after: string, limit: number) =>
      store.deliveries.listPurgedInboxes({ after, limit })
    for (const id of [first, fourth, last]) await store.inboxes.purge(ALICE, id)
    assert.deepEqual(await list('', 2), { inboxIds: [first], last: second })
    assert.deepEqual(await list(second, 2), { inboxIds: [fourth], last: fourth })
    assert.deepEqual(await list(fourth, 2), { inboxIds: [last], last: null })
    assert.deepEqual(await list(last, 2), { inboxIds: [], last: null })
  })

  it('is forgotten when it is old and done, some at a time', async () => {
    const store = await open()
    const webhookId = await givenWebhook(store, ALICE)
    const about = { owner: ALICE, webhookId, count: 3 }
    const old = await givenDeliveries(store, { ...about, at: NOW - 1 })
    const [pending, ...done] = old
    assert.ok(pending)
    for (const id of done) await store.dispatches.setState(id, DONE)
    const recent = await givenDeliveries(store, about)
    for (const id of recent) await store.dispatches.setState(id, DONE)
    assert.equal(await store.deliveries.deleteOld(NOW, 1), 1)
    assert.equal(await store.deliveries.deleteOld(NOW, 10), 1)
    assert.equal(await store.deliveries.deleteOld(NOW, 10), 0)
    const left = await store.deliveries.list(ALICE, { limit: 10, before: null })
    assert.deepEqual(left.map(({ id }) => id).sort(), [pending, ...recent].sort())
  })
})
