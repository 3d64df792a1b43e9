import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { AccountId, InboxId } from '@mayfly/contract'
import {
  ALICE,
  describeEachDatabase,
  givenInbox,
  NOW,
  newMail,
} from '../../../test/testing-store.ts'
import { createIds } from '../../platform/ids.ts'
import type { Store } from '../../store/open.ts'
import { RefusalLog, recordEvents } from '../diagnostics/refusal-log.ts'
import { type AdmitDeps, admitRecipient } from './admit.ts'
import { commitMails } from './commit.ts'
import { ensureOperatorInbox, OPERATOR_ACCOUNT } from './operator-inbox.ts'

const MINUTE_MS = 60 * 1000
const BATCH = 500
const SENDER = { mailFrom: 'a@b.example', remoteAddress: '192.0.2.1', user: null }

const ids = createIds({ now: () => NOW })
const newDiagnosticId = () => ids.next('diagnostic')

/** Delivers mails; the inbox holds 1,000 of them, the others are refused. */
async function deliver(
  store: Store,
  inboxId: InboxId,
  mails: { readonly count: number; readonly at?: number },
): Promise<void> {
  const deps = {
    store,
    newDiagnosticId,
    newMessageId: () => ids.next('message'),
    composeDeliveries: () => ({ deliveries: [], omissions: [] }),
    announce: () => {},
    storeApart: () => assert.fail('nothing is locked'),
  }
  for (let left = mails.count; left > 0; left -= BATCH) {
    const batch = Array.from({ length: Math.min(left, BATCH) }, () => ({
      mail: newMail(mails.at),
      recipients: [{ inboxId, address: 'x' }],
    }))
    await commitMails(deps, batch)
  }
}

function admission(store: Store, hasAccountRoom = true): AdmitDeps {
  const clock = { now: () => NOW }
  const refusals = new RefusalLog({
    store,
    clock,
    newId: newDiagnosticId,
    ourDomains: ['mayfly.test'],
    replyText: (reply) => reply,
    onUnplaced: () => {},
    record: async (events) => {
      await recordEvents({ store, announce: () => {} }, [events])
      return true
    },
  })
  const operatorAddress = 'postmaster@mayfly.test'
  return {
    ...{ store, clock, refusals, ourDomains: ['mayfly.test'], operatorAddress },
    hasAccountRoom: async () => hasAccountRoom,
    keptUntil: () => NOW,
    injectFault: async () => null,
    findRecipient: (address) => store.receiving.findRecipient(address),
    findSenderInbox: async () => null,
    catchAll: null,
  }
}

async function state(store: Store, inboxId: InboxId, owner: AccountId = ALICE) {
  return (await store.inboxes.find(owner, inboxId, NOW))?.state
}

describeEachDatabase('a flood', (open) => {
  it('is more than 5,000 mails within 10 minutes, and suspends the inbox', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE })
    await deliver(store, inbox.id, { count: 5_000 })
    assert.equal(await state(store, inbox.id), 'active')
    await deliver(store, inbox.id, { count: 1, at: NOW + 10 * MINUTE_MS - 1 })
    assert.equal(await state(store, inbox.id), 'suspended')
    const events = await store.diagnostics.list(inbox.id, 10)
    assert.deepEqual(
      events.map(({ stage, detail }) => [stage, detail]),
      [['inbox.suspended', 'more than 5,000 mails within 10 minutes']],
    )

    // What the operator resumes is not suspended again by the same flood.
    await store.operator.resumeInbox(inbox.id)
    await deliver(store, inbox.id, { count: 1, at: NOW + 1 })
    assert.equal(await state(store, inbox.id), 'active')
  })

  it('counts mails that are refused because the inbox is full, and no recipients', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE })
    await deliver(store, inbox.id, { count: 5_000 })
    const deps = admission(store)
    for (let i = 0; i < 20; i++) {
      const refused = await admitRecipient(deps, inbox.address, SENDER)
      assert.deepEqual(refused, { state: 'refused', why: 'full' })
    }
    assert.equal(await state(store, inbox.id), 'active')
    await deliver(store, inbox.id, { count: 1 })
    assert.equal(await state(store, inbox.id), 'suspended')
  })

  it('does not count recipients without a mail, nor mails of another window', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE })
    await deliver(store, inbox.id, { count: 900 })
    const deps = admission(store)
    for (let i = 0; i < 5_001; i++) await admitRecipient(deps, inbox.address, SENDER)
    assert.equal(await state(store, inbox.id), 'active')
    await deliver(store, inbox.id, { count: 4_100 })
    await deliver(store, inbox.id, { count: 1_000, at: NOW + 10 * MINUTE_MS })
    assert.equal(await state(store, inbox.id), 'active')
  })

  it('is not what fills an account: mail for it is refused, and told', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE })
    const refused = await admitRecipient(admission(store, false), inbox.address, SENDER)
    assert.deepEqual(refused, { state: 'refused', why: 'full' })
    const [event] = await store.diagnostics.list(inbox.id, 10)
    assert.equal(event?.reason, 'account_limit_reached')
    assert.match(String(event.detail), /the inboxes of the account hold as much mail as its plan/)
    assert.equal(await store.receiving.sumBytes(ALICE), 0)
    const [fill] = await store.receiving.lockInboxes([inbox.id])
    assert.ok(fill !== undefined)
    await store.receiving.setFill([{ ...fill, sizeBytes: 5_000_000_000 }])
    await givenInbox(store, { owner: ALICE })
    assert.equal(await store.receiving.sumBytes(ALICE), 5_000_000_000)
  })

  it("never suspends the operator's inbox", async () => {
    const store = await open()
    const address = await ensureOperatorInbox({ store, clock: { now: () => NOW } }, 'mayfly.test')
    const inbox = await store.receiving.findRecipient(address)
    assert.ok(inbox !== null)
    await deliver(store, inbox.inboxId, { count: 5_001 })
    assert.equal(await state(store, inbox.inboxId, OPERATOR_ACCOUNT), 'active')
  })

  it('never suspends a project inbox, which keeps its newest mails', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE, keepMessages: 10 })
    await deliver(store, inbox.id, { count: 5_001 })
    assert.equal(await state(store, inbox.id), 'active')
    assert.equal((await store.receiving.findInbox(inbox.id))?.messageCount, 10)
  })
})
