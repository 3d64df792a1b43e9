// How fast mail is received by providers' APIs against SMTP, until it can be read, in turns; then
// how long the API's thread works at a time under the same calls, by testing-loop-meter.ts.
//
//   node bench/doors.ts [--rounds=5] [--mails=3000]     needs smtp-source and wrk

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { readLoopMeter } from '../packages/server/test/testing-loop-meter.ts'
import { RECIPIENT } from './contenders/mayfly.ts'
import { cpuTimeUs, untilIdle } from './load/process.ts'
import { median, option, printFigure, watchMachine } from './load/report.ts'
import { createInboxes, type Service, startService } from './load/service.ts'
import { runSmtpSource } from './load/smtp-source.ts'

const ROUNDS = option('rounds', 5)
const MAILS = option('mails', 3_000)
const CONNECTIONS = 20
const SIZE_BYTES = 4_000
const SECONDS = 5
const SCRIPT = join(import.meta.dirname, 'load', 'provider-call.lua')
const METER = new URL('../packages/server/test/testing-loop-meter.ts', import.meta.url).href

const TEXT = `${'x'.repeat(76)}\n`.repeat(Math.ceil(SIZE_BYTES / 77))
const MAIL = { from: 'load@example.com', to: 'RECIPIENT', subject: 'A report', text: TEXT }
const JSON_TYPE = 'application/json'

/** The calls; `KEY` is the key, and `BASIC` the same for the user `api`. */
const CALLS = {
  SendGrid: {
    path: 'sendgrid/v3/mail/send',
    headers: ['authorization=Bearer KEY', `content-type=${JSON_TYPE}`],
    body: JSON.stringify({
      personalizations: [{ to: [{ email: MAIL.to }] }],
      ...{ from: { email: MAIL.from }, subject: MAIL.subject },
      content: [{ type: 'text/plain', value: TEXT }],
    }),
  },
  Resend: {
    path: 'resend/emails',
    headers: ['authorization=Bearer KEY', `content-type=${JSON_TYPE}`],
    body: JSON.stringify(MAIL),
  },
  Postmark: {
    path: 'postmark/email',
    headers: ['x-postmark-server-token=KEY', `content-type=${JSON_TYPE}`],
    body: JSON.stringify({
      ...{ From: MAIL.from, To: MAIL.to, Subject: MAIL.subject, TextBody: TEXT },
    }),
  },
  Mailgun: {
    path: 'mailgun/v3/mg.acme.example/messages',
    headers: ['authorization=Basic BASIC', 'content-type=application/x-www-form-urlencoded'],
    body: String(new URLSearchParams(MAIL)),
  },
} as const

type Call = keyof typeof CALLS

// The keys of an object are typed as strings.
const NAMES = Object.keys(CALLS) as readonly Call[]

/** The result of a round. */
type Round = { readonly mails: number; readonly perSecond: number }

/** A way to send, with the mails a second and the processor time a mail of each round. */
type Way = {
  readonly name: string
  readonly run: () => Promise<Round>
  readonly rates: number[]
  readonly cpuUs: number[]
}

using _machine = watchMachine()
await measureRates()
await measureHolds()

async function measureRates(): Promise<void> {
  await using service = await startFilled()
  const found = [
    newWay('SMTP', () => runSmtp(service)),
    ...NAMES.map((name) => newWay(name, () => runCalls(service, name, SECONDS))),
  ]
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { run, rates, cpuUs } of found) {
      const startedUs = cpuTimeUs(service.pid)
      const { mails, perSecond } = await run()
      rates.push(perSecond)
      await untilIdle(service.pid)
      cpuUs.push((cpuTimeUs(service.pid) - startedUs) / mails)
    }
  }
  console.log(`${CONNECTIONS} connections, ${SIZE_BYTES} bytes a mail: best, median, CPU a mail`)
  for (const { name, rates, cpuUs } of found) {
    const [most, middle] = [Math.max(...rates), median(rates)].map((one) => `${one.toFixed(0)}/s`)
    const cpu = `${median(cpuUs).toFixed(0)} µs`
    console.log(
      `  ${name.padEnd(9)} ${most?.padStart(8)} ${middle?.padStart(8)} ${cpu.padStart(9)}`,
    )
  }
  const [smtp, ...apis] = found
  for (const { name, rates } of apis) {
    const ratio = median(rates) / median(smtp?.rates ?? [])
    printFigure(`mails a second by ${name} against SMTP, medians`, ratio, { atLeast: 0.5 })
  }
}

function newWay(name: string, run: () => Promise<Round>): Way {
  return { name, run, rates: [], cpuUs: [] }
}

/** In a service of its own: the meter uses processor time. */
async function measureHolds(): Promise<void> {
  await using service = await startFilled(['--import', METER])
  for (const name of NAMES) {
    await readLoopMeter(service.process)
    await runCalls(service, name, SECONDS)
    const holdMs = await readLoopMeter(service.process)
    printFigure(`longest work of the API's thread by ${name}, ms`, holdMs, { atMost: 20 })
  }
}

/** A service with an inbox for each mail; the first calls have loaded modules. */
async function startFilled(nodeArgs: readonly string[] = []): Promise<Service> {
  const service = await startService({ nodeArgs })
  await createInboxes(service, MAILS, (index) => `${index + 1}b`)
  for (const name of NAMES) await runCalls(service, name, 1)
  await runSmtp(service)
  return service
}

async function runSmtp({ smtpPort: port }: Service): Promise<Round> {
  const load = { connections: CONNECTIONS, mails: MAILS, sizeBytes: SIZE_BYTES, isReused: true }
  return { mails: MAILS, perSecond: await runSmtpSource({ ...load, port, recipient: RECIPIENT }) }
}

async function runCalls(service: Service, name: Call, seconds: number): Promise<Round> {
  const { httpUrl, apiKey } = service
  const { path, headers, body } = CALLS[name]
  const basic = Buffer.from(`api:${apiKey}`).toString('base64')
  const { stdout } = await promisify(execFile)('wrk', [
    ...['-t', '1', '-c', String(CONNECTIONS), '-d', `${seconds}s`, '-s', SCRIPT],
    ...[`${httpUrl}/providers/${path}`, '--', String(MAILS), body],
    ...headers.map((header) => header.replace('BASIC', basic).replace('KEY', apiKey)),
  ])
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`Not all went well:\n${stdout}`)
  return {
    mails: Number(/(\d+) requests in/.exec(stdout)?.[1]),
    perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]),
  }
}
