import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  ALICE,
  BOB,
  describeEachDatabase,
  givenDeliveries,
  givenWebhook,
  NOW,
} from '../../../test/testing-store.ts'

describeEachDatabase('webhooks', (open) => {
  it('does not show, give or delete a webhook to another account', async () => {
    const store = await open()
    const id = await givenWebhook(store, ALICE)

    assert.deepEqual(
      (await store.webhooks.list(ALICE)).map((webhook) => webhook.id),
      [id],
    )
    assert.equal((await store.webhooks.find(ALICE, id))?.secretSealed, 'sealed')
    assert.deepEqual(await store.webhooks.list(BOB), [])
    assert.equal(await store.webhooks.find(BOB, id), null)
    assert.equal(await store.webhooks.delete(BOB, id), false)
    assert.equal(await store.webhooks.delete(ALICE, id), true)
    assert.equal(await store.webhooks.delete(ALICE, id), false)
  })

  it('lists the active ones of several accounts, without those that are disabled', async () => {
    const store = await open()
    const first = await givenWebhook(store, ALICE)
    const second = await givenWebhook(store, ALICE)
    const other = await givenWebhook(store, BOB)
    await store.webhooks.disable(first, NOW)

    const active = await store.webhooks.listActive([ALICE, BOB])
    assert.deepEqual(
      new Map(active.map(({ id, accountId }) => [id, accountId])),
      new Map([
        [second, ALICE],
        [other, BOB],
      ]),
    )
    assert.equal(active.length, 2)
    assert.deepEqual(await store.webhooks.listActive([]), [])
  })

  it('counts what is pending to the active ones', async () => {
    const store = await open()
    const webhookId = await givenWebhook(store, ALICE)
    await givenWebhook(store, ALICE)
    const [done] = await givenDeliveries(store, { owner: ALICE, webhookId, count: 3 })
    assert.ok(done)
    await store.dispatches.setState(done, { status: 'succeeded', attemptsMade: 1 })
    const active = await store.webhooks.listActive([ALICE])
    assert.deepEqual(active.map(({ pending }) => pending).sort(), [0, 2])
  })

  it('keeps the moment at which it was disabled, and forgets it after a while', async () => {
    const store = await open()
    const id = await givenWebhook(store, ALICE)
    await store.webhooks.disable(id, NOW)
    await store.webhooks.disable(id, NOW + 1_000)
    assert.equal((await store.webhooks.find(ALICE, id))?.disabledAt, '2026-01-31T12:00:00.000Z')
    await store.webhooks.deleteDisabled(NOW)
    assert.equal((await store.webhooks.list(ALICE)).length, 1)
    await store.webhooks.deleteDisabled(NOW + 1)
    assert.equal((await store.webhooks.list(ALICE)).length, 0)
  })

  it('notes the latest attempt, in whatever order they are written', async () => {
    const store = await open()
    const id = await givenWebhook(store, ALICE)
    await store.webhooks.setLastAttempt(id, { at: NOW + 10, status: null })
    await store.webhooks.setLastAttempt(id, { at: NOW, status: 200 })
    const webhook = await store.webhooks.find(ALICE, id)
    assert.deepEqual(
      [webhook?.lastDeliveryAt, webhook?.lastStatus],
      ['2026-01-31T12:00:00.010Z', null],
    )
  })

  it('stores the first of several keys', async () => {
    const store = await open()
    assert.equal(await store.secretKeys.find(), null)
    const kept = await Promise.all(
      ['a', 'b', 'c'].map((key) => store.secretKeys.addOrFind(key, NOW)),
    )
    assert.equal(new Set(kept).size, 1)
    assert.equal(await store.secretKeys.find(), kept[0])
  })
})
