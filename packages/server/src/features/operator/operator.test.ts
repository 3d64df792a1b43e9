import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { InboxId } from '@mayfly/contract'
import {
  ALICE,
  BOB,
  describeEachDatabase,
  givenDeliveries,
  givenInbox,
  givenWebhook,
  NOW,
  newMail,
} from '../../../test/testing-store.ts'
import { OperatorRefused } from '../../errors.ts'
import { createIds } from '../../platform/ids.ts'
import { ensureOperatorInbox } from '../../receiving/operator-inbox.ts'
import type { Store } from '../../store/open.ts'
import type { NewMail } from '../../store/tables/mails.ts'
import { issueKey } from '../accounts/keys.ts'
import { OPERATOR_ACCOUNT } from '../rules/own-ids.ts'
import {
  disconnect,
  giveKey,
  listAccounts,
  type OperatorAccountDeps,
  revokeKeys,
  setPlan,
} from './accounts.ts'
import { purge } from './purge.ts'
import { resume, type SuspensionDeps, suspend } from './suspension.ts'
import { getTarget } from './target.ts'

const clock = { now: () => NOW }
const ids = createIds(clock)

function operator(store: Store): OperatorAccountDeps & SuspensionDeps {
  return {
    store,
    clock,
    ids,
    issueKey: (tx, accountId, fields) => issueKey({ store: tx, clock, ids }, accountId, fields),
  }
}

/** One mail with a copy in each of these inboxes. */
async function givenMail(store: Store, inboxIds: readonly InboxId[]) {
  const mail = newMail()
  await store.mails.add(
    [mail],
    inboxIds.map((id) => copy(mail, id)),
  )
  return mail.id
}

let sequence = 0

function copy(mail: NewMail, inboxId: InboxId) {
  sequence += 1
  return { id: ids.next('message'), inboxId, recipient: 'x', sequence, mail }
}

describeEachDatabase('the operator', (open) => {
  it('lists accounts and what they have', async () => {
    const store = await open()
    await givenInbox(store, { owner: ALICE })
    await givenInbox(store, { owner: ALICE, expiresAt: NOW })
    await giveKey(operator(store), 'acc_alice')
    const all = await listAccounts(operator(store), { emailContains: '', limit: 10 })
    assert.deepEqual(all.map(({ id }) => id).sort(), [ALICE, BOB])
    const [found] = await listAccounts(operator(store), { emailContains: '_ALICE@', limit: 10 })
    assert.deepEqual(
      [found?.email, found?.activeKeys, found?.inboxes, found?.suspendedAt],
      ['acc_alice@example.com', 1, 1, null],
    )
  })

  it('puts an account on a plan', async () => {
    const store = await open()
    const account = await setPlan(operator(store), 'ACC_ALICE@example.com', 'connected')
    assert.deepEqual([account.id, account.plan], [ALICE, 'connected'])
    assert.equal((await store.accounts.find(ALICE))?.plan, 'connected')
    await assert.rejects(setPlan(operator(store), 'nobody@example.com', 'connected'), {
      name: 'OperatorRefused',
      message: 'There is no account nobody@example.com.',
    })
  })

  it('sets a plan that outlives a connected external account', async () => {
    const store = await open()
    const identity = { issuer: 'https://id.example', subject: '1' }
    for (const plan of ['unlimited', 'connected'] as const) {
      const before = { connectedAt: NOW, planBefore: 'key_only' } as const
      assert.equal(await store.connections.add(ALICE, identity, before), true)
      await setPlan(operator(store), ALICE, plan)
      assert.equal(await store.connections.remove(ALICE), plan)
    }
  })

  it('disconnects an external account, and its plan is what it was', async () => {
    const store = await open()
    await store.connections.add(
      ALICE,
      { issuer: 'https://id.example', subject: '1' },
      { connectedAt: NOW, planBefore: 'key_only' },
    )
    await store.operator.setPlan(BOB, 'connected')
    await store.connections.changePlan(ALICE, { from: 'unlimited', to: 'connected' })
    const account = await disconnect(operator(store), 'acc_alice@example.com')
    assert.deepEqual([account.plan, account.isConnected], ['key_only', false])
    await assert.rejects(disconnect(operator(store), ALICE), /is not connected/)
    assert.equal((await store.accounts.find(BOB))?.plan, 'connected')
  })

  it('revokes all keys of an account, and gives it a new one', async () => {
    const store = await open()
    for (let i = 0; i < 3; i++) await giveKey(operator(store), ALICE)
    const { revoked } = await revokeKeys(operator(store), 'acc_alice@example.com')
    assert.equal(revoked, 3)
    assert.deepEqual(await store.keys.list(ALICE, 0), [])
    assert.equal((await revokeKeys(operator(store), ALICE)).revoked, 0)
    const { key, apiKey } = await giveKey(operator(store), ALICE)
    assert.deepEqual([key.role, key.environment], ['admin', 'live'])
    assert.equal((await store.keys.findCredentials(apiKey.slice(0, 16))).length, 1)
  })

  it('suspends an account and resumes it', async () => {
    const store = await open()
    const { apiKey } = await giveKey(operator(store), ALICE)
    const inbox = await givenInbox(store, { owner: ALICE })
    const isStopped = async () => [
      (await store.keys.findCredentials(apiKey.slice(0, 16))).length === 0,
      (await store.receiving.findRecipient(inbox.address))?.isSuspended,
    ]
    await suspend(operator(store), ALICE, 'abuse')
    assert.deepEqual(await isStopped(), [true, true])
    await resume(operator(store), 'acc_alice@example.com')
    assert.deepEqual(await isStopped(), [false, false])
  })

  it('suspends an inbox, records that in its diagnostics, and resumes it', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE, address: 'x@mayfly.test' })
    await suspend(operator(store), 'X@mayfly.test', 'abuse')
    await suspend(operator(store), inbox.id, 'again')
    assert.equal((await store.inboxes.find(ALICE, inbox.id, NOW))?.state, 'suspended')
    const events = await store.diagnostics.list(inbox.id, 10)
    assert.deepEqual(
      events.map(({ stage, detail }) => [stage, detail]),
      [['inbox.suspended', 'abuse']],
    )
    await resume(operator(store), inbox.id)
    assert.equal((await store.inboxes.find(ALICE, inbox.id, NOW))?.state, 'active')
  })

  it('does not hide later events of an inbox that was suspended', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE })
    await suspend(operator(store), inbox.id, 'abuse')
    const [suspended] = await store.diagnostics.list(inbox.id, 1)
    const later = createIds({ now: () => NOW + 1 })
    const event = { id: later.next('diagnostic'), inboxId: inbox.id, at: NOW + 1, detail: '550' }
    await store.diagnostics.add([{ ...event, stage: 'smtp.refused', reason: 'inbox_suspended' }])

    const after = await store.diagnostics.listAfter(inbox.id, suspended?.id ?? '', 10)
    assert.deepEqual(
      after.map(({ stage }) => stage),
      ['smtp.refused'],
    )
    assert.equal((await store.diagnostics.list(inbox.id, 1))[0]?.id, event.id)
  })

  it('asks for an id where a text names an account and an inbox', async () => {
    const store = await open()
    const address = 'acc_alice@example.com'
    const inbox = await givenInbox(store, { owner: ALICE, address })
    await assert.rejects(getTarget(store, address), /is an account and an inbox.*acc_alice or inb_/)
    assert.equal((await getTarget(store, inbox.id)).kind, 'inbox')
    assert.equal((await getTarget(store, ALICE)).kind, 'account')
    await assert.rejects(getTarget(store, 'nothing'), OperatorRefused)
  })

  it('purges an account with all that is its own and nothing else', async () => {
    const store = await open()
    const inboxes = []
    for (let i = 0; i < 45; i++) inboxes.push(await givenInbox(store, { owner: ALICE }))
    const other = await givenInbox(store, { owner: BOB })
    const [first] = inboxes
    assert.ok(first !== undefined)
    const alone = await givenMail(store, [first.id])
    const shared = await givenMail(store, [first.id, other.id])
    await giveKey(operator(store), ALICE)

    const purged = await purge(operator(store), 'acc_alice@example.com')
    assert.equal(purged.inboxes, 45)
    assert.equal(await store.accounts.find(ALICE), null)
    assert.equal(await store.inboxes.find(ALICE, first.id, NOW), null)
    assert.equal(await store.mails.findRaw(alone), null)
    assert.notEqual(await store.mails.findRaw(shared), null)
    assert.equal((await store.inboxes.find(BOB, other.id, NOW))?.state, 'active')
    const again = { id: ALICE, email: 'acc_alice@example.com', name: null, createdAt: NOW }
    const isFree = await store.accounts.add({ ...again, plan: 'connected' })
    assert.ok(isFree, 'the email is free again')
  })

  it('purges an account with a long log of deliveries, some at a time', async () => {
    const store = await open()
    const webhookId = await givenWebhook(store, ALICE)
    const { id: inboxId } = await givenInbox(store, { owner: ALICE })
    await givenDeliveries(store, { owner: ALICE, webhookId, count: 501, inboxId })
    await store.inboxes.purge(ALICE, inboxId)
    const deliveries = Object.create(store.deliveries) as typeof store.deliveries // Counts.
    const deleted: number[] = []
    deliveries.deleteOfAccount = async (owner, limit) => {
      const count = await store.deliveries.deleteOfAccount(owner, limit)
      deleted.push(count)
      return count
    }
    await purge(operator({ ...store, deliveries }), ALICE)
    assert.deepEqual(deleted, [500, 1])
    assert.equal(await store.accounts.find(ALICE), null)
  })

  it('purges an inbox, and keeps its address from others', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE, address: 'x@mayfly.test' })
    await purge(operator(store), 'x@mayfly.test')
    assert.equal(await store.inboxes.find(ALICE, inbox.id, NOW), null)
    const claim = { address: 'x@mayfly.test', inboxId: inbox.id, occupiedUntil: NOW + 1, now: NOW }
    assert.equal(await store.addresses.claim(BOB, claim), false)
    assert.equal(await store.addresses.claim(ALICE, claim), true)
  })

  it("does not touch the operator's own account", async () => {
    const store = await open()
    await ensureOperatorInbox({ store, clock }, 'mayfly.test')
    const inbox = await givenInbox(store, { owner: OPERATOR_ACCOUNT })
    for (const text of [OPERATOR_ACCOUNT, inbox.id, inbox.address]) {
      await assert.rejects(suspend(operator(store), text, 'x'), OperatorRefused)
      await assert.rejects(purge(operator(store), text), OperatorRefused)
    }
    assert.equal((await store.inboxes.find(OPERATOR_ACCOUNT, inbox.id, NOW))?.state, 'active')
  })

  it('knows the time of the database', async () => {
    const store = await open()
    const before = Date.now()
    const time = await store.operator.databaseTime()
    assert.ok(Math.abs(time - before) < 5_000, `${time} is far from ${before}`)
  })
})
