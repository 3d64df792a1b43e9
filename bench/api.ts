// What calls of the API take: against an empty route of Fastify, and on PostgreSQL against SQLite.
//
//   node bench/api.ts [--rounds=3] [--seconds=2]     needs wrk
//
// Processor time a call is that of the process that answers: it stays the same when the machine is
// busy otherwise, and says what a node can take. The routes take turns, and the best of the rounds
// counts.

import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createDatabase, startPostgres } from '../packages/server/test/testing-postgres.ts'
import { sendMails } from '../packages/server/test/testing-send-mail.ts'
import { cpuTimeUs } from './load/process.ts'
import { option, printFigure, watchMachine } from './load/report.ts'
import { createInboxes, type Service, startService } from './load/service.ts'

const ROUNDS = option('rounds', 3)
const SECONDS = option('seconds', 2)
const CONNECTIONS = 32
const EMPTY_ROUTE = join(import.meta.dirname, 'load', 'empty-route.ts')

const MAILS = 10
const MAIL = `Subject: a report\r\n\r\n${'The report of today has no news.\r\n'.repeat(120)}`

const CALLS = ['the inbox', 'a list of 10 messages', 'a message of 4 KB'] as const
type Call = (typeof CALLS)[number]

/** A route, and the best that it did so far. */
type Route = {
  readonly name: string
  readonly url: string
  readonly pid: number
  readonly apiKey: string
  cpuUs: number
  perSecond: number
}

using _machine = watchMachine()
await using postgres = await startPostgres({})
await using database = await createDatabase(postgres.url)
await using onSqlite = await startService()
await using onPostgres = await startService({ databaseUrl: database.url })
await using emptyRoute = await startEmptyRoute()
const sqlite = await routesOf(onSqlite, 'SQLite')
const postgresql = await routesOf(onPostgres, 'PostgreSQL')
const routes = [emptyRoute, ...Object.values(sqlite), ...Object.values(postgresql)]
for (let round = 0; round < ROUNDS; round += 1) for (const route of routes) await measure(route)
for (const { name, cpuUs, perSecond } of routes) {
  const columns = [`${cpuUs.toFixed(0)} µs`.padStart(8), `${perSecond.toFixed(0)}/s`.padStart(9)]
  console.log(`${name.padEnd(34)} ${columns.join(' ')}`)
}
const list = sqlite['a list of 10 messages'].perSecond / emptyRoute.perSecond
printFigure('calls a second, a list on SQLite against an empty route', list, { atLeast: 0.5 })
for (const call of CALLS) {
  const ratio = postgresql[call].cpuUs / sqlite[call].cpuUs
  printFigure(`processor time, ${call} on PostgreSQL against SQLite`, ratio, { atMost: 2 })
}

async function startEmptyRoute(): Promise<Route & AsyncDisposable> {
  const child = spawn(process.execPath, [EMPTY_ROUTE], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [url] = await once(child.stdout, 'data')
  const at = { url: `${url}/empty`, pid: child.pid ?? 0, apiKey: 'none' }
  return {
    ...newRoute('an empty route', at),
    [Symbol.asyncDispose]: async () => {
      child.kill()
      await once(child, 'exit')
    },
  }
}

/** The routes of a service that has some mails in an inbox. */
async function routesOf(service: Service, database: string): Promise<Record<Call, Route>> {
  const { api, httpUrl, pid, apiKey, smtpPort } = service
  const [inbox] = await createInboxes(service, 1)
  await sendMails(smtpPort, new Array(MAILS).fill({ to: inbox?.emailAddress ?? '', raw: MAIL }))
  const path = `/v1/inboxes/${inbox?.id}`
  const { messages } = (await api.get(`${path}/messages`)).body
  if (messages.length !== MAILS) throw new Error(`${messages.length} messages instead of ${MAILS}`)
  const route = (call: Call, at: string) =>
    newRoute(`${call}, ${database}`, { url: httpUrl + path + at, pid, apiKey })
  return {
    'the inbox': route('the inbox', ''),
    'a list of 10 messages': route('a list of 10 messages', '/messages'),
    'a message of 4 KB': route('a message of 4 KB', `/messages/${messages[0].id}`),
  }
}

function newRoute(name: string, at: Pick<Route, 'url' | 'pid' | 'apiKey'>): Route {
  return { name, ...at, cpuUs: Number.POSITIVE_INFINITY, perSecond: 0 }
}

async function measure(route: Route): Promise<void> {
  const beforeUs = cpuTimeUs(route.pid)
  const { stdout } = await promisify(execFile)('wrk', [
    ...['-t', '1', '-c', String(CONNECTIONS), '-d', `${SECONDS}s`],
    ...['-H', `Authorization: Bearer ${route.apiKey}`, route.url],
  ])
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`Not all went well:\n${stdout}`)
  const calls = Number(/(\d+) requests in/.exec(stdout)?.[1])
  route.cpuUs = Math.min(route.cpuUs, (cpuTimeUs(route.pid) - beforeUs) / calls)
  route.perSecond = Math.max(route.perSecond, Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]))
}
