import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { InboxId } from '@mayfly/contract'
import {
  ALICE,
  describeEachDatabase,
  givenDeliveries,
  givenInbox,
  givenWebhook,
  NOW,
  newMail,
} from '../../../test/testing-store.ts'
import { createIds } from '../../platform/ids.ts'
import type { Store } from '../../store/open.ts'
import { PLANS } from '../rules/plans.ts'
import { SweepProgress, sweepExpired } from './sweep.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const ids = createIds({ now: () => NOW })

const limitsOf = (plan: keyof typeof PLANS) => PLANS[plan]

const depsOf = (store: Store) => ({
  store,
  purgeInbox: store.purgeInbox,
  deleteMails: store.deleteMails,
  limitsOf,
  elapsedMs: () => 0,
  pause: async () => {},
  isStopped: () => false,
})

describeEachDatabase('the sweep', (open) => {
  it('purges an inbox once the plan no longer keeps it, not a moment before', async () => {
    const store = await open()
    const old = await givenInbox(store, { owner: ALICE, expiresAt: NOW })
    const young = await givenInbox(store, { owner: ALICE, expiresAt: NOW + 1 })
    const sweepAt = (now: number) => sweepExpired({ ...depsOf(store), clock: { now: () => now } })
    const keptUntil = NOW + (PLANS.unlimited.retentionDays ?? 0) * DAY_MS

    await sweepAt(keptUntil - 1)
    assert.notEqual(await store.inboxes.find(ALICE, old.id, NOW), null)
    await sweepAt(keptUntil)
    assert.equal(await store.inboxes.find(ALICE, old.id, NOW), null)
    assert.notEqual(await store.inboxes.find(ALICE, young.id, NOW), null)
  })

  it('purges any number of inboxes, and their mails at the end of the day at the latest', async () => {
    const store = await open()
    const sweepAt = (now: number) => sweepExpired({ ...depsOf(store), clock: { now: () => now } })
    const purgedAt = NOW + (PLANS.unlimited.retentionDays ?? 0) * DAY_MS
    await store.makePartitions({ now: NOW, retentionDays: [180] })
    const mails = Array.from({ length: 120 }, () => newMail(NOW, purgedAt))
    for (const [i, mail] of mails.entries()) {
      const { id: inboxId } = await givenInbox(store, { owner: ALICE, expiresAt: NOW })
      const message = { id: ids.next('message'), inboxId, recipient: 'x', sequence: 1, mail }
      await store.mails.add([mail], [message])
      // Others are kept longer.
      if (i % 40 === 0) await givenInbox(store, { owner: ALICE, expiresAt: NOW + DAY_MS })
    }
    assert.equal(await sweepAt(purgedAt), 120)
    assert.equal(await sweepAt(purgedAt + DAY_MS), 3)
    for (const { id } of mails) assert.equal(await store.mails.findRaw(id), null)
  })

  it('goes on when something cannot be purged, and tries that again', async () => {
    const store = await open()
    const progress = new SweepProgress()
    const given = async (expiresAt: number) => {
      const { id } = await givenInbox(store, { owner: ALICE, expiresAt })
      const [fill] = await store.receiving.lockInboxes([id])
      assert.ok(fill !== undefined)
      // So many that each inbox is purged by itself.
      await store.receiving.setUsage([{ ...fill, messageCount: 501 }])
      return id
    }
    const [broken, other] = [await given(NOW), await given(NOW + 1)]
    const now = NOW + 181 * DAY_MS
    const usage = { accountId: ALICE, environment: 'live', requests: 1, inboxes: 1 } as const
    await store.usage.add({ ...usage, date: '2026-01-31' })
    const failures = [new Error('no mail can be read'), new Error('it cannot be purged')]
    const failWith = (ids: readonly InboxId[]) => {
      const [, failure] = failures
      if (failure !== undefined && ids.includes(broken)) throw failure
    }
    const purgeDue: Store['purgeDue'] = async (ids, at) => {
      failWith(ids)
      return store.purgeDue?.(ids, at) ?? 0
    }
    const purgeInbox: Store['purgeInbox'] = async (owner, inbox) => {
      failWith([inbox.id])
      return store.purgeInbox(owner, inbox)
    }
    const mails = Object.create(store.mails) as typeof store.mails // Fails as long as it should.
    mails.listUnshared = async (page) => {
      const [failure] = failures
      if (failure !== undefined) throw failure
      return store.mails.listUnshared(page)
    }
    const tables = { ...store, mails, purgeDue: store.purgeDue === null ? null : purgeDue }
    const sweep = () =>
      sweepExpired({ ...depsOf(tables), purgeInbox, clock: { now: () => now } }, progress)
    await assert.rejects(sweep(), { name: 'AggregateError', errors: failures.toReversed() })
    assert.notEqual(await store.inboxes.find(ALICE, broken, NOW), null)
    assert.equal(await store.inboxes.find(ALICE, other, NOW), null)
    assert.deepEqual(await store.usage.list(ALICE, '0', '9'), [])
    failures.length = 0
    assert.equal(await sweep(), 1)
    assert.equal(await store.inboxes.find(ALICE, broken, NOW), null)
  })

  it('ends early when the service stops', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE, expiresAt: NOW })
    const clock = { now: () => NOW + 180 * DAY_MS }
    const sweep = (isStopped: boolean) =>
      sweepExpired({ ...depsOf(store), clock, isStopped: () => isStopped })
    assert.equal(await sweep(true), 0)
    assert.notEqual(await store.inboxes.find(ALICE, inbox.id, NOW), null)
    assert.equal(await sweep(false), 1)
  })

  it('reads an expired inbox once for each plan, and again when plans may have changed', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE, expiresAt: NOW })
    const progress = new SweepProgress()
    const time = { now: NOW + 10 * DAY_MS }
    let read = 0
    const inboxes = Object.create(store.inboxes) as typeof store.inboxes // Counts what is read.
    const listExpired = store.inboxes.listExpired.bind(store.inboxes)
    inboxes.listExpired = async (page) => {
      const found = await listExpired(page)
      read += found.length
      return found
    }
    const clock = { now: () => time.now }
    const sweep = () => sweepExpired({ ...depsOf({ ...store, inboxes }), clock }, progress)
    assert.deepEqual([await sweep(), await sweep(), read], [0, 0, 1])

    await store.operator.setPlan(ALICE, 'key_only')
    assert.equal(await sweep(), 0)
    time.now += DAY_MS
    assert.equal(await sweep(), 1)
    assert.equal(await store.inboxes.find(ALICE, inbox.id, NOW), null)
  })

  it('deletes what nobody can see any more, and nothing else', async () => {
    const store = await open()
    const day = (days: number) => new Date(NOW - days * DAY_MS).toISOString().slice(0, 10)
    const usage = { accountId: ALICE, environment: 'live', requests: 1, inboxes: 1 } as const
    for (const days of [89, 90, 91]) await store.usage.add({ ...usage, date: day(days) })
    const hold = (address: string, occupiedUntil: number) =>
      store.addresses.claim(ALICE, { address, inboxId: ids.next('inbox'), occupiedUntil, now: 0 })
    await hold('held@mayfly.test', NOW - 30 * DAY_MS + 1)
    await hold('free@mayfly.test', NOW - 30 * DAY_MS)
    await store.diagnostics.countRefusals(new Map([['mayfly.test', 3]]), NOW - DAY_MS)
    await store.diagnostics.countRefusals(new Map([['mayfly.test', 4]]), NOW - 3 * DAY_MS)
    const counts = async () => {
      const rows = await store.usage.list(ALICE, '0', '9')
      const refusals = await store.domains.countRefusals(['mayfly.test'], 0)
      return [rows.map(({ date }) => date), refusals.get('mayfly.test')]
    }
    await sweepExpired({ ...depsOf(store), clock: { now: () => NOW } })
    assert.deepEqual(await counts(), [[day(90), day(89)], 3])
    assert.equal(await store.addresses.findHolder('held@mayfly.test', 0), ALICE)
    assert.equal(await store.addresses.findHolder('free@mayfly.test', 0), null)
  })

  it('deletes keys 30 days after they were revoked, and no other', async () => {
    const store = await open()
    const key = (revokedAt: number | null) => ({ id: ids.next('key'), revokedAt })
    const old = Array.from({ length: 501 }, () => key(NOW - 30 * DAY_MS - 1))
    const keys = [...old, key(NOW - 30 * DAY_MS), key(null)]
    for (const { id, revokedAt } of keys) {
      const secret = { prefix: String(id).slice(0, 16), secretHash: Buffer.from(id) }
      const fields = { name: 'CI', environment: 'live', role: 'member', createdAt: 0 } as const
      await store.keys.add({ id, accountId: ALICE, ...fields, ...secret })
      if (revokedAt !== null) await store.keys.revoke(ALICE, id, revokedAt)
    }
    await sweepExpired({ ...depsOf(store), clock: { now: () => NOW } })
    assert.equal((await store.keys.list(ALICE, 0)).length, 1)
    assert.equal(await store.keys.deleteRevoked(NOW, 1_000), 1)
  })

  it('pauses longer than it works, and shorter when it is late', async () => {
    const store = await open()
    const pausesAt = async (now: number) => {
      await givenInbox(store, { owner: ALICE, expiresAt: NOW })
      let elapsed = 0
      const pauses: number[] = []
      await sweepExpired({
        ...depsOf(store),
        clock: { now: () => now },
        // Each look at the clock is 10 ms later.
        elapsedMs: () => (elapsed += 10),
        pause: async (ms) => void pauses.push(ms),
      })
      return pauses
    }
    const dueAt = NOW + (PLANS.unlimited.retentionDays ?? 0) * DAY_MS
    assert.deepEqual(await pausesAt(dueAt), [150])
    assert.deepEqual(await pausesAt(dueAt + DAY_MS), [30])
  })

  it('deletes mails that have no message', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE })
    const mails = Array.from({ length: 3 }, () => newMail(NOW))
    const [kept, ...left] = mails
    assert.ok(kept !== undefined)
    const message = { id: ids.next('message'), inboxId: inbox.id, recipient: 'x', sequence: 1 }
    await store.mails.add(mails, [{ ...message, mail: kept }])
    const found = () => Promise.all(mails.map(({ id }) => store.mails.findRaw(id)))
    await sweepExpired({ ...depsOf(store), clock: { now: () => NOW + 1000 } })
    assert.ok((await found()).every((raw) => raw !== null))
    const deleted: string[] = []
    const deleteMails: Store['deleteMails'] = (given) => {
      deleted.push(...given.map(({ mailId }) => mailId))
      return store.deleteMails(given)
    }
    const clock = { now: () => NOW + DAY_MS }
    await sweepExpired({ ...depsOf(store), deleteMails, clock })
    assert.deepEqual(deleted.sort(), left.map(({ id }) => id).sort())
    assert.notEqual(await store.mails.findRaw(kept.id), null)
    for (const { id } of left) assert.equal(await store.mails.findRaw(id), null)
  })

  it('leaves no mail of inboxes that are purged at the same time', async () => {
    const store = await open()
    const shared = Array.from({ length: 20 }, () => newMail(NOW))
    const inboxes = await Promise.all(
      Array.from({ length: 4 }, () => givenInbox(store, { owner: ALICE })),
    )
    const messages = inboxes.flatMap(({ id: inboxId }) =>
      shared.map((mail, i) => {
        return { id: ids.next('message'), inboxId, recipient: 'x', sequence: i + 1, mail }
      }),
    )
    await store.mails.add(shared, messages)
    await Promise.all(inboxes.map(({ id }) => store.purgeInbox(ALICE, { id, now: NOW })))
    for (const { id } of shared) assert.equal(await store.mails.findRaw(id), null)
  })

  it('deletes the deliveries that purged inboxes have left, and no others', async () => {
    const store = await open()
    const webhookId = await givenWebhook(store, ALICE)
    const purged = await givenInbox(store, { owner: ALICE })
    const about = { owner: ALICE, webhookId }
    await givenDeliveries(store, { ...about, count: 501, inboxId: purged.id })
    const kept = await givenDeliveries(store, { ...about, count: 2 })
    await store.inboxes.purge(ALICE, purged.id)
    const pauses: number[] = []
    await sweepExpired({
      ...depsOf(store),
      clock: { now: () => NOW },
      pause: async (ms) => void pauses.push(ms),
    })
    assert.equal(pauses.length, 1)
    assert.equal(await store.deliveries.deleteOfInboxes([purged.id], 10), 0)
    const left = await store.deliveries.list(ALICE, { limit: 10, before: null })
    assert.deepEqual(left.map(({ id }) => id).sort(), kept.toSorted())
  })

  it('keeps the log of deliveries for 30 days, and what is pending for ever', async () => {
    const store = await open()
    const webhookId = await givenWebhook(store, ALICE)
    const about = { owner: ALICE, webhookId, count: 1 }
    const [old] = await givenDeliveries(store, { ...about, at: NOW - 30 * DAY_MS - 1 })
    const [pending] = await givenDeliveries(store, { ...about, at: NOW - 40 * DAY_MS })
    const [recent] = await givenDeliveries(store, { ...about, at: NOW - 30 * DAY_MS })
    assert.ok(old && pending && recent)
    for (const id of [old, recent]) {
      await store.dispatches.setState(id, { status: 'succeeded', attemptsMade: 1 })
    }
    await sweepExpired({ ...depsOf(store), clock: { now: () => NOW } })
    const left = await store.deliveries.list(ALICE, { limit: 10, before: null })
    assert.deepEqual(
      left.map(({ id }) => id),
      [recent, pending],
    )
  })
})
