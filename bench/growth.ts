// Whether the store gets slower as it grows: receiving, looking for a wait, listing and the sweep,
// on an empty store and on one with many messages, in turns; and the bytes on disk of a mail of
// 4 KB.
//
//   node bench/growth.ts [MESSAGES]              SQLite, 1,000,000 messages unless given
//   node bench/growth.ts MESSAGES --postgres     PostgreSQL

import { statSync } from 'node:fs'
import { loadavg } from 'node:os'
import type { AccountId, InboxId } from '@mayfly/contract'
import { keptUntil, PLANS } from '../packages/server/src/features/limits/plans.ts'
import { composeMail } from '../packages/server/src/features/receiving/compose.ts'
import {
  makeMailPartitions,
  type SweepDeps,
  sweepExpired,
} from '../packages/server/src/features/retention/sweep.ts'
import { elapsedMs, systemClock } from '../packages/server/src/platform/clock.ts'
import { createIds } from '../packages/server/src/platform/ids.ts'
import { openStore, type Store } from '../packages/server/src/store/open.ts'
import { sqlitePathOf } from '../packages/server/src/store/sqlite/path.ts'
import { createSqlite, type TestDatabase } from '../packages/server/test/testing-databases.ts'
import { createDatabase, startPostgres } from '../packages/server/test/testing-postgres.ts'
import { storeMails } from './load/store-mails.ts'

const MESSAGES = Number(process.argv[2] ?? 1_000_000)
const isPostgres = process.argv.includes('--postgres')

/** As many as one inbox can hold. */
const MESSAGES_PER_INBOX = 1_000
const BATCH = 100
const MEASURED_MAILS = 5_000
const MEASURED_LOOKS = 10_000
const MEASURED_LISTS = 2_000
const MEASURED_PURGES = 5
const MEASURED_SWEEPS = 100
const ROUNDS = 9
const GOAL = 0.9

const WORK = [
  'receiving, mails',
  'looks of a wait',
  'lists of 50',
  'purges of 1,000',
  'sweeps',
] as const
const STORES = ['empty', 'full'] as const
type Which = (typeof STORES)[number]
type Rates = Readonly<Record<Which, number>>
type Round = Readonly<Record<(typeof WORK)[number], Rates>>

const OWNER = 'acc_growth' as AccountId // A brand by hand: the bench needs a fixed id.
const NEVER_AT = Date.UTC(2100, 0, 1)
const KEPT_UNTIL = systemClock.now() + 180 * 24 * 60 * 60 * 1000

const ids = createIds(systemClock)

const COMPOSE = {
  hostName: 'mx.mayfly.test',
  isScanned: false,
  newAttachmentId: () => ids.next('attachment'),
  onError: (error: unknown) => console.error(error),
}

const HEADERS =
  'From: App <app@example.com>\r\nSubject: Welcome\r\nMessage-Id: <1@example.com>\r\n\r\n'
const ACCEPTED = {
  envelope: {
    mailFrom: 'app@example.com',
    remoteAddress: '127.0.0.1',
    helo: 'app',
    tls: null,
    user: null,
  },
  raw: Buffer.from(HEADERS + 'Thank you for signing up with us today.\r\n'.repeat(100)),
  transcript: ['C: MAIL FROM:<app@example.com>', 'S: 250 2.1.0 Sender OK'],
  protocol: 'ESMTP',
}

await using server = isPostgres ? await startPostgres({}) : null
await using fullDatabase = await createStore()
await using emptyDatabase = await createStore()
const full = await open(fullDatabase.url)
const empty = await open(emptyDatabase.url)

const sizeBefore = sizeBytes()
const filled: InboxId[] = []
for (let stored = 0; stored < MESSAGES; stored += MESSAGES_PER_INBOX) {
  filled.push(await fillInbox(full, MESSAGES_PER_INBOX))
}
await full.checkpoint()
const sizeFull = sizeBytes()
const stores: Readonly<Record<Which, Store>> = { empty, full }
// Before the first figures: code that is not compiled yet would count.
await measure()
// PostgreSQL would do so within a minute; until then the small store had the plans of an empty one.
if (isPostgres) await onBoth((on) => on.execute('analyze'))
const rounds: Round[] = []
for (let i = 0; i < ROUNDS; i++) rounds.push(await measure())
console.log(
  `${isPostgres ? 'PostgreSQL' : 'SQLite'}, ${MESSAGES} messages, medians of ${ROUNDS} rounds in turns, load average ${loadavg()[0]?.toFixed(1)}`,
)
for (const name of WORK) {
  const ratio = median(rounds.map((round) => round[name].full / round[name].empty))
  const verdict = ratio >= GOAL ? 'reached' : 'MISSED'
  const rateOn = (which: Which) =>
    `${median(rounds.map((round) => round[name][which]))
      .toFixed(0)
      .padStart(8)}/s ${which}`
  console.log(
    `  ${name.padEnd(18)} ${rateOn('empty')} ${rateOn('full')}: ${ratio.toFixed(2)} (goal ${GOAL}: ${verdict})`,
  )
}
if (sizeFull !== null && sizeBefore !== null) {
  console.log(`  ${((sizeFull - sizeBefore) / MESSAGES).toFixed(0)} bytes on disk a mail of 4 KB`)
  for (const id of filled) await full.purgeInbox(OWNER, { id, now: systemClock.now() })
  await full.checkpoint()
  console.log(`  ${((sizeBytes() ?? 0) / 1024 ** 2).toFixed(0)} MiB on disk after all is purged`)
}
await full.close()
await empty.close()

async function createStore(): Promise<TestDatabase> {
  return server === null ? await createSqlite() : await createDatabase(server.url)
}

async function open(url: string): Promise<Store> {
  const store = await openStore({ url, exclusive: true, syncsInBackground: true })
  // As at the start of the service: without them all mails would be in one table for other days.
  await makeMailPartitions(sweepDeps(store))
  await store.execute(
    `insert into account (id, email, plan, created_at) values ('${OWNER}', 'a@b.example', 'unlimited', 1)`,
  )
  return store
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[numbers.length >> 1] ?? Number.NaN
}

/** Rates of each kind of work on each store. */
async function measure(): Promise<Round> {
  const inboxes = await onBoth((on) => createInboxes(on, MEASURED_MAILS))
  const batches = await ratesInTurns(MEASURED_MAILS / BATCH, (on, which, i) =>
    receive(on, inboxes[which].slice(i * BATCH, (i + 1) * BATCH)),
  )
  const listed = await onBoth((on) => fillInbox(on, MESSAGES_PER_INBOX))
  const looking = await ratesInTurns(MEASURED_LOOKS, async (on, which) => {
    const page = { after: 0, before: Number.MAX_SAFE_INTEGER, limit: 1, withNames: true }
    await on.candidates.list(OWNER, listed[which], page)
  })
  const listing = await ratesInTurns(MEASURED_LISTS, async (on, which) => {
    await on.messages.list(OWNER, listed[which], { limit: 50, before: null, after: 0 })
  })
  const purged = await onBoth(async (on) => {
    const ids: InboxId[] = []
    for (let i = 0; i < MEASURED_PURGES; i++) ids.push(await fillInbox(on, MESSAGES_PER_INBOX))
    return ids
  })
  const purging = await ratesInTurns(MEASURED_PURGES, async (on, which, i) => {
    const id = purged[which][i]
    if (id !== undefined) await on.purgeInbox(OWNER, { id, now: systemClock.now() })
  })
  const sweeping = await ratesInTurns(MEASURED_SWEEPS, async (on) => {
    await sweepExpired(sweepDeps(on))
  })
  return {
    'receiving, mails': { empty: batches.empty * BATCH, full: batches.full * BATCH },
    'looks of a wait': looking,
    'lists of 50': listing,
    'purges of 1,000': purging,
    sweeps: sweeping,
  }
}

function sweepDeps(on: Store): SweepDeps {
  return {
    store: on,
    purgeInbox: on.purgeInbox,
    deleteMails: on.deleteMails,
    clock: systemClock,
    limitsOf: (plan) => PLANS[plan],
    keptUntil: (inbox) => keptUntil((plan) => PLANS[plan], inbox),
    elapsedMs,
    pause: async () => {},
    isStopped: () => false,
  }
}

async function onBoth<T>(work: (on: Store) => Promise<T>): Promise<Readonly<Record<Which, T>>> {
  return { empty: await work(stores.empty), full: await work(stores.full) }
}

/**
 * Rates on both stores, in turns: what else the machine does slows down both. In the service
 * another thread makes the checkpoints: none must fall into a measurement.
 */
async function ratesInTurns(
  times: number,
  work: (on: Store, which: Which, i: number) => Promise<void>,
): Promise<Rates> {
  await onBoth((on) => on.checkpoint())
  const tookMs = { empty: 0, full: 0 }
  for (let i = 0; i < times; i++) {
    for (const which of i % 2 === 0 ? STORES : STORES.toReversed()) {
      const startedAt = performance.now()
      await work(stores[which], which, i)
      tookMs[which] += performance.now() - startedAt
    }
  }
  return { empty: times / (tookMs.empty / 1000), full: times / (tookMs.full / 1000) }
}

async function createInboxes(on: Store, count: number): Promise<InboxId[]> {
  const created = Array.from({ length: count }, () => ids.next('inbox'))
  await on.transaction(async (tx) => {
    for (const id of created) {
      await tx.inboxes.add(OWNER, {
        id,
        address: `${id}@mayfly.test`,
        domain: 'mayfly.test',
        environment: 'live',
        createdAt: systemClock.now(),
        expiresAt: NEVER_AT,
        keepMessages: null,
      })
    }
  })
  return created
}

async function fillInbox(on: Store, count: number): Promise<InboxId> {
  const [id] = await createInboxes(on, 1)
  if (id === undefined) throw new Error('no inbox')
  for (let i = 0; i < count; i += BATCH) await receive(on, Array(BATCH).fill(id))
  return id
}

/** Stores one mail of 4 KB for each of these inboxes, all in one transaction. */
async function receive(on: Store, inboxIds: readonly InboxId[]): Promise<void> {
  const ready = inboxIds.map((inboxId) => {
    const facts = { accountId: OWNER, mayHaveFaults: false, isCaught: false, keptUntil: KEPT_UNTIL }
    const recipients = [{ inboxId, address: 'b@mayfly.test', ...facts }]
    const accepted = { ...ACCEPTED, recipients }
    const arrived = { id: ids.mailId(KEPT_UNTIL), receivedAt: systemClock.now(), accepted }
    const compose = { ...COMPOSE, isTextInRaw: !on.isShared }
    return { mail: composeMail(compose, arrived), recipients }
  })
  await storeMails(on, ids, ready)
}

/** The size of SQLite's file; null for PostgreSQL. */
function sizeBytes(): number | null {
  const path = sqlitePathOf(fullDatabase.url)
  return path === null ? null : statSync(path).size
}
