// How long a test waits beyond its mail, and what held waits cost.
//
//   node bench/wait.ts [HELD_WAITS]
//
// Everything is a ratio of two things measured in this run: the time from the last byte of a
// mail to the last byte of the wait's answer, against a bare HTTP round trip of the same process.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApiClient } from '../packages/server/test/testing-api-client.ts'
import { type MailToSend, sendMails } from '../packages/server/test/testing-send-mail.ts'
import { startServerProcess } from '../packages/server/test/testing-server-process.ts'
import { type HeldWaits, holdWaits } from './load/held-waits.ts'
import { htmlMail } from './load/html-mail.ts'
import { KeptHttp } from './load/kept-http.ts'
import { KeptSmtp } from './load/kept-smtp.ts'
import { type Quantiles, quantiles } from './load/quantiles.ts'

type Inbox = { readonly id: string; readonly emailAddress: string }

const HELD = Number(process.argv[2] ?? 10_000)
const SAMPLES = 300
const WARM_UP = 30
const ELSEWHERE_PER_SECOND = 500

const folder = mkdtempSync(join(tmpdir(), 'mayfly-bench-'))
await using server = startServerProcess({
  MAYFLY_DATABASE_URL: `sqlite:${join(folder, 'mayfly.db')}`,
  MAYFLY_DEFAULT_PLAN: 'unlimited',
  MAYFLY_LOG_LEVEL: 'info',
})
const { httpUrl, smtpPort } = await server.ready
const anonymous = createApiClient(httpUrl, null)
const { apiKey } = (await anonymous.post('/v1/accounts', { email: 'bench@example.com' })).body
const api = anonymous.withKey(apiKey)
const http = await KeptHttp.open(httpUrl, apiKey)
const smtp = await KeptSmtp.open(smtpPort)

const bare = await measure(bareRoundTrip)
say('bare HTTP round trip', bare)
await measureAnswers('mail to answer, idle')
{
  const stop = sendElsewhere()
  await measureAnswers(`mail to answer, ${ELSEWHERE_PER_SECOND} mails/s elsewhere`)
  await stop()
}
http.close()
smtp.close()
await held()
await heldForHtml()
server.child.kill('SIGTERM')
await server.ended
rmSync(folder, { recursive: true, force: true })

async function measure(once: () => Promise<number>): Promise<Quantiles> {
  const times: number[] = []
  for (let i = 0; i < WARM_UP + SAMPLES; i++) times.push(await once())
  return quantiles(times.slice(WARM_UP))
}

async function bareRoundTrip(): Promise<number> {
  const startedAt = performance.now()
  await http.get('/healthz')
  return performance.now() - startedAt
}

/** Beside it, bare round trips between the mails: one after the other, they are faster. */
async function measureAnswers(name: string): Promise<void> {
  const between: number[] = []
  const times = await measure(async () => {
    const took = await mailToAnswer()
    between.push(await bareRoundTrip())
    return took
  })
  tell(name, times)
  say('  a bare round trip after each mail', quantiles(between.slice(WARM_UP)))
}

async function mailToAnswer(): Promise<number> {
  const { inbox } = (await api.post('/v1/inboxes')).body
  const answered = http.get(`/v1/inboxes/${inbox.id}/wait?timeoutSeconds=20`)
  // A second call on its own connection is answered after the wait was taken in.
  await api.get(`/v1/inboxes/${inbox.id}`)
  const sentAt = await smtp.send(inbox.emailAddress)
  const { endedAt, status } = await answered
  if (status !== 200) throw new Error(`the wait was answered ${status}`)
  return endedAt - sentAt
}

function sendElsewhere(): () => Promise<void> {
  let isOn = true
  const run = async () => {
    let inboxes: string[] = []
    let sent = 0
    const startedAt = performance.now()
    while (isOn) {
      // An inbox holds a thousand mails; each is used for less.
      if (sent % 5_000 === 0) {
        inboxes = []
        for (let i = 0; i < 10; i++)
          inboxes.push((await api.post('/v1/inboxes')).body.inbox.emailAddress)
      }
      await sendMails(
        smtpPort,
        Array.from({ length: 50 }, (_, i) => ({
          to: inboxes[i % 10] ?? '',
          text: 'x'.repeat(4000),
        })),
      )
      sent += 50
      const aheadMs = (sent / ELSEWHERE_PER_SECOND) * 1000 - (performance.now() - startedAt)
      if (aheadMs > 0) await new Promise((resolve) => setTimeout(resolve, aheadMs))
    }
  }
  const running = run()
  return async () => {
    isOn = false
    await running
  }
}

/** Many waits at once: what each costs, how fast one and how fast all wake. */
async function held(): Promise<void> {
  const inboxes = await createInboxes(100)
  const alone = await createInboxes(1)
  const before = residentBytes()
  using waits = await hold(inboxes, HELD)
  using single = await hold(alone, 1)
  const each = (residentBytes() - before) / HELD
  console.log(`${HELD} held waits: ${(each / 1000).toFixed(1)} KB each (goal: at most 20)`)
  const oneMs = await wake(single, { to: addresses(alone) })
  console.log(`one mail wakes one among them: ${oneMs.toFixed(1)} ms`)
  const allMs = await wake(waits, { to: addresses(inboxes) })
  console.log(`all ${HELD} woken and answered: ${allMs.toFixed(0)} ms (goal: at most 1,000)`)
}

/** The same with 39 KB of HTML, which is sanitised. */
async function heldForHtml(): Promise<void> {
  const raw = htmlMail()
  const warmUp = await createInboxes(30)
  for (const inbox of warmUp) {
    await sendMails(smtpPort, [{ to: inbox.emailAddress, raw }])
    await api.get(`/v1/inboxes/${inbox.id}/wait?timeoutSeconds=20`)
  }
  const inboxes = await createInboxes(100)
  using waits = await hold(inboxes, HELD)
  const allMs = await wake(waits, { to: addresses(inboxes), raw })
  console.log(
    `all ${HELD} woken by HTML and answered: ${allMs.toFixed(0)} ms (goal: at most 1,000)`,
  )
}

async function createInboxes(count: number): Promise<Inbox[]> {
  const inboxes: Inbox[] = []
  for (let i = 0; i < count; i++) inboxes.push((await api.post('/v1/inboxes')).body.inbox)
  return inboxes
}

function addresses(inboxes: readonly Inbox[]): string[] {
  return inboxes.map(({ emailAddress }) => emailAddress)
}

function hold(inboxes: readonly Inbox[], count: number): Promise<HeldWaits> {
  return holdWaits({ httpUrl, apiKey, inboxIds: inboxes.map(({ id }) => id), count })
}

/** Milliseconds from the connection of a mail to the last response. */
async function wake(waits: HeldWaits, mail: MailToSend): Promise<number> {
  const startedAt = performance.now()
  await sendMails(smtpPort, [mail])
  await waits.answered
  return performance.now() - startedAt
}

function residentBytes(): number {
  const status = readFileSync(`/proc/${server.child.pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024
}

function say(name: string, { p50, p99 }: Quantiles): void {
  console.log(`${name}: p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms`)
}

function tell(name: string, times: Quantiles): void {
  say(name, times)
  const ratio = (a: number, b: number) => (a / b).toFixed(1)
  console.log(
    `  p50 ${ratio(times.p50, bare.p50)} × (goal: at most 5), p99 ${ratio(times.p99, bare.p50)} × (goal: at most 20)`,
  )
}
