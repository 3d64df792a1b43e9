// Searches: what the index costs receiving, and how long a search takes in an inbox and in an
// account with many messages.
//
//   node bench/search.ts --ingest [--rounds=5]      the whole service with the index and without it
//   node bench/search.ts [MESSAGES] [--postgres]    searches, 1,000,000 messages unless given

import type { AccountId, InboxId } from '@mayfly/contract'
import { commitWaiting } from '../packages/server/src/features/receiving/commit.ts'
import { composeMail } from '../packages/server/src/features/receiving/compose.ts'
import { fillIndex } from '../packages/server/src/features/search/fill-index.ts'
import {
  findInAccount,
  searchAccount,
} from '../packages/server/src/features/search/search-account.ts'
import { searchInbox } from '../packages/server/src/features/search/search-inbox.ts'
import { systemClock } from '../packages/server/src/platform/clock.ts'
import { createIds } from '../packages/server/src/platform/ids.ts'
import { openStore, type Store } from '../packages/server/src/store/open.ts'
import { createSqlite } from '../packages/server/test/testing-databases.ts'
import { createDatabase, startPostgres } from '../packages/server/test/testing-postgres.ts'
import { RECIPIENT, startMayfly } from './contenders/mayfly.ts'
import { quantiles } from './load/quantiles.ts'
import { runSmtpSource } from './load/smtp-source.ts'

const LOAD = { connections: 20, mails: 5_000, sizeBytes: 4_000, isReused: true } as const
const INGEST_GOAL = 0.9

/** As many as one inbox can hold. */
const MESSAGES_PER_INBOX = 1_000
const BATCH = 100
const SEARCHES = 30

const OWNER = 'acc_search' as AccountId // A brand by hand: the bench needs a fixed id.
const NEVER_AT = Date.UTC(2100, 0, 1)

/** Queries, and what they ask of the index. */
const QUERIES: Readonly<Record<string, string>> = {
  'a word of one mail': '"order 4711 "',
  'a word of every mail': 'welcome',
  'a phrase of every mail': '"signing up with us today"',
  'a word of no mail': 'hippopotamus',
  'a sender': 'from:app7@example.com',
  'a word too short for the index': 'zq',
}

const ids = createIds(systemClock)
const COMPOSE = {
  hostName: 'mx.mayfly.test',
  isScanned: false,
  newAttachmentId: () => ids.next('attachment'),
  onError: (error: unknown) => console.error(error),
}

let numberOfMail = 0

if (process.argv.includes('--ingest')) await measureIngest()
else await measureSearches()

/** Both services take turns, so that the machine disturbs both alike. */
async function measureIngest(): Promise<void> {
  const rounds = Number(/--rounds=(\d+)/.exec(process.argv.join(' '))?.[1] ?? 5)
  const start = (name: string, index: string) =>
    startMayfly({ name, inboxes: LOAD.mails, env: { MAYFLY_SEARCH_INDEX: index } })
  await using on = await start('with the index', 'true')
  await using off = await start('without it', 'false')
  const rates = new Map([on, off].map((one): [typeof on, number[]] => [one, []]))
  for (let round = 0; round < rounds; round += 1) {
    for (const [service, found] of rates) {
      found.push(await runSmtpSource({ ...LOAD, port: service.port, recipient: RECIPIENT }))
    }
  }
  const best = (one: typeof on) => Math.max(...(rates.get(one) ?? [0]))
  for (const [{ name }, found] of rates) {
    console.log(`${name.padEnd(16)} ${found.map((rate) => rate.toFixed(0)).join(' ')} mails/s`)
  }
  const ratio = best(on) / best(off)
  const verdict = ratio >= INGEST_GOAL ? 'reached' : 'MISSED'
  console.log(`with against without: ${ratio.toFixed(2)} (goal ${INGEST_GOAL}: ${verdict})`)
}

async function measureSearches(): Promise<void> {
  const messages = Number(process.argv.find((argument) => /^\d+$/.test(argument)) ?? 1_000_000)
  const isPostgres = process.argv.includes('--postgres')
  await using server = isPostgres ? await startPostgres({}) : null
  await using database = server === null ? await createSqlite() : await createDatabase(server.url)
  const store = await openStore({ url: database.url, exclusive: true, syncsInBackground: true })
  await store.execute(
    `insert into account (id, email, plan, created_at) values ('${OWNER}', 'a@b.example', 'unlimited', 1)`,
  )
  let inboxId = await fillInbox(store)
  console.log(isPostgres ? 'PostgreSQL' : 'SQLite')
  await measureAll(`an inbox of ${MESSAGES_PER_INBOX} messages`, (q) =>
    searchOne(store, inboxId, q),
  )
  while (numberOfMail < messages) inboxId = await fillInbox(store)
  const startedAt = performance.now()
  const fill = { store, clock: systemClock, ids, node: 'bench' }
  while (await fillIndex(fill)) {}
  const seconds = (performance.now() - startedAt) / 1000
  console.log(`  filling the index: ${(numberOfMail / seconds).toFixed(0)} messages/s`)
  await measureAll(`an account of ${numberOfMail} messages`, (q) => searchAll(store, q))
  await store.close()
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
    console.log(`  ${where}, ${name.padEnd(31)} ${figures}`)
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
  }
  return (await searchAccount(deps, caller, { q, limit: 50 })).messages.length
}

async function fillInbox(store: Store): Promise<InboxId> {
  const id = ids.next('inbox')
  await store.transaction((tx) =>
    tx.inboxes.add(OWNER, {
      id,
      address: `${id}@mayfly.test`,
      domain: 'mayfly.test',
      environment: 'live',
      createdAt: systemClock.now(),
      expiresAt: NEVER_AT,
      keepMessages: null,
    }),
  )
  for (let i = 0; i < MESSAGES_PER_INBOX; i += BATCH) await receive(store, id)
  return id
}

/** Stores mails of 4 KB in one transaction, each with a number and one of 1,000 senders. */
async function receive(store: Store, inboxId: InboxId): Promise<void> {
  const ready = Array.from({ length: BATCH }, () => {
    numberOfMail += 1
    const facts = { accountId: OWNER, mayHaveFaults: false, isCaught: false }
    const recipients = [{ inboxId, address: 'b@mayfly.test', ...facts }]
    const accepted = { ...acceptedMail(numberOfMail), recipients }
    const arrived = { id: ids.mailId(), receivedAt: systemClock.now(), accepted }
    return { mail: composeMail(COMPOSE, arrived), recipients }
  })
  const results = await commitWaiting(
    {
      store,
      newMessageId: () => ids.next('message'),
      newDiagnosticId: () => ids.next('diagnostic'),
      composeDeliveries: () => [],
      announce: () => undefined,
    },
    ready,
  )
  const failed = results.find(({ state }) => state !== 'stored')
  if (failed !== undefined) throw new Error(`a mail was not stored: ${failed.state}`)
}

function acceptedMail(number: number) {
  const sender = `app${number % 1_000}@example.com`
  const header = `From: App <${sender}>\r\nSubject: Welcome\r\nMessage-Id: <${number}@example.com>\r\n`
  const text = `Your order ${number} is here.\r\n${'Thank you for signing up with us today.\r\n'.repeat(95)}`
  const client = { remoteAddress: '127.0.0.1', helo: 'app', tls: null, user: null }
  return {
    envelope: { mailFrom: sender, ...client },
    raw: Buffer.from(`${header}\r\n${text}`),
    transcript: [`C: MAIL FROM:<${sender}>`, 'S: 250 2.1.0 Sender OK'],
    protocol: 'ESMTP',
  }
}
