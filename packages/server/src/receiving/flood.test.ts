import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AccountId, InboxId } from '@mayfly/contract'
import fc from 'fast-check'
import { ALICE, describeEachDatabase, givenInbox, NOW, newMail } from '../../test/testing-store.ts'
import { RefusalLog, recordEvents } from '../features/diagnostics/refusal-log.ts'
import { OPERATOR_ACCOUNT } from '../features/rules/own-ids.ts'
import { PLANS } from '../features/rules/plans.ts'
import { createIds } from '../platform/ids.ts'
import type { Store } from '../store/open.ts'
import type { FloodWindow } from '../store/tables/receiving.ts'
import { type AdmitDeps, admitRecipient } from './admit.ts'
import { beginsFlood, countMail } from './flood.ts'
import { ensureOperatorInbox } from './operator-inbox.ts'
import { storeMails } from './store-mails.ts'

const MINUTE_MS = 60 * 1000
const WINDOW_MS = 10 * MINUTE_MS
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
  const deps = { store, ids, clock: { now: () => NOW }, announce: () => {} }
  for (let left = mails.count; left > 0; left -= BATCH) {
    const batch = Array.from({ length: Math.min(left, BATCH) }, () => ({
      mail: newMail(mails.at),
      recipients: [{ inboxId, address: 'x', isCatchAll: false }],
    }))
    await storeMails(deps, batch, { ifLocked: 'leaveOut', isRepeated: false })
  }
}

function admission(store: Store, hasStorageQuota = true): AdmitDeps {
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
    hasStorageQuota: async () => hasStorageQuota,
    limitsOf: () => PLANS.unlimited,
    injectFault: async () => null,
    findRecipient: (address) => store.receiving.findRecipient(address),
    findSenderInbox: async () => null,
    catchAll: null,
  }
}

async function state(store: Store, inboxId: InboxId, owner: AccountId = ALICE) {
  return (await store.inboxes.find(owner, inboxId, NOW))?.state
}

/** Counts a mail at each of these times; tells at which of them a flood began. */
function floodsIn(times: readonly number[]): number[] {
  let window: FloodWindow = { startedAt: 0, mails: 0 }
  return times.flatMap((at, place) => {
    const before = window
    window = countMail(before, at)
    return beginsFlood(before, window) ? [place] : []
  })
}

const mailsAt = (at: number, mails: number) => new Array<number>(mails).fill(at)

describe('the window in which mails are counted', () => {
  const minutes = (count: number) => NOW + count * MINUTE_MS
  const cases: readonly [string, readonly number[], number | null][] = [
    ['5,000 at once', mailsAt(NOW, 5_000), null],
    ['one more', mailsAt(NOW, 5_001), 5_000],
    ['one more at the end of 10 minutes', [...mailsAt(NOW, 5_000), minutes(10) - 1], 5_000],
    ['one more after 10 minutes', [...mailsAt(NOW, 5_000), minutes(10)], null],
    [
      '5,000 each 10 minutes',
      [0, 1, 2, 3].flatMap((times) => mailsAt(minutes(10 * times), 5_000)),
      null,
    ],
    [
      '10,000 around the end of a window that the first mail began',
      [NOW, ...mailsAt(minutes(9.9), 4_999), ...mailsAt(minutes(10.1), 5_000)],
      null,
    ],
    [
      '5,001 after the end of that window',
      [NOW, ...mailsAt(minutes(9.9), 4_999), ...mailsAt(minutes(10.1), 5_001)],
      10_000,
    ],
    ['one received before the others', [...mailsAt(minutes(5), 5_000), minutes(1)], 5_000],
    [
      '10,000 with a clock that is set back by an hour',
      [...mailsAt(NOW, 5_000), ...mailsAt(minutes(-60), 5_000)],
      null,
    ],
  ]
  for (const [name, times, floodAt] of cases) {
    it(`${floodAt === null ? 'finds no flood in' : 'finds a flood in'} ${name}`, () => {
      assert.deepEqual(floodsIn(times), floodAt === null ? [] : [floodAt])
    })
  }

  it('finds a flood only in more than 5,000 in 10 minutes, and surely in more than 10,000', () => {
    const bursts = fc.array(
      fc.record({ pauseMs: fc.nat(3 * MINUTE_MS), mails: fc.integer({ min: 1, max: 4_000 }) }),
      { maxLength: 12 },
    )
    fc.assert(
      fc.property(bursts, (all) => {
        let at = NOW
        const times = all.flatMap(({ pauseMs, mails }) => {
          at += pauseMs
          return mailsAt(at, mails)
        })
        /** Whether the mail at this place and so many before it came within 10 minutes. */
        const isWithin = (place: number, before: number) =>
          (times[place] ?? 0) - (times[place - before] ?? 0) < WINDOW_MS
        const floods = floodsIn(times)
        for (const place of floods) assert.ok(isWithin(place, 5_000))
        const first = times.findIndex((_, place) => isWithin(place, 10_000))
        if (first !== -1) assert.ok((floods[0] ?? Number.POSITIVE_INFINITY) <= first)
      }),
      { numRuns: 50 },
    )
  })
})

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

  it('is found over several batches', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE })
    await deliver(store, inbox.id, { count: 2_000 })
    await deliver(store, inbox.id, { count: 3_000, at: NOW + 5 * MINUTE_MS })
    const [fill] = await store.receiving.lockInboxes([inbox.id])
    assert.deepEqual(fill?.flood, { startedAt: NOW, mails: 5_000 })
    assert.equal(await state(store, inbox.id), 'active')
    await deliver(store, inbox.id, { count: 1, at: NOW + 9 * MINUTE_MS })
    assert.equal(await state(store, inbox.id), 'suspended')
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
    assert.ok(event?.stage === 'smtp.refused')
    assert.equal(event.reason, 'account_limit_reached')
    assert.match(String(event.detail), /the inboxes of the account hold as much mail as its plan/)
    assert.equal(await store.receiving.sumBytes(ALICE), 0)
    const [fill] = await store.receiving.lockInboxes([inbox.id])
    assert.ok(fill !== undefined)
    await store.receiving.setUsage([{ ...fill, sizeBytes: 5_000_000_000 }])
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

  it('never suspends a catch-all inbox, which keeps its newest mails', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE, keepMessages: 10 })
    await deliver(store, inbox.id, { count: 5_001 })
    assert.equal(await state(store, inbox.id), 'active')
    assert.equal((await store.receiving.findInbox(inbox.id))?.messageCount, 10)
  })
})
