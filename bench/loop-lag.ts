// Whether a burst of mail, or clients that create inboxes, delay the API: the time of GET /healthz
// while 1,000 mails a second arrive, and while 20 clients create one inbox after the other, as a
// multiple of the same at rest.
//
//   node bench/loop-lag.ts [--seconds=10]

import { setTimeout } from 'node:timers/promises'
import { keepHttp } from './load/kept-connections.ts'
import { sendPaced } from './load/paced-mails.ts'
import { option, type Quantiles, quantiles, watchMachine } from './load/report.ts'
import { startService } from './load/service.ts'

const SECONDS = option('seconds', 10)
const MAILS_PER_SECOND = 1_000
const CREATING_CLIENTS = 20

using _machine = watchMachine()
await using service = await startService()
using http = await keepHttp(service)
const idle = await measure()
say('at rest', idle)
{
  const pace = { perSecond: MAILS_PER_SECOND, seconds: 4 * SECONDS }
  await using _mails = await sendPaced(service, pace)
  say(`under ${MAILS_PER_SECOND} mails/s`, await measure())
}
let isOver = false
let created = 0
const creating = Array.from({ length: CREATING_CLIENTS }, async () => {
  for (; !isOver; created += 1) await service.api.post('/v1/inboxes')
})
say(`while ${CREATING_CLIENTS} clients create inboxes`, await measure())
isOver = true
await Promise.all(creating)
console.log(`  ${(created / SECONDS).toFixed(0)} inboxes a second`)

async function measure(): Promise<Quantiles> {
  const times: number[] = []
  const until = performance.now() + SECONDS * 1000
  while (performance.now() < until) {
    const startedAt = performance.now()
    times.push((await http.get('/healthz')) - startedAt)
    await setTimeout(2)
  }
  return quantiles(times)
}

function say(name: string, { p50, p99, max }: Quantiles): void {
  const [a, b, c] = [p50, p99, max].map((ms) => `${ms.toFixed(2)} ms`)
  const [x, y] = [p50 / idle.p50, p99 / idle.p99].map((times) => `${times.toFixed(1)} ×`)
  console.log(`GET /healthz ${name}: p50 ${a} (${x}), p99 ${b} (${y}), max ${c}`)
}
