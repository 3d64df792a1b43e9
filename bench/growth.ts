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
import { sweepExpired } from '../packages/server/src/features/retention/sweep.ts'
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
const MEASURED_READS = 2_000
const MEASURED_PURGES = 5
const MEASURED_SWEEPS = 10
const ROUNDS = 3
const GOAL = 0.9

const WORK = [
  'receiving, mails',
  'looks of a wait',
  'lists of 50',
  'purges of 1,000',
  'sweeps',
] as const
type Rates = Readonly<Record<(typeof WORK)[number], number>>

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
// Before the first figures: code that is not compiled yet would count against the first store.
await measure(empty)
await measure(full)
const rounds: { readonly empty: Rates; readonly full: Rates }[] = []
for (let i = 0; i < ROUNDS; i++) {
  rounds.push({ empty: await measure(empty), full: await measure(full) })
}
console.log(
  `${isPostgres ? 'PostgreSQL' : 'SQLite'}, ${MESSAGES} messages, medians of ${ROUNDS} rounds in turns, load average ${loadavg()[0]?.toFixed(1)}`,
)
for (const name of WORK) {
  const ratio = median(rounds.map((round) => round.full[name] / round.empty[name]))
  const verdict = ratio >= GOAL ? 'reached' : 'MISSED'
  const rateOn = (which: 'empty' | 'full') =>
    `${median(rounds.map((round) => round[which][name]))
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
  await store.execute(
    `insert into account (id, email, plan, created_at) values ('${OWNER}', 'a@b.example', 'unlimited', 1)`,
  )
  return store
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[numbers.length >> 1] ?? Number.NaN
}

/** Rates of each kind of work. */
async function measure(on: Store): Promise<Rates> {
  const inboxIds = await createInboxes(on, MEASURED_MAILS)
  const receiving = await rate(on, MEASURED_MAILS / BATCH, async (i) => {
    await receive(on, inboxIds.slice(i * BATCH, (i + 1) * BATCH))
  })
  const listed = await fillInbox(on, MESSAGES_PER_INBOX)
  const looking = await rate(on, MEASURED_READS, async () => {
    const page = { after: 0, before: Number.MAX_SAFE_INTEGER, limit: 1, withNames: true }
    await on.candidates.list(OWNER, listed, page)
  })
  const listing = await rate(on, MEASURED_READS, async () => {
    await on.messages.list(OWNER, listed, { limit: 50, before: null, after: 0 })
  })
  const purged: InboxId[] = []
  for (let i = 0; i < MEASURED_PURGES; i++) purged.push(await fillInbox(on, MESSAGES_PER_INBOX))
  const purging = await rate(on, MEASURED_PURGES, async (i) => {
    const id = purged[i]
    if (id !== undefined) await on.purgeInbox(OWNER, { id, now: systemClock.now() })
  })
  const sweeping = await rate(on, MEASURED_SWEEPS, async () => {
    await sweepExpired({
      store: on,
      purgeInbox: on.purgeInbox,
      deleteMails: on.deleteMails,
      clock: systemClock,
      limitsOf: (plan) => PLANS[plan],
      keptUntil: (inbox) => keptUntil((plan) => PLANS[plan], inbox),
      elapsedMs,
      pause: async () => {},
      isStopped: () => false,
    })
  })
  return {
    'receiving, mails': receiving * BATCH,
    'looks of a wait': looking,
    'lists of 50': listing,
    'purges of 1,000': purging,
    sweeps: sweeping,
  }
}

/** In the service another thread makes the checkpoints: none must fall into a measurement. */
async function rate(on: Store, times: number, work: (i: number) => Promise<void>): Promise<number> {
  await on.checkpoint()
  const startedAt = performance.now()
  for (let i = 0; i < times; i++) await work(i)
  return times / ((performance.now() - startedAt) / 1000)
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
