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
} from '../../test/testing-store.ts'
import { createIds } from '../platform/ids.ts'
import type { MailsStored } from '../signals/thread-signals.ts'
import type { Store } from '../store/open.ts'
import type { ComposedMail } from './received-mail.ts'
import { type StoreOptions, storeMails } from './store-mails.ts'

type StoredInbox = Awaited<ReturnType<typeof givenInbox>>

/** Stores mails, and tells what was announced. */
function storing(store: Store, clock = { now: () => NOW }) {
  const announced: MailsStored[] = []
  const announce = (stored: MailsStored) => announced.push(stored)
  const deps = { store, clock, ids: createIds(clock), announce }
  return {
    announced,
    store: async (batch: readonly ComposedMail[], changes: Partial<StoreOptions> = {}) => {
      const options = { ifLocked: 'wait', isRepeated: false, ...changes } as const
      const results = await storeMails(deps, batch, options)
      return results.map((result) => (result === 'locked' ? null : result))
    },
  }
}

function composed(...inboxes: readonly StoredInbox[]): ComposedMail {
  const recipients = inboxes.map(({ id, address }) => ({ inboxId: id, address, isCatchAll: false }))
  return { mail: newMail(), recipients }
}

const countOf = async (store: Store, { id }: StoredInbox) =>
  (await store.receiving.lockInboxes([id]))[0]?.messageCount

describeEachDatabase('mails that are stored', (open, database) => {
  it('are stored once when their transaction is repeated, beside others', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE })
    const tested = storing(store)
    const [mail, other] = [composed(inbox), composed(inbox)]
    const [first] = await tested.store([mail])
    const repeated = await tested.store([mail, other], { isRepeated: true })
    assert.deepEqual(repeated[0], first)
    assert.equal(repeated[1]?.state, 'stored')
    assert.equal(await countOf(store, inbox), 2)
    // Nobody knows whether the first transaction was announced.
    assert.deepEqual(
      tested.announced.map(({ inboxIds }) => inboxIds),
      [[inbox.id], [inbox.id]],
    )
  })

  it('are refused by a full inbox, and stored in the others', async () => {
    const store = await open()
    const full = await givenInbox(store, { owner: ALICE })
    const other = await givenInbox(store, { owner: ALICE })
    await store.execute(`update inbox set message_count = 1000 where id = '${full.id}'`)
    const [both, alone] = await storing(store).store([composed(full, other), composed(full)])
    assert.deepEqual([both?.state, both?.fullInboxes], ['stored', [full.id]])
    assert.deepEqual([alone?.state, alone?.messageId], ['full', null])
    assert.equal(await countOf(store, other), 1)
  })

  it('have no place when their inbox is gone', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE })
    await store.purgeInbox(ALICE, { id: inbox.id, now: NOW })
    const [gone] = await storing(store).store([composed(inbox)])
    assert.equal(gone?.state, 'gone')
  })

  if (database !== 'PostgreSQL') return

  it('are left out while somebody has locked their inbox', async () => {
    const store = await open()
    const locked = await givenInbox(store, { owner: ALICE })
    const free = await givenInbox(store, { owner: ALICE })
    const tested = storing(store)
    const mail = composed(locked)
    const results = await store.transaction(async (tx) => {
      await tx.receiving.lockInboxes([locked.id])
      return tested.store([mail, composed(free)], { ifLocked: 'leaveOut' })
    })
    assert.deepEqual(
      results.map((result) => result?.state ?? 'locked'),
      ['locked', 'stored'],
    )
    assert.equal(await countOf(store, locked), 0)
    assert.equal((await tested.store([mail]))[0]?.state, 'stored')
  })
})

describeEachDatabase('the deliveries of a mail', (open) => {
  it('are written as long as there is room; its inbox shows what is left out', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE })
    const webhookId = await givenWebhook(store, ALICE)
    await givenDeliveries(store, { owner: ALICE, webhookId, count: 9_999 })
    let now = NOW
    const clock = { now: () => now }
    const commit = () => {
      now += 1
      return storing(store, clock).store([composed(inbox)])
    }

    const [first] = await commit()
    const [second] = await commit()
    assert.deepEqual([first?.state, second?.state], ['stored', 'stored'])
    const newest = async () => {
      const [delivery] = await store.deliveries.list(ALICE, { limit: 1, before: null })
      return delivery?.messageId
    }
    assert.equal(await newest(), first?.messageId)
    const events = await store.diagnostics.list(inbox.id, 10)
    const detail = `${second?.messageId} is not sent to 1 webhook: too many deliveries are pending`
    assert.deepEqual(
      events.map((event) => [event.stage, event.detail]),
      [['webhook.failed', detail]],
    )

    // With room again, later mails are delivered again.
    await store.dispatches.failPending(webhookId, 10)
    const [third] = await commit()
    assert.equal(await newest(), third?.messageId)
    assert.equal((await store.diagnostics.list(inbox.id, 10)).length, 1)
  })

  it('are one for each inbox and webhook, with the body of their message', async () => {
    const store = await open()
    const inboxes = await Promise.all(
      Array.from({ length: 7 }, () => givenInbox(store, { owner: ALICE })),
    )
    for (let i = 0; i < 5; i++) await givenWebhook(store, ALICE)
    await storing(store).store([composed(...inboxes)])
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
      const found = await store.messages.findMailId(ALICE, inboxId, messageId)
      assert.notEqual(found, null)
    }
  })
})
