import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AccountId, InboxId } from '@mayfly/contract'
import fc from 'fast-check'
import {
  ALICE,
  describeEachDatabase,
  givenInbox,
  NOW,
  newMail,
} from '../../../test/testing-store.ts'
import { createIds } from '../../platform/ids.ts'
import type { Store } from '../../store/open.ts'
import type { FloodWindow } from '../../store/tables/receiving.ts'
import { RefusalLog, recordEvents } from '../diagnostics/refusal-log.ts'
import { type AdmitDeps, admitRecipient } from './admit.ts'
import { commitMails } from './commit.ts'
import { beginsFlood, countMail } from './flood.ts'
import { ensureOperatorInbox, OPERATOR_ACCOUNT } from './operator-inbox.ts'

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
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

const EMPTY: FloodWindow = { startedAt: 0, mails: 0, earlier: [] }

/** Counts a mail at each of these times; tells at which of them a flood began. */
function count(times: readonly number[], from = EMPTY) {
  let window = from
  const floods: number[] = []
  for (const [place, at] of times.entries()) {
    const next = countMail(window, at)
    if (beginsFlood(window, next)) floods.push(place)
    window = next
  }
  return { window, floods }
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
      '9,800 around the end of a window that the first mail began',
      [NOW, ...mailsAt(minutes(9.9), 4_900), ...mailsAt(minutes(10.1), 4_900)],
      5_001,
    ],
    [
      '5,000 in 9 minutes and 50 seconds, and one more',
      [...Array.from({ length: 5_000 }, (_, i) => NOW + 9_999 + i * 118), minutes(10) - 1],
      5_000,
    ],
    [
      '5,000 each 10 minutes',
      [0, 1, 2, 3].flatMap((times) => mailsAt(minutes(10 * times), 5_000)),
      null,
    ],
    [
      'one received before the newest ones',
      [...mailsAt(NOW, 2_500), ...mailsAt(minutes(5), 2_500), minutes(1)],
      5_000,
    ],
    [
      '10,000 with a clock that is set back by an hour',
      [...mailsAt(NOW, 5_000), ...mailsAt(minutes(-60), 5_000)],
      null,
    ],
  ]
  for (const [name, times, floodAt] of cases) {
    it(`${floodAt === null ? 'finds no flood in' : 'finds a flood in'} ${name}`, () => {
      assert.deepEqual(count(times).floods, floodAt === null ? [] : [floodAt])
    })
  }

  it('goes on from what an older version counted, which began at any time', () => {
    const older = { startedAt: NOW + 3_333, mails: 4_000, earlier: [] }
    assert.deepEqual(count(mailsAt(minutes(9), 1_001), older).floods, [1_000])
    assert.deepEqual(count(mailsAt(minutes(11), 1_001), older).floods, [])
  })

  it('never has more than 59 earlier parts, and none without mails at their end', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -WINDOW_MS, max: 2 * WINDOW_MS })), (steps) => {
        let at = NOW
        const times = steps.map((step) => {
          at += step
          return at
        })
        const { earlier } = count(times).window
        assert.ok(earlier.length < 60)
        assert.notEqual(earlier.at(-1), 0)
      }),
    )
  })

  it('finds a flood only in more than 5,000, and surely if they take 9:50 at most', () => {
    const bursts = fc.array(
      fc.record({ pauseMs: fc.nat(3 * MINUTE_MS), mails: fc.integer({ min: 1, max: 2_000 }) }),
      { maxLength: 12 },
    )
    fc.assert(
      fc.property(fc.nat(MINUTE_MS), bursts, (startMs, all) => {
        let at = NOW + startMs
        const times = all.flatMap(({ pauseMs, mails }) => {
          at += pauseMs
          return mailsAt(at, mails)
        })
        /** Whether the mail at this place is one too many within this time. */
        const isTooMany = (place: number, withinMs: number) =>
          (times[place] ?? 0) - (times[place - 5_000] ?? 0) < withinMs
        const { floods } = count(times)
        for (const place of floods) assert.ok(isTooMany(place, WINDOW_MS))
        const first = times.findIndex((_, place) => isTooMany(place, WINDOW_MS - 10 * SECOND_MS))
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

  it('is found across any boundary of time, in several batches', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE })
    await deliver(store, inbox.id, { count: 1 })
    await deliver(store, inbox.id, { count: 3_000, at: NOW + 9 * MINUTE_MS })
    await deliver(store, inbox.id, { count: 2_000, at: NOW + 11 * MINUTE_MS })
    const [fill] = await store.receiving.lockInboxes([inbox.id])
    assert.deepEqual(fill?.flood, {
      startedAt: NOW + 11 * MINUTE_MS,
      mails: 2_000,
      earlier: [...new Array<number>(11).fill(0), 3_000],
    })
    assert.equal(await state(store, inbox.id), 'active')
    await deliver(store, inbox.id, { count: 1, at: NOW + 18 * MINUTE_MS })
    assert.equal(await state(store, inbox.id), 'suspended')
  })

  it('is counted together with nodes of the version before', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE })
    const older = (set: string) => store.execute(`update inbox set ${set} where id = '${inbox.id}'`)
    await deliver(store, inbox.id, { count: 100 })
    await deliver(store, inbox.id, { count: 1, at: NOW + MINUTE_MS })
    // It adds to the newest part until that is 10 minutes old.
    await older('flood_mails = flood_mails + 4899')
    await deliver(store, inbox.id, { count: 1, at: NOW + 2 * MINUTE_MS })
    assert.equal(await state(store, inbox.id), 'suspended')
    await store.operator.resumeInbox(inbox.id)
    // Then it begins another, and does not know of those before.
    await deliver(store, inbox.id, { count: 4_000, at: NOW + 3 * MINUTE_MS })
    await deliver(store, inbox.id, { count: 1, at: NOW + 4 * MINUTE_MS })
    await older(`flood_started_at = ${NOW + 15 * MINUTE_MS}, flood_mails = 1`)
    await deliver(store, inbox.id, { count: 4_999, at: NOW + 16 * MINUTE_MS })
    assert.equal(await state(store, inbox.id), 'active')
    await deliver(store, inbox.id, { count: 1, at: NOW + 16 * MINUTE_MS })
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
