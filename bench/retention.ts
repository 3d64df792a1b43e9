// What the purge of a day's mail costs on PostgreSQL: how long others wait for locks meanwhile, how
// much slower mail is received, and how large the tables are after seven simulated days.
//
//   node bench/retention.ts [MAILS]     1,000,000 mails purged at once unless given

import { setTimeout } from 'node:timers/promises'
import type { AccountId, InboxId, MessageId } from '@mayfly/contract'
import { keptUntil, PLANS } from '../packages/server/src/features/limits/plans.ts'
import { composeMail } from '../packages/server/src/features/receiving/compose.ts'
import { sweepExpired } from '../packages/server/src/features/retention/sweep.ts'
import { DAY_MS, dayOf, mailIdStart } from '../packages/server/src/mail-id.ts'
import { elapsedMs, systemClock } from '../packages/server/src/platform/clock.ts'
import { createIds } from '../packages/server/src/platform/ids.ts'
import { openStore, type Store } from '../packages/server/src/store/open.ts'
import {
  administer,
  connected,
  createDatabase,
  startPostgres,
} from '../packages/server/test/testing-postgres.ts'
import { storeMails } from './load/store-mails.ts'

const MAILS = Number(process.argv[2] ?? 1_000_000)
const MAILS_A_DAY = 20_000
const MAILS_PER_INBOX = 10
const FILL_BATCH = 50_000
const BATCH = 20
/** Turns of receiving without the purge, and with it. */
const ROUNDS = 12
const WINDOW_MS = 5_000
const GOALS = { waitMs: 1_000, ingest: 0.95 }

const OWNER = 'acc_retention' as AccountId // A brand by hand: the bench needs a fixed id.
const limitsOf = () => ({ ...PLANS.unlimited, retentionDays: 1 })
const keptOf = (inbox: Parameters<typeof keptUntil>[1]) => keptUntil(limitsOf, inbox)

const ids = createIds(systemClock)
const startedAt = systemClock.now()

/** Holds up a purge in its pauses while it is closed. */
class Gate {
  #opened = Promise.withResolvers<void>()
  #isPausing = true

  open(): void {
    this.#opened.resolve()
  }

  close(): void {
    this.#opened = Promise.withResolvers()
  }

  /** The rest is purged without pauses. */
  stopPausing(): void {
    this.#isPausing = false
    this.open()
  }

  async pause(ms: number): Promise<void> {
    await this.#opened.promise
    if (this.#isPausing) await setTimeout(ms)
    await this.#opened.promise
  }
}

const HEADERS = 'From: App <app@example.com>\r\nSubject: Welcome\r\n\r\n'
const RAW = Buffer.from(HEADERS + 'Thank you for signing up with us today.\r\n'.repeat(100))

await using server = await startPostgres({ max_wal_size: '4GB' })
await using database = await createDatabase(server.url)
const store = await openStore({ url: database.url, exclusive: false })
await store.execute(
  `insert into account (id, email, plan, created_at) values ('${OWNER}', 'a@b.example', 'unlimited', 1)`,
)
await measurePurge()
await measureDays()
await store.close()

/**
 * Purges many mails at once, while others read and write. The purge is held up in turns, so that
 * both rates are those of the same machine at the same time.
 */
async function measurePurge(): Promise<void> {
  await makeAt(startedAt)
  console.log(`filling with ${MAILS} mails`)
  await fill(MAILS, { expiresAt: startedAt, name: 'purged' })
  await administer(database.url, 'vacuum analyze')
  await receiveFor(WINDOW_MS)
  const gate = new Gate()
  // Just due: their bytes are dropped the day after.
  const now = startedAt + DAY_MS + 60_000
  const sweeping = sweepAt(now, gate)
  const [alone, during]: [Load[], Load[]] = [[], []]
  for (let round = 0; round < ROUNDS; round++) {
    alone.push(await receiveFor(WINDOW_MS))
    gate.open()
    during.push(await receiveFor(WINDOW_MS))
    gate.close()
  }
  const left = await countPurged()
  if (left === 0) throw new Error('the purge ended before it was measured; purge more mails')
  const perSecond = (1000 * (MAILS - left)) / (ROUNDS * WINDOW_MS)
  console.log(`purged ${MAILS - left} mails, ${perSecond.toFixed(0)} a second`)
  const [ratios, of] = [alone.map((one, i) => (during[i]?.perSecond ?? 0) / one.perSecond), total]
  const ratio = of(during).perSecond / of(alone).perSecond
  console.log(
    `receiving: ${of(alone).perSecond.toFixed(0)} mails/s without it, ${of(during).perSecond.toFixed(0)} during it: ${ratio.toFixed(2)} × (goal ${GOALS.ingest}); rounds ${ratios.map((one) => one.toFixed(2)).join(' ')}`,
  )
  console.log(
    `longest write ${of(during).writeMs.toFixed(0)} ms, read ${of(during).readMs.toFixed(0)} ms (without it ${of(alone).writeMs.toFixed(0)} and ${of(alone).readMs.toFixed(0)}; goal ${GOALS.waitMs})`,
  )
  gate.stopPausing()
  await sweeping
  if ((await countPurged()) > 0) throw new Error('messages are left')
  await measureDrop()
}

/** Rates together, and the longest times. */
function total(loads: readonly Load[]): Load {
  return {
    perSecond: loads.reduce((sum, load) => sum + load.perSecond, 0) / loads.length,
    writeMs: Math.max(...loads.map(({ writeMs }) => writeMs)),
    readMs: Math.max(...loads.map(({ readMs }) => readMs)),
  }
}

function countPurged(): Promise<number> {
  return count(`select count(*)::int as n from message where inbox_id like 'purged%'`)
}

/** The part of it that takes locks on tables: the bytes of the purged mails go with their day. */
async function measureDrop(): Promise<void> {
  let isDropped = false
  const receiving = receiveUntil(() => isDropped)
  const begin = performance.now()
  await store.dropPartitions({
    now: startedAt + 3 * DAY_MS,
    retentionDays: [1],
    keptUntil: keptOf,
  })
  const ms = performance.now() - begin
  isDropped = true
  const during = await receiving
  console.log(
    `dropping the day of ${MAILS} mails under load: ${ms.toFixed(0)} ms; longest write ${during.writeMs.toFixed(0)} ms, read ${during.readMs.toFixed(0)} ms`,
  )
}

/** Bytes on disk, each day with as much mail as the day before. */
async function measureDays(): Promise<void> {
  for (let day = 4; day < 12; day++) {
    const now = startedAt + day * DAY_MS
    await makeAt(now)
    await fill(MAILS_A_DAY, { expiresAt: now, name: `day${day}` })
    await administer(database.url, 'vacuum analyze message')
    await sweepAt(now)
    const sizes = await sizesMiB()
    console.log(`day ${day - 3}: ${sizes}`)
  }
}

async function makeAt(now: number): Promise<void> {
  await store.makePartitions({ now, retentionDays: [1] })
}

async function sweepAt(now: number, gate?: Gate): Promise<void> {
  await sweepExpired({
    store,
    purgeInbox: store.purgeInbox,
    deleteMails: store.deleteMails,
    clock: { now: () => now },
    limitsOf,
    keptUntil: keptOf,
    elapsedMs,
    pause: (ms) => gate?.pause(ms) ?? setTimeout(ms),
    isStopped: () => false,
  })
}

/** Writes mails as receiving does, but many with one statement. */
async function fill(
  mails: number,
  { expiresAt, name }: { readonly expiresAt: number; readonly name: string },
): Promise<void> {
  const day = mailIdStart(dayOf(expiresAt + DAY_MS))
  await administer(
    database.url,
    `insert into inbox (id, account_id, address, domain, environment, created_at,
      expires_at, message_count, last_sequence)
    select '${name}' || i, '${OWNER}', i || '@mayfly.test', 'mayfly.test', 'live', 1, ${expiresAt},
      ${MAILS_PER_INBOX}, ${MAILS_PER_INBOX} from generate_series(0, ${mails / MAILS_PER_INBOX}) i`,
  )
  const { mail } = composed('inb_none' as InboxId, startedAt) // The id is not stored.
  for (let from = 0; from < mails; from += FILL_BATCH) {
    const to = Math.min(mails, from + FILL_BATCH) - 1
    const id = `'${day}${name}' || lpad(i::text, 10, '0')`
    const series = `from generate_series(${from}, ${to}) i`
    await administer(
      database.url,
      [
        `insert into mail (id, received_at, size_bytes, text, content, transcript)
          select ${id}, ${startedAt}, ${mail.sizeBytes}, '${mail.text}', '${mail.content}', ''
          ${series}`,
        `insert into raw_mail (mail_id, encoding, bytes)
          select ${id}, 'identity', '\\x${Buffer.from(mail.raw.bytes).toString('hex')}' ${series}`,
        `insert into message (id, inbox_id, mail_id, sequence, received_at, recipient, subject,
          size_bytes, has_attachments)
          select 'msg_${name}' || lpad(i::text, 10, '0'), '${name}' || (i / ${MAILS_PER_INBOX}),
          ${id}, i % ${MAILS_PER_INBOX} + 1, ${startedAt}, 'b@mayfly.test', 'Welcome',
          ${mail.sizeBytes}, 0 ${series}`,
      ].join(';'),
    )
  }
}

type Load = { readonly perSecond: number; readonly writeMs: number; readonly readMs: number }

function receiveFor(ms: number): Promise<Load> {
  const end = performance.now() + ms
  return receiveUntil(() => performance.now() > end)
}

/** Receives mail in batches, and reads one after the other; until then. */
async function receiveUntil(isOver: () => boolean): Promise<Load> {
  const inboxId = ids.next('inbox')
  await store.inboxes.add(OWNER, {
    id: inboxId,
    address: `${inboxId}@mayfly.test`,
    domain: 'mayfly.test',
    environment: 'live',
    createdAt: startedAt,
    expiresAt: startedAt + 30 * DAY_MS,
    keepMessages: null,
  })
  const last: { id: MessageId | null } = { id: null }
  const load = { mails: 0, writeMs: 0, readMs: 0 }
  const begin = performance.now()
  const write = async () => {
    while (!isOver()) {
      const at = performance.now()
      last.id = await receive(store, inboxId)
      load.mails += BATCH
      load.writeMs = Math.max(load.writeMs, performance.now() - at)
    }
  }
  const read = async () => {
    while (!isOver()) {
      const at = performance.now()
      if (last.id !== null) await store.messages.find(OWNER, inboxId, last.id)
      load.readMs = Math.max(load.readMs, performance.now() - at)
      await setTimeout(5)
    }
  }
  await Promise.all([write(), read()])
  return { ...load, perSecond: (load.mails * 1000) / (performance.now() - begin) }
}

async function receive(on: Store, inboxId: InboxId): Promise<MessageId> {
  // An inbox has room for 1,000 messages; here it always has.
  await on.execute(`update inbox set message_count = 0, size_bytes = 0, flood_mails = 0
    where id = '${inboxId}'`)
  const ready = Array.from({ length: BATCH }, () => composed(inboxId, startedAt + 30 * DAY_MS))
  const results = await storeMails(on, ids, ready)
  const message = results.at(-1)?.messages[0]
  if (message === undefined) throw new Error('a mail was not stored')
  return message.id
}

function composed(inboxId: InboxId, until: number) {
  const facts = { accountId: OWNER, mayHaveFaults: false, isCaught: false, keptUntil: until }
  const recipients = [{ inboxId, address: 'b@mayfly.test', ...facts }]
  const envelope = {
    ...{ mailFrom: 'app@example.com', remoteAddress: '127.0.0.1', helo: 'app' },
    ...{ tls: null, user: null },
  }
  const accepted = { envelope, raw: RAW, transcript: [], protocol: null, recipients }
  const compose = {
    hostName: 'mx.mayfly.test',
    isScanned: false,
    isTextInRaw: false,
    newAttachmentId: () => ids.next('attachment'),
    onError: (error: unknown) => console.error(error),
  }
  const arrived = { id: ids.mailId(until), receivedAt: systemClock.now(), accepted }
  return { mail: composeMail(compose, arrived), recipients }
}

async function sizesMiB(): Promise<string> {
  const bytes = async (pattern: string) =>
    count(`select (sum(pg_total_relation_size(oid)) / 1048576)::int as n from pg_class
      where relkind = 'r' and relname ~ '${pattern}'`)
  const mails = await bytes('^(mail|raw_mail)_d')
  const messages = await bytes('^(message|inbox)$')
  return `mails ${mails} MiB, messages and inboxes ${messages} MiB`
}

async function count(query: string): Promise<number> {
  const { rows } = await connected(database.url, (client) =>
    client.query<{ readonly n: number }>(query),
  )
  return rows[0]?.n ?? 0
}
