// Searches: what the index costs receiving, and how long a search takes in an inbox of 1,000
// messages and in an account with many, on SQLite and on PostgreSQL.
//
//   node bench/search.ts [MESSAGES] [--rounds=5]    everything; 1,000,000 messages unless given
//
// With --sqlite or --postgres on one database, with --searches or --ingest one of the two figures.

import type { AccountId, InboxId } from '@mayfly/contract'
import { fillIndex, ListedMessages } from '../packages/server/src/features/search/fill-index.ts'
import {
  findInAccount,
  searchAccount,
} from '../packages/server/src/features/search/search-account.ts'
import { searchInbox } from '../packages/server/src/features/search/search-inbox.ts'
import { systemClock } from '../packages/server/src/platform/clock.ts'
import { createIds } from '../packages/server/src/platform/ids.ts'
import { openStore, type Store } from '../packages/server/src/store/open.ts'
import { createSqlite, type TestDatabase } from '../packages/server/test/testing-databases.ts'
import { createDatabase, startPostgres } from '../packages/server/test/testing-postgres.ts'
import { RECIPIENT, startMayfly } from './contenders/mayfly.ts'
import { cpuTimeUs } from './load/cpu-time.ts'
import { quantiles } from './load/quantiles.ts'
import { MESSAGES_PER_INBOX, OWNER, SearchStore } from './load/search-store.ts'
import { runSmtpSource } from './load/smtp-source.ts'

const LOAD = { connections: 20, mails: 5_000, sizeBytes: 4_000, isReused: true } as const
const INGEST_GOAL = 0.9

const SEARCHES = 30

/** Messages that the service's own filler adds to the index, for its rate. */
const FILLED = 5_000

/** How often a line tells how far the filling is. */
const PROGRESS_MS = 10_000

/** Share of a processor below which a service has nothing left to do, and the longest wait. */
const IDLE = { share: 0.05, checkMs: 1_000, waitMsMax: 120_000 } as const

/** Queries, and what they ask of the index. */
const QUERIES: Readonly<Record<string, string>> = {
  'a word of one mail': '"order 471 is here"',
  'a word of every mail': 'welcome',
  'a phrase of every mail': '"signing up with us today"',
  'a word of no mail': 'hippopotamus',
  'a phrase whose pieces every mail has': '"thank you today"',
  'a sender': 'from:app7@example.com',
  'a word too short for the index': 'zq',
}

const ids = createIds(systemClock)
const isGiven = (name: string) => process.argv.includes(`--${name}`)
const messages = Number(process.argv.find((argument) => /^\d+$/.test(argument)) ?? 1_000_000)
const rounds = Number(/--rounds=(\d+)/.exec(process.argv.join(' '))?.[1] ?? 5)

if (!isGiven('postgres')) await measureOn('SQLite', createSqlite)
if (!isGiven('sqlite')) {
  await using server = await startPostgres({})
  await measureOn('PostgreSQL', () => createDatabase(server.url))
}

async function measureOn(name: string, create: () => Promise<TestDatabase>): Promise<void> {
  console.log(name)
  if (!isGiven('searches')) await measureIngest(create)
  if (!isGiven('ingest')) await measureSearches(create)
}

/** Both services take turns, each while the other has nothing to do. */
async function measureIngest(create: () => Promise<TestDatabase>): Promise<void> {
  const start = async (name: string, index: string) => {
    const env = { MAYFLY_SEARCH_INDEX: index }
    return startMayfly({ name, database: await create(), inboxes: LOAD.mails, env })
  }
  await using on = await start('with the index', 'true')
  await using off = await start('without it', 'false')
  const rates = new Map([on, off].map((one): [typeof on, number[]] => [one, []]))
  for (let round = 0; round < rounds; round += 1) {
    for (const [service, found] of rates) {
      for (const { pid } of [on, off]) await untilIdle(pid)
      const rate = await runSmtpSource({ ...LOAD, port: service.port, recipient: RECIPIENT })
      found.push(rate)
      console.log(`  round ${round + 1}, ${service.name.padEnd(16)} ${rate.toFixed(0)} mails/s`)
    }
  }
  const best = (one: typeof on) => Math.max(...(rates.get(one) ?? [0]))
  const ratio = best(on) / best(off)
  const verdict = ratio >= INGEST_GOAL ? 'reached' : 'MISSED'
  console.log(`  best with against without: ${ratio.toFixed(2)} (goal ${INGEST_GOAL}: ${verdict})`)
}

/** Waits until a service has indexed and checked what it received. */
async function untilIdle(pid: number): Promise<void> {
  const until = performance.now() + IDLE.waitMsMax
  let used = cpuTimeUs(pid)
  while (performance.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, IDLE.checkMs))
    const now = cpuTimeUs(pid)
    if ((now - used) / (IDLE.checkMs * 1000) < IDLE.share) return
    used = now
  }
  console.log('  a service did not become idle in time')
}

async function measureSearches(create: () => Promise<TestDatabase>): Promise<void> {
  await using database = await create()
  const store = await openStore({ url: database.url, exclusive: true, syncsInBackground: true })
  const filled = await SearchStore.create(store, database.url)
  const inboxId = await filled.addInbox()
  await measureAll(`an inbox of ${MESSAGES_PER_INBOX}`, (q) => searchOne(store, inboxId, q))
  const told = progressOf(messages)
  while (filled.count < messages) {
    await filled.addInbox()
    told(`stored ${filled.count}`, filled.count)
  }
  const first = await measureFiller(store, Math.min(FILLED, messages))
  await filled.addToIndex(first, (count) => told(`indexed ${count}`, count))
  await store.execute('analyze')
  await measureAll(`an account of ${filled.count}`, (q) => searchAll(store, q))
  await store.close()
}

/** Tells how far a work is, now and then. */
function progressOf(all: number): (text: string, done: number) => void {
  let toldAt = performance.now()
  return (text, done) => {
    if (performance.now() - toldAt < PROGRESS_MS) return
    toldAt = performance.now()
    console.log(
      `  ${new Date().toISOString().slice(11, 19)} ${text} of ${all} (${((100 * done) / all).toFixed(0)} %)`,
    )
  }
}

/** Adds the oldest messages as the service does; returns how many copies are in the index. */
async function measureFiller(store: Store, count: number): Promise<number> {
  const fill = { store, clock: systemClock, ids, node: 'bench' }
  const listed = new ListedMessages()
  const startedAt = performance.now()
  let added = 0
  while (added < count && (await fillIndex(fill, listed)) === 'more') {
    added = await store.search.lastNumber()
  }
  const seconds = (performance.now() - startedAt) / 1000
  console.log(`  the service adds ${(added / seconds).toFixed(0)} messages/s to its index`)
  return Math.floor(added / MESSAGES_PER_INBOX) * MESSAGES_PER_INBOX
}

async function measureAll(where: string, search: (q: string) => Promise<number>): Promise<void> {
  for (const [name, q] of Object.entries(QUERIES)) {
    const times: number[] = []
    let found = 0
    for (let i = 0; i < SEARCHES; i += 1) {
      const startedAt = performance.now()
      found = await search(q)
      times.push(performance.now() - startedAt)
    }
    const { p50, max } = quantiles(times)
    const figures = `p50 ${p50.toFixed(1)} ms, max ${max.toFixed(1)} ms, ${found} found`
    console.log(`  ${where}, ${name.padEnd(36)} ${figures}`)
  }
}

/** The first page of an inbox, as its list shows it. */
async function searchOne(store: Store, inboxId: InboxId, q: string): Promise<number> {
  let found = 0
  let before: number | null = Number.MAX_SAFE_INTEGER
  while (before !== null && found < 50) {
    const search = { inboxId, q, after: 0, before, limit: 50 - found }
    const part: Awaited<ReturnType<typeof searchInbox>> = await searchInbox(
      { store },
      OWNER,
      search,
    )
    found += part.found.length
    before = part.before
  }
  return found
}

/** The first page of the account. */
async function searchAll(store: Store, q: string): Promise<number> {
  const deps = {
    store,
    clock: systemClock,
    find: (owner: AccountId, part: Parameters<typeof findInAccount>[2]) =>
      findInAccount({ store }, owner, part),
    onUnindexed: () => undefined,
  }
  const caller = {
    accountId: OWNER,
    keyId: ids.next('key'),
    ...({ keyPrefix: '', role: 'admin', environment: 'live', plan: 'unlimited' } as const),
    hasSpooledMail: false,
  }
  return (await searchAccount(deps, caller, { q, limit: 50 })).messages.length
}
