// Two hours of steady load: 20 mails a second, each waited for, in inboxes that are created for
// them and deleted later, beside event streams and a webhook. In the last quarter memory, open
// files and latency are those of the second, and no mail, event or delivery is missing.
//
//   npm run soak -- --only steady-load [--database PostgreSQL] [--count SECONDS]

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import type { Inbox } from '@mayfly/client'
import { soakProgress, soakRounds } from '../../../mail/test/testing-soak.ts'
import { registerAccountAt, type TestAccount } from '../testing-account.ts'
import { createSqlite } from '../testing-databases.ts'
import { createDatabase } from '../testing-postgres.ts'
import { createReceivers } from '../testing-receiver.ts'
import { sendMails } from '../testing-send-mail.ts'
import { startServerProcess } from '../testing-server-process.ts'
import { until } from '../testing-until.ts'

const SECONDS = soakRounds({ short: 40, long: 7_200 })
const MAILS_PER_SECOND = 20
const STREAMS = 10
const INBOXES = 600
const SAMPLE_MS = 1_000

/** What a quarter may have more than the one that it is compared with: noise, but no growth. */
const GROWTH = { memory: 1.15, latency: 2, files: 20 }

const TEXT = 'Your code is 481516.\r\n'.repeat(100)

/** What was measured in one quarter. */
class Quarter {
  readonly memory: number[] = []
  readonly files: number[] = []
  readonly latencyMs: number[] = []
}

const isPostgres = process.argv.includes('PostgreSQL')
await using database = isPostgres
  ? await createDatabase(process.env['TEST_POSTGRES_URL'] ?? '')
  : await createSqlite()
await using receivers = await createReceivers()
/** The inboxes whose mail the webhook has got: each has one. */
const delivered = new Set<string>()
await using receiver = await receivers.open(({ body }, response) => {
  delivered.add(JSON.parse(body).data.inbox.id)
  response.writeHead(200).end()
})
await using server = startServerProcess({
  ...receivers.env,
  MAYFLY_DATABASE_URL: database.url,
  MAYFLY_DEFAULT_PLAN: 'unlimited',
  MAYFLY_DNS_SERVERS: '127.0.0.1:9',
})
const { httpUrl, smtpPort } = await server.ready
const account = await registerAccountAt(httpUrl)
await account.webhooks.create(receiver.url)
const quarters = Array.from({ length: 4 }, () => new Quarter())
const streams = Array.from({ length: STREAMS }, () => countEvents(account))
const sent = await load()
await until(async () => (delivered.size >= sent ? true : null))
await until(async () => (streams.every(({ seen }) => seen() >= sent) ? true : null))
for (const stream of streams) stream.end()
report()

/** Sends and waits at the pace; how many mails were sent. */
async function load(): Promise<number> {
  const startedAt = performance.now()
  const progress = soakProgress('seconds of steady load', SECONDS)
  const inboxes: Inbox[] = []
  const underWay = new Set<Promise<void>>()
  let count = 0
  let sampledAt = startedAt
  for (let now = startedAt; now < startedAt + SECONDS * 1_000; now = performance.now()) {
    const quarter = quarters[Math.floor(((now - startedAt) / (SECONDS * 1_000)) * 4)]
    assert.ok(quarter)
    const trip = roundTrip(inboxes, quarter, count)
    underWay.add(trip)
    // A failure ends the run at once: it is awaited by nobody else.
    void trip.finally(() => underWay.delete(trip))
    count += 1
    if (now - sampledAt >= SAMPLE_MS) {
      sampledAt = now
      sample(quarter)
      progress(Math.floor((now - startedAt) / 1_000))
    }
    await setTimeout(Math.max(0, startedAt + (count / MAILS_PER_SECOND) * 1_000 - now))
  }
  await Promise.all(underWay)
  return count
}

/** One mail for a new inbox, and the wait for it; the oldest inbox goes. */
async function roundTrip(inboxes: Inbox[], quarter: Quarter, index: number): Promise<void> {
  const inbox = await account.inboxes.create()
  inboxes.push(inbox)
  const subject = `mail ${index}`
  const waiting = inbox.waitForMessage({ timeoutSeconds: 30 }).then((message) => {
    assert.equal(message.subject, subject)
    return performance.now()
  })
  const startedAt = performance.now()
  const [answer] = await sendMails(smtpPort, [{ to: inbox.emailAddress, subject, text: TEXT }])
  assert.match(String(answer?.mail), /^250 /)
  quarter.latencyMs.push((await waiting) - startedAt)
  const [oldest] = inboxes
  // What is not delivered yet goes with its inbox.
  if (oldest === undefined || inboxes.length <= INBOXES || !delivered.has(oldest.id)) return
  inboxes.shift()
  await oldest.delete()
}

/** Follows the stream of the account, as a dashboard does. */
function countEvents(of: TestAccount) {
  const ending = new AbortController()
  const seen = new Set<string>()
  const follow = async () => {
    for await (const event of of.events({ signal: ending.signal })) {
      if (event.type === 'message.received') seen.add(event.message.id)
    }
  }
  void follow()
  return { seen: () => seen.size, end: () => ending.abort() }
}

function sample({ memory, files }: Quarter): void {
  const { pid } = server.child
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  memory.push(Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1_024)
  files.push(readdirSync(`/proc/${pid}/fd`).length)
}

function report(): void {
  for (const { memory, files, latencyMs } of quarters) {
    const [p50, p99] = [0.5, 0.99].map((share) => at(latencyMs, share).toFixed(1))
    const sizes = `${at(memory, 0.5).toFixed(0)} MB, ${at(files, 0.5)} open files`
    process.stdout.write(
      `${latencyMs.length} mails: ${sizes}, mail to answer p50 ${p50} ms, p99 ${p99} ms\n`,
    )
  }
  const [, second, , last] = quarters
  assert.ok(second && last)
  const grown = (name: 'memory' | 'latencyMs', share: number) =>
    at(last[name], share) / at(second[name], share)
  assert.ok(grown('memory', 0.5) <= GROWTH.memory, 'the memory grows')
  assert.ok(grown('latencyMs', 0.99) <= GROWTH.latency, 'waits take longer')
  assert.ok(at(last.files, 0.5) <= at(second.files, 0.5) + GROWTH.files, 'open files grow')
  process.stdout.write(`${sent} mails, each waited for, announced and delivered\n`)
}

function at(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN
}
