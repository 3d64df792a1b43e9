// How long a test waits beyond its mail, and what held waits cost.
//
//   node bench/wait.ts [--waits=10000] [--samples=300]
//
// The time from the last byte of a mail to the last byte of the wait's response is told as a
// multiple of a bare HTTP round trip of the same process, one after the other at rest.

import { type MailToSend, sendMails } from '../packages/server/test/testing-send-mail.ts'
import { holdWaits, type OpenWaits } from './load/held-waits.ts'
import { htmlMail } from './load/html-mail.ts'
import { keepHttp, keepSmtp } from './load/kept-connections.ts'
import { sendPaced } from './load/paced-mails.ts'
import { residentBytes } from './load/process.ts'
import { option, printFigure, type Quantiles, quantiles, watchMachine } from './load/report.ts'
import { createInboxes, type Inbox, startService } from './load/service.ts'

const WAITS = option('waits', 10_000)
const SAMPLES = option('samples', 300)
const WARM_UP = 30
const ELSEWHERE = { perSecond: 500, seconds: 120 }
const GOALS = { p50: 12, p99: 40, kilobytes: 20, wakeMs: 1_000 }

using _machine = watchMachine()
await using service = await startService()
const { api, smtpPort, pid } = service
await measureAnswers()
await holdMany()
await holdForHtml()

async function measureAnswers(): Promise<void> {
  using http = await keepHttp(service)
  using smtp = await keepSmtp(smtpPort)
  const bareRoundTrip = async () => {
    const startedAt = performance.now()
    return (await http.get('/healthz')) - startedAt
  }
  const mailToAnswer = async () => {
    const { inbox } = (await api.post('/v1/inboxes')).body
    const answered = http.get(`/v1/inboxes/${inbox.id}/wait?timeoutSeconds=20`)
    // A second call on its own connection is answered after the wait was taken in.
    await api.get(`/v1/inboxes/${inbox.id}`)
    const sentAt = await smtp.send(inbox.emailAddress)
    return (await answered) - sentAt
  }
  const bare = await measure('a bare HTTP round trip', bareRoundTrip)
  const compare = ({ p50, p99 }: Quantiles) => {
    printFigure('p50, in bare round trips', p50 / bare.p50, { atMost: GOALS.p50 })
    printFigure('p99, in bare round trips', p99 / bare.p50, { atMost: GOALS.p99 })
  }
  compare(await measure('mail to answer, at rest', mailToAnswer))
  await using _elsewhere = await sendPaced(service, ELSEWHERE)
  const name = `mail to answer, ${ELSEWHERE.perSecond} mails/s elsewhere`
  compare(await measure(name, mailToAnswer))
}

async function measure(name: string, once: () => Promise<number>): Promise<Quantiles> {
  const times: number[] = []
  for (let sample = 0; sample < WARM_UP + SAMPLES; sample += 1) times.push(await once())
  const found = quantiles(times.slice(WARM_UP))
  console.log(`${name}: p50 ${found.p50.toFixed(2)} ms, p99 ${found.p99.toFixed(2)} ms`)
  return found
}

/** Many waits at once: what each costs, how fast one and how fast all wake. */
async function holdMany(): Promise<void> {
  const inboxes = await createInboxes(service, 100)
  const alone = await createInboxes(service, 1)
  const before = residentBytes(pid)
  using waits = await holdWaits(service, inboxes, WAITS)
  using single = await holdWaits(service, alone, 1)
  const kilobytes = (residentBytes(pid) - before) / WAITS / 1000
  console.log(`${WAITS} held waits`)
  printFigure('KB each', kilobytes, { atMost: GOALS.kilobytes })
  console.log(`  one mail wakes one among them: ${(await wake(single, alone)).toFixed(1)} ms`)
  printFigure('ms to wake all', await wake(waits, inboxes), { atMost: GOALS.wakeMs })
}

/** The same with 39 KB of HTML, which is sanitised. */
async function holdForHtml(): Promise<void> {
  const raw = htmlMail()
  for (const { id, emailAddress } of await createInboxes(service, WARM_UP)) {
    await sendMails(smtpPort, [{ to: emailAddress, raw }])
    await api.get(`/v1/inboxes/${id}/wait?timeoutSeconds=20`)
  }
  const inboxes = await createInboxes(service, 100)
  using waits = await holdWaits(service, inboxes, WAITS)
  const wakeMs = await wake(waits, inboxes, { raw })
  printFigure('ms to wake all with 39 KB of HTML', wakeMs, { atMost: GOALS.wakeMs })
}

/** Milliseconds from the connection of a mail to all the inboxes until the last response. */
async function wake(
  waits: OpenWaits,
  inboxes: readonly Inbox[],
  mail: Omit<MailToSend, 'to'> = {},
): Promise<number> {
  const startedAt = performance.now()
  await sendMails(smtpPort, [{ ...mail, to: inboxes.map(({ emailAddress }) => emailAddress) }])
  await waits.answered
  return performance.now() - startedAt
}
