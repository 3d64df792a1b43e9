// Whether the store gets slower as it grows: receiving, looking for a wait, listing, purging and
// the sweep, on an empty store and on one with many messages, in turns.
//
//   node bench/growth.ts [--messages=1000000] [--rounds=9]      SQLite
//   node bench/growth.ts --postgres                             PostgreSQL

import type { AccountId, InboxId } from '@mayfly/contract'
import {
  makeMailPartitions,
  type SweepDeps,
  sweepExpired,
} from '../packages/server/src/features/retention/sweep.ts'
import { PLANS } from '../packages/server/src/features/rules/plans.ts'
import { elapsedMs, systemClock } from '../packages/server/src/platform/clock.ts'
import { createIds } from '../packages/server/src/platform/ids.ts'
import { createLog } from '../packages/server/src/platform/log.ts'
import { createCompose } from '../packages/server/src/receiving/compose.ts'
import { storeMails } from '../packages/server/src/receiving/store-mails.ts'
import { openStore, type Store } from '../packages/server/src/store/open.ts'
import { createSqlite } from '../packages/server/test/testing-databases.ts'
import { createDatabase, startPostgres } from '../packages/server/test/testing-postgres.ts'
import { median, option, printFigure, watchMachine } from './load/report.ts'

const MESSAGES = option('messages', 1_000_000)
const ROUNDS = option('rounds', 9)
const isPostgres = process.argv.includes('--postgres')

/** As many as one inbox can hold. */
const MESSAGES_PER_INBOX = 1_000
const BATCH = 100
const GOAL = { atLeast: 0.9 }

const STORES = ['empty', 'full'] as const
type Which = (typeof STORES)[number]
type OfBoth<T> = Readonly<Record<Which, T>>

const OWNER = 'acc_growth' as AccountId // A brand by hand: the bench needs a fixed id.
const NEVER_AT = Date.UTC(2100, 0, 1)
const KEPT_UNTIL = systemClock.now() + 180 * 24 * 60 * 60 * 1000

const ids = createIds(systemClock)

const HEADER =
  'From: App <app@example.com>\r\nSubject: Welcome\r\nMessage-Id: <1@example.com>\r\n\r\n'
const RECEIVED = {
  envelope: {
    ...{ mailFrom: 'app@example.com', remoteAddress: '127.0.0.1', helo: 'app' },
    ...{ tls: null, user: null },
  },
  raw: Buffer.from(HEADER + 'Thank you for signing up with us today.\r\n'.repeat(100)),
  transcript: ['C: MAIL FROM:<app@example.com>', 'S: 250 2.1.0 Sender OK'],
  protocol: 'ESMTP',
}

/** Work whose time is measured: how often a round does it, and what it needs before. */
const WORK: Readonly<
  Record<string, (on: Store) => Promise<{ times: number; run: (i: number) => Promise<unknown> }>>
> = {
  'receiving batches of 100 mails': async (on) => {
    const inboxes = await createInboxes(on, 50 * BATCH)
    return { times: 50, run: (i) => receive(on, inboxes.slice(i * BATCH, (i + 1) * BATCH)) }
  },
  'looks of a wait': async (on) => {
    const inbox = await fillInbox(on)
    const page = { after: 0, before: Number.MAX_SAFE_INTEGER, limit: 1, withNames: true }
    return { times: 10_000, run: () => on.candidates.list(OWNER, inbox, page) }
  },
  'lists of 50': async (on) => {
    const inbox = await fillInbox(on)
    const page = { limit: 50, before: null, after: 0 }
    return { times: 2_000, run: () => on.messages.list(OWNER, inbox, page) }
  },
  'purges of 1,000': async (on) => {
    const inboxes: InboxId[] = []
    for (let i = 0; i < 5; i += 1) inboxes.push(await fillInbox(on))
    const now = systemClock.now()
    const purge = async (id: InboxId | undefined) => id && on.purgeInbox(OWNER, { id, now })
    return { times: inboxes.length, run: (i) => purge(inboxes[i]) }
  },
  sweeps: async (on) => ({ times: 100, run: () => sweepExpired(sweepDeps(on)) }),
}

using _machine = watchMachine()
await using server = isPostgres ? await startPostgres({}) : null
const create = () => (server === null ? createSqlite() : createDatabase(server.url))
await using emptyDatabase = await create()
await using fullDatabase = await create()
const stores = { empty: await open(emptyDatabase.url), full: await open(fullDatabase.url) }
for (let stored = 0; stored < MESSAGES; stored += MESSAGES_PER_INBOX) await fillInbox(stores.full)
// Before the first figures: code that is not compiled yet would count.
for (const name of Object.keys(WORK)) await measure(name)
// PostgreSQL would do so within a minute; until then the small store had the plans of an empty one.
if (isPostgres) await onBoth((on) => on.execute('analyze'))
const ratios = new Map(Object.keys(WORK).map((name): [string, number[]] => [name, []]))
for (let round = 0; round < ROUNDS; round += 1) {
  for (const [name, found] of ratios) found.push(await measure(name))
}
console.log(`${isPostgres ? 'PostgreSQL' : 'SQLite'}, ${MESSAGES} messages against none, rates`)
for (const [name, found] of ratios) printFigure(name, median(found), GOAL)
await onBoth((on) => on.close())

async function open(url: string): Promise<Store> {
  const store = await openStore({ url, exclusive: true, syncsInBackground: true })
  // As at the start of the service: without them all mails would be in one table for other days.
  await makeMailPartitions(sweepDeps(store))
  await store.execute(
    `insert into account (id, email, plan, created_at) values ('${OWNER}', 'a@b.example', 'unlimited', 1)`,
  )
  return store
}

async function onBoth<T>(work: (on: Store) => Promise<T>): Promise<OfBoth<T>> {
  return { empty: await work(stores.empty), full: await work(stores.full) }
}

/**
 * The rate on the full store against that on the empty one. Both take turns: what else the machine
 * does slows down both. In the service another thread makes the checkpoints: none must fall into a
 * measurement.
 */
async function measure(name: string): Promise<number> {
  const prepare = WORK[name]
  if (prepare === undefined) throw new Error(`no such work: ${name}`)
  const work = await onBoth(prepare)
  await onBoth((on) => on.checkpoint())
  const tookMs = { empty: 0, full: 0 }
  for (let i = 0; i < work.full.times; i += 1) {
    for (const which of i % 2 === 0 ? STORES : STORES.toReversed()) {
      const startedAt = performance.now()
      await work[which].run(i)
      tookMs[which] += performance.now() - startedAt
    }
  }
  return tookMs.empty / tookMs.full
}

function sweepDeps(on: Store): SweepDeps {
  return {
    store: on,
    purgeInbox: on.purgeInbox,
    deleteMails: on.deleteMails,
    clock: systemClock,
    limitsOf: (plan) => PLANS[plan],
    elapsedMs,
    pause: async () => {},
    isStopped: () => false,
  }
}

async function createInboxes(on: Store, count: number): Promise<InboxId[]> {
  const created = Array.from({ length: count }, () => ids.next('inbox'))
  await on.transaction(async (tx) => {
    for (const id of created) {
      await tx.inboxes.add(OWNER, {
        ...{ id, address: `${id}@mayfly.test`, domain: 'mayfly.test', environment: 'live' },
        ...{ createdAt: systemClock.now(), expiresAt: NEVER_AT, keepMessages: null },
      })
    }
  })
  return created
}

async function fillInbox(on: Store): Promise<InboxId> {
  const [id] = await createInboxes(on, 1)
  if (id === undefined) throw new Error('no inbox')
  for (let i = 0; i < MESSAGES_PER_INBOX; i += BATCH) await receive(on, Array(BATCH).fill(id))
  return id
}

/** Stores one mail of 4 KB for each of these inboxes, all in one transaction. */
async function receive(on: Store, inboxIds: readonly InboxId[]): Promise<void> {
  const log = createLog('error')
  const compose = createCompose({ hostName: 'mx.mayfly.test', isScanned: false, log })
  const ready = compose(
    inboxIds.map((inboxId) => ({
      ...RECEIVED,
      id: ids.mailId(KEPT_UNTIL),
      receivedAt: systemClock.now(),
      recipients: [{ inboxId, address: 'b@mayfly.test', isCatchAll: false }],
    })),
  )
  const deps = { store: on, ids, clock: systemClock, announce: () => {} }
  const results = await storeMails(deps, ready, { ifLocked: 'wait', isRepeated: false })
  const failed = results.find((result) => result === 'locked' || result.state !== 'stored')
  if (failed !== undefined) throw new Error('a mail was not stored')
}
