// Whether the heavy calls of one account delay another: the time in which the other reads a list of
// messages, while the first makes one kind of call over 16 connections, as a multiple of the same
// at rest.
//
//   node bench/tenants.ts [--seconds=10] [--messages=20000]     needs wrk

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { sendMails } from '../packages/server/test/testing-send-mail.ts'
import { keepHttp } from './load/kept-connections.ts'
import { option, printFigure, type Quantiles, quantiles, watchMachine } from './load/report.ts'
import { createInboxes, registerOn, startService } from './load/service.ts'

const SECONDS = option('seconds', 10)
const MESSAGES = option('messages', 20_000)
const MESSAGES_PER_INBOX = 900
const CONNECTIONS = 16
const LARGE = `Subject: large\r\n\r\n${`${'x'.repeat(76)}\r\n`.repeat(13_000)}`
const SMALL = `Subject: a report\r\n\r\n${'The report of today has no news.\r\n'.repeat(20)}`
const HTML = `Subject: news\r\nContent-Type: text/html\r\n\r\n${'<p style="color:red">No news.</p>\r\n'.repeat(2_000)}`

using _machine = watchMachine()
await using service = await startService()
const quiet = { ...service, ...(await registerOn(service, 'quiet@example.com')) }
const [inbox] = await createInboxes(quiet, 1)
await send(inbox?.emailAddress, SMALL, 10)
const calls = await heavyCalls()
using http = await keepHttp(quiet)
const list = `/v1/inboxes/${inbox?.id}/messages`
const atRest = await measure()
say('at rest', atRest)
for (const [name, path] of Object.entries(calls)) {
  const load = spawn('wrk', [
    ...['-t', '1', '-c', String(CONNECTIONS), '-d', `${SECONDS + 2}s`],
    ...['-H', `Authorization: Bearer ${service.apiKey}`, service.httpUrl + path],
  ])
  const ended = once(load, 'exit')
  await setTimeout(1_000)
  const found = await measure()
  load.kill()
  await ended
  say(`beside ${name}`, found)
  printFigure(`p99 beside ${name}`, found.p99 / atRest.p99, { atMost: 2 })
}

/** What the other account asks for, over and over. */
async function heavyCalls(): Promise<Readonly<Record<string, string>>> {
  const inboxes = await createInboxes(service, Math.ceil(MESSAGES / MESSAGES_PER_INBOX))
  const addresses = inboxes.map(({ emailAddress }) => emailAddress)
  const each = Math.ceil(MESSAGES / addresses.length)
  for (const address of addresses) await send(address, SMALL, each)
  const [first] = await createInboxes(service, 1)
  await send(first?.emailAddress, LARGE, 1)
  await send(first?.emailAddress, HTML, 1)
  const path = `/v1/inboxes/${first?.id}/messages`
  const { messages } = (await service.api.get(path)).body
  const [html, large] = messages.map(({ id }: { id: string }) => `${path}/${id}`)
  return {
    'searches that find nothing': '/v1/search?q=unheardof%20-report',
    'searches that find everything': '/v1/search?q=news&limit=100',
    'lists of 100 messages': `/v1/inboxes/${inboxes[0]?.id}/messages?limit=100`,
    'mails of 1 MB': `${large}/raw`,
    'HTML checks': `${html}/html-check`,
    'lists of 1,000 inboxes': '/v1/inboxes?limit=1000',
  }
}

async function send(to: string | undefined, raw: string, count: number): Promise<void> {
  await sendMails(service.smtpPort, new Array(count).fill({ to: to ?? '', raw }))
}

async function measure(): Promise<Quantiles> {
  const times: number[] = []
  const until = performance.now() + SECONDS * 1000
  while (performance.now() < until) {
    const startedAt = performance.now()
    times.push((await http.get(list)) - startedAt)
    await setTimeout(2)
  }
  return quantiles(times)
}

function say(name: string, { p50, p99, max }: Quantiles): void {
  const [a, b, c] = [p50, p99, max].map((ms) => `${ms.toFixed(2)} ms`)
  console.log(`a list ${name}: p50 ${a}, p99 ${b}, max ${c}`)
}
