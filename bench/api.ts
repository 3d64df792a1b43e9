// What finding the caller, counting usage and limiting the rate cost a request, and what a list of
// messages and a message take.
//
//   node bench/api.ts [ROUNDS]
//
// An empty Fastify route, with more and more of the guards before it, on SQLite and PostgreSQL.
// Then the whole service on SQLite with ten mails in an inbox. There a response is remembered while
// the database does not change, so the list is read once more while mail arrives for an inbox of
// another account; that time includes receiving it.
// Load comes from wrk. The figure is processor time a request: it stays the same when the machine
// is busy otherwise, and says what a node can take. Rates are shown beside it. The best of some
// rounds counts, and the rounds are interleaved.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createApiClient } from '../packages/server/test/testing-api-client.ts'
import { startPostgres } from '../packages/server/test/testing-postgres.ts'
import { sendMails } from '../packages/server/test/testing-send-mail.ts'
import { startServerProcess } from '../packages/server/test/testing-server-process.ts'
import { cpuTimeUs } from './load/cpu-time.ts'
import { runWrk } from './load/wrk.ts'

const ROUNDS = Number(process.argv[2] ?? 3)
const SECONDS = 2
const CONNECTIONS = 32
const ROUTE = fileURLToPath(new URL('./load/guarded-route.ts', import.meta.url))
const PACED_MAILS = fileURLToPath(new URL('./load/paced-mails.ts', import.meta.url))

/** Mails that arrive a second while the list is read. */
const MAILS_PER_SECOND = 100

type Stage = { readonly name: string; readonly url: string; readonly guards: readonly string[] }
type Running = {
  readonly name: string
  readonly child: ChildProcess
  readonly url: string
  readonly apiKey: string
  /** Where mail arrives meanwhile. */
  readonly mailTo?: { readonly smtpPort: number; readonly address: string }
}

const MAILS = 10
const MAIL = `Subject: a report\r\n\r\n${'The report of today has no news.\r\n'.repeat(120)}`

const folder = mkdtempSync(join(tmpdir(), 'mayfly-bench-'))
await using postgres = await startPostgres({})
const sqlite = `sqlite:${join(folder, 'mayfly.db')}`
const stages: readonly Stage[] = [
  { name: 'an empty route', url: sqlite, guards: [] },
  ...guardedStages('SQLite', sqlite),
  ...guardedStages('PostgreSQL', postgres.url),
]
const running: Running[] = []
for (const stage of stages) running.push(await start(stage))
running.push(...(await startService()))
const best = new Map<string, { readonly cpuUs: number; readonly perSecond: number }>()
try {
  for (let round = 0; round < ROUNDS; round++) for (const route of running) await measure(route)
} finally {
  for (const child of new Set(running.map((one) => one.child))) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
}
report()

async function measure({ name, url, apiKey, child, mailTo }: Running): Promise<void> {
  const load = { apiKey, connections: CONNECTIONS, seconds: SECONDS }
  const sending = mailTo === undefined ? null : sendPaced(mailTo)
  const before = cpuTimeUs(child.pid)
  const { requests, perSecond } = await runWrk(url, load)
  const cpuUs = (cpuTimeUs(child.pid) - before) / requests
  await sending
  const earlier = best.get(name)
  best.set(name, {
    cpuUs: Math.min(earlier?.cpuUs ?? Number.POSITIVE_INFINITY, cpuUs),
    perSecond: Math.max(earlier?.perSecond ?? 0, perSecond),
  })
}

/** Sends for a bit longer than a round takes. */
async function sendPaced({ smtpPort, address }: NonNullable<Running['mailTo']>): Promise<void> {
  const pace = [smtpPort, MAILS_PER_SECOND, SECONDS + 1].map(String)
  const sender = spawn(process.execPath, [PACED_MAILS, ...pace, address], { stdio: 'ignore' })
  const [code] = await once(sender, 'exit')
  if (code !== 0) throw new Error(`sending mails ended with ${code}`)
}

function guardedStages(database: string, url: string): readonly Stage[] {
  const guards = ['key', 'usage', 'rate']
  return guards.map((guard, index) => ({
    name: `${index === 0 ? '' : '+ '}${guard}, ${database}`,
    url,
    guards: guards.slice(0, index + 1),
  }))
}

async function start(stage: Stage): Promise<Running> {
  const child = spawn(process.execPath, [ROUTE, stage.url, ...stage.guards], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(child.stdout, 'data')
  const { port, apiKey } = JSON.parse(String(line))
  return { name: stage.name, child, url: `http://127.0.0.1:${port}/empty`, apiKey }
}

async function startService(): Promise<readonly Running[]> {
  const { child, ready } = startServerProcess({
    MAYFLY_DATABASE_URL: `sqlite:${join(folder, 'service.db')}`,
    MAYFLY_DEFAULT_PLAN: 'unlimited',
    MAYFLY_DNS_SERVERS: '127.0.0.1:9',
  })
  const { httpUrl, smtpPort } = await ready
  const anonymous = createApiClient(httpUrl, null)
  const { apiKey } = (await anonymous.post('/v1/accounts', { email: 'bench@example.com' })).body
  const client = anonymous.withKey(apiKey)
  const { inbox } = (await client.post('/v1/inboxes')).body
  const mail = { from: 'sender@example.com', to: inbox.emailAddress, raw: MAIL }
  await sendMails(smtpPort, new Array(MAILS).fill(mail))
  const list = `/v1/inboxes/${inbox.id}/messages`
  const { messages } = (await client.get(list)).body
  if (messages.length !== MAILS) throw new Error(`${messages.length} messages instead of ${MAILS}`)
  const other = anonymous.withKey(
    (await anonymous.post('/v1/accounts', { email: 'other@example.com' })).body.apiKey,
  )
  const { emailAddress: address } = (await other.post('/v1/inboxes')).body.inbox
  return [
    { name: `list of ${MAILS} messages`, child, url: httpUrl + list, apiKey },
    {
      name: 'list, mail arrives',
      child,
      url: httpUrl + list,
      apiKey,
      mailTo: { smtpPort, address },
    },
    { name: 'message of 4 KB', child, url: `${httpUrl}${list}/${messages[0].id}`, apiKey },
  ]
}

function report(): void {
  const empty = best.get('an empty route')?.cpuUs ?? Number.NaN
  for (const [name, { cpuUs, perSecond }] of best) {
    const columns = [
      name.padEnd(20),
      `${cpuUs.toFixed(0)} µs of CPU`.padStart(14),
      `${(cpuUs - empty).toFixed(0)} more`.padStart(9),
      `${(cpuUs / empty).toFixed(1)} ×`.padStart(7),
      `${Math.round(perSecond)}/s`.padStart(9),
    ]
    console.log(columns.join('  '))
  }
}
