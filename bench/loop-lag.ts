// Whether a burst of mail, or clients that create inboxes, delay the API: the time of GET /healthz
// while 1,000 mails a second arrive, and while 20 clients create one inbox after the other, against
// the same on a service at rest, measured from outside.
//
//   node bench/loop-lag.ts

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createApiClient } from '../packages/server/test/testing-api-client.ts'
import { startServerProcess } from '../packages/server/test/testing-server-process.ts'
import { KeptHttp } from './load/kept-http.ts'
import { type Quantiles, quantiles } from './load/quantiles.ts'

const PACED_MAILS = fileURLToPath(new URL('./load/paced-mails.ts', import.meta.url))
const MAILS_PER_SECOND = 1_000
const SECONDS = 10
const CREATING_CLIENTS = 20
const CREATING_SECONDS = 4

const folder = mkdtempSync(join(tmpdir(), 'mayfly-lag-'))
await using server = startServerProcess({
  MAYFLY_DATABASE_URL: `sqlite:${join(folder, 'mayfly.db')}`,
  MAYFLY_DEFAULT_PLAN: 'unlimited',
  MAYFLY_DNS_SERVERS: '127.0.0.1:9',
})
const { httpUrl, smtpPort } = await server.ready
const anonymous = createApiClient(httpUrl, null)
const { apiKey } = (await anonymous.post('/v1/accounts', { email: 'bench@example.com' })).body
const addresses: string[] = []
for (let i = 0; i < (MAILS_PER_SECOND * SECONDS) / 500; i++) {
  addresses.push((await anonymous.withKey(apiKey).post('/v1/inboxes')).body.inbox.emailAddress)
}
const http = await KeptHttp.open(httpUrl, apiKey)
const idle = await measure(2)
say('at rest', idle)
const load = spawn(
  process.execPath,
  [PACED_MAILS, String(smtpPort), String(MAILS_PER_SECOND), String(SECONDS), ...addresses],
  { stdio: ['ignore', 'inherit', 'inherit'] },
)
const ended = once(load, 'exit')
const busy = await measure(SECONDS - 1)
say(`under ${MAILS_PER_SECOND} mails/s`, busy)
console.log(
  `  p50 ${(busy.p50 / idle.p50).toFixed(1)} ×, p99 ${(busy.p99 / idle.p99).toFixed(1)} ×`,
)
await ended
{
  const { count, seconds, lag } = await measureCreating()
  say(`while ${CREATING_CLIENTS} clients create inboxes`, lag)
  console.log(`  ${(count / seconds).toFixed(0)} inboxes a second`)
}
http.close()
server.child.kill('SIGTERM')
await server.ended
rmSync(folder, { recursive: true, force: true })

async function measure(seconds: number): Promise<Quantiles> {
  const times: number[] = []
  const until = performance.now() + seconds * 1000
  while (performance.now() < until) {
    const startedAt = performance.now()
    await http.get('/healthz')
    times.push(performance.now() - startedAt)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  return quantiles(times)
}

/** Clients that create inboxes while the API is measured. */
async function measureCreating(): Promise<{
  readonly count: number
  readonly seconds: number
  readonly lag: Quantiles
}> {
  const startedAt = performance.now()
  const api = anonymous.withKey(apiKey)
  let isOver = false
  const create = async () => {
    let count = 0
    for (; !isOver; count += 1) await api.post('/v1/inboxes')
    return count
  }
  const creating = Array.from({ length: CREATING_CLIENTS }, create)
  const lag = await measure(CREATING_SECONDS)
  isOver = true
  const counts = await Promise.all(creating)
  const seconds = (performance.now() - startedAt) / 1000
  return { count: counts.reduce((sum, one) => sum + one, 0), seconds, lag }
}

function say(name: string, { p50, p99, max }: Quantiles): void {
  const [a, b, c] = [p50, p99, max].map((ms) => ms.toFixed(2))
  console.log(`GET /healthz ${name}: p50 ${a} ms, p99 ${b} ms, max ${c} ms`)
}
