import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  ALICE,
  describeEachDatabase,
  givenDeliveries,
  givenInbox,
  givenWebhook,
  NOW,
  newMail,
} from '../../../test/testing-store.ts'
import { createCommitDeps } from '../../assembly/storing.ts'
import { commitWaiting } from './commit.ts'

describeEachDatabase('the deliveries of a mail', (open) => {
  it('are written as long as there is room; its inbox shows what is left out', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE })
    const webhookId = await givenWebhook(store, ALICE)
    await givenDeliveries(store, { owner: ALICE, webhookId, count: 9_999 })
    let now = NOW
    const clock = { now: () => now }
    const deps = createCommitDeps({ store, clock, signals: { announce: () => {} } })
    const recipients = [{ inboxId: inbox.id, address: inbox.address }]
    const commit = () => {
      now += 1
      return commitWaiting(deps, [{ mail: newMail(), recipients }])
    }

    const [first] = await commit()
    const [second] = await commit()
    assert.deepEqual([first?.state, second?.state], ['stored', 'stored'])
    const newest = async () => {
      const [delivery] = await store.deliveries.list(ALICE, { limit: 1, before: null })
      return delivery?.messageId
    }
    assert.equal(await newest(), first?.messages[0]?.id)
    const events = await store.diagnostics.list(inbox.id, 10)
    const detail = `${second?.messages[0]?.id} is not sent to 1 webhook: too many deliveries are pending`
    assert.deepEqual(
      events.map((event) => [event.stage, event.detail]),
      [['webhook.failed', detail]],
    )

    // With room again, later mails are delivered again.
    await store.dispatches.failPending(webhookId, 10)
    const [third] = await commit()
    assert.equal(await newest(), third?.messages[0]?.id)
    assert.equal((await store.diagnostics.list(inbox.id, 10)).length, 1)
  })

  it('are one for each inbox and webhook, with the body of their message', async () => {
    const store = await open()
    const inboxes = await Promise.all(
      Array.from({ length: 7 }, () => givenInbox(store, { owner: ALICE })),
    )
    for (let i = 0; i < 5; i++) await givenWebhook(store, ALICE)
    const clock = { now: () => NOW }
    const deps = createCommitDeps({ store, clock, signals: { announce: () => {} } })
    const recipients = inboxes.map(({ id, address }) => ({ inboxId: id, address }))
    const [result] = await commitWaiting(deps, [{ mail: newMail(), recipients }])
    const deliveries = await store.deliveries.list(ALICE, { limit: 100, before: null })
    const pairs = new Set(deliveries.map(({ inboxId, webhookId }) => `${inboxId} ${webhookId}`))
    assert.deepEqual([deliveries.length, pairs.size], [35, 35])
    for (const { id, inboxId, messageId, status } of deliveries) {
      const payload = (await store.deliveries.findEvent(ALICE, id))?.payload
      const event = JSON.parse(payload ?? '')
      assert.deepEqual(Object.keys(event), ['id', 'type', 'createdAt', 'data'])
      const { inbox, message } = event.data
      assert.deepEqual(
        [event.id, inbox.id, message.id, event.createdAt, status],
        [id, inboxId, messageId, new Date(NOW).toISOString(), 'pending'],
      )
      assert.ok(result?.messages.some((stored) => stored.id === messageId))
    }
  })
})
