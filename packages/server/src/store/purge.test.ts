import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  ALICE,
  describeEachDatabase,
  givenDeliveries,
  givenInbox,
  givenMail,
  givenWebhook,
  NOW,
} from '../../test/testing-store.ts'
import { deleteMessages, purgeInbox } from './purge.ts'

describeEachDatabase('a purge', (open) => {
  it('deletes so many deliveries at once, and leaves others to the sweep', async () => {
    const store = await open()
    const webhookId = await givenWebhook(store, ALICE)
    const { id: inboxId } = await givenInbox(store, { owner: ALICE })
    await givenDeliveries(store, { owner: ALICE, webhookId, inboxId, count: 640 })
    const copied = 'account_id, webhook_id, url, event, inbox_id, message_id, payload, status'
    for (let i = 0; i < 4; i++) {
      await store.execute(`insert into delivery (id, ${copied}, created_at)
        select id || '${i}', ${copied}, created_at from delivery`)
    }
    assert.equal(await store.purgeInbox(ALICE, { id: inboxId, now: NOW }), true)
    assert.equal(await store.deliveries.deleteOfInboxes([inboxId], 1_000), 240)
  })

  it('succeeds although mails are left, which are told of', async () => {
    const store = await open()
    const { id: inboxId } = await givenInbox(store, { owner: ALICE })
    const [one, other] = [await givenMail(store, inboxId), await givenMail(store, inboxId)]
    const failure = new Error('the storage failed')
    const left: unknown[] = []
    const failing: Parameters<typeof purgeInbox>[0] = {
      deliveries: store.deliveries,
      onPurgeFailed: (error) => void left.push(error),
      transaction: (work) =>
        store.transaction((tx) => {
          const mails = Object.create(tx.mails) as typeof tx.mails // Fails to delete.
          mails.deleteUnshared = async () => {
            throw failure
          }
          return work({ ...tx, mails })
        }),
    }
    const { messageId } = one
    const which = { inboxId, selection: [messageId] }
    assert.deepEqual(await deleteMessages(failing, ALICE, which), [messageId])
    assert.equal(await purgeInbox(failing, ALICE, { id: inboxId, now: NOW }), true)
    assert.deepEqual(left, [failure, failure])
    const unshared = await store.mails.listUnshared({ after: '', until: NOW, limit: 10 })
    const mailIds = [one.mailId, other.mailId].sort()
    assert.deepEqual(
      unshared.mails.map(({ mailId }) => mailId),
      mailIds,
    )
  })

  it('deletes all deliveries of several inboxes', async () => {
    const store = await open()
    if (store.purgeDue === null) return
    const webhookId = await givenWebhook(store, ALICE)
    const inboxes = [
      await givenInbox(store, { owner: ALICE }),
      await givenInbox(store, { owner: ALICE }),
    ]
    const inboxIds = inboxes.map(({ id }) => id)
    for (const inboxId of inboxIds) {
      await givenDeliveries(store, { owner: ALICE, webhookId, inboxId, count: 300 })
    }
    assert.equal(await store.purgeDue(inboxIds, NOW), 2)
    assert.equal(await store.deliveries.deleteOfInboxes(inboxIds, 1_000), 0)
  })
})
