// How long the API's thread works at a time while mails that were made to be slow are read through
// every endpoint, and while bodies that were made to be slow are sent to it.
//
//   node bench/worst-inputs.ts [--sizes=3]     64 KiB, 512 KiB and 2 MiB; fewer are faster
//
// Processor time of the thread between two turns of a 1 ms timer, by testing-loop-meter.ts.

import { readLoopMeter } from '../packages/server/test/testing-loop-meter.ts'
import { readingCalls } from '../packages/server/test/testing-read-mail.ts'
import { sendMails } from '../packages/server/test/testing-send-mail.ts'
import { LARGEST_BODIES, WORST_BODIES } from '../packages/server/test/testing-worst-bodies.ts'
import { WORST_MAILS } from '../packages/server/test/testing-worst-mails.ts'
import { option, printFigure, watchMachine } from './load/report.ts'
import { startService } from './load/service.ts'

const KIB = 1024
/** The last is what is read of HTML; text is read up to the size of a mail, and takes less. */
const SIZES = [64 * KIB, 512 * KIB, 2 * KIB * KIB].slice(0, option('sizes', 3))
const LARGEST = 17 * KIB * KIB
const LARGEST_OF = ['text: one letter', 'text: quotes', 'open tags', 'parts: attachment in base64']
const METER = new URL('../packages/server/test/testing-loop-meter.ts', import.meta.url).href
const SHOWN = 10

using _machine = watchMachine()
await using service = await startService({ nodeArgs: ['--import', METER] })
const { api, apiKey, smtpPort } = service
const found: { readonly name: string; readonly loopMs: number }[] = []
await readWorstMails()
await sendWorstBodies()
found.sort((a, b) => b.loopMs - a.loopMs)
console.log(`${found.length} calls`)
for (const { name, loopMs } of found.slice(0, SHOWN))
  console.log(`  ${loopMs.toFixed(1)} ms ${name}`)
printFigure('longest work of the thread, ms', found[0]?.loopMs ?? Number.NaN, { atMost: 20 })

/** Runs a call, and notes how long the thread worked at most. */
async function note(name: string, run: () => Promise<unknown>): Promise<void> {
  await readLoopMeter(service.process)
  await run()
  found.push({ name, loopMs: await readLoopMeter(service.process) })
}

async function readWorstMails(): Promise<void> {
  const inputs = WORST_MAILS.flatMap((mail) =>
    [...SIZES, ...(LARGEST_OF.includes(mail.name) ? [LARGEST] : [])].map((size) => ({
      ...{ name: `${mail.name}, ${Math.round(size / KIB)} KiB`, content: () => mail.raw(size) },
    })),
  )
  for (const { name, content } of inputs) {
    const { inbox } = (await api.post('/v1/inboxes')).body
    const [answer] = await sendMails(smtpPort, [{ to: inbox.emailAddress, raw: content() }])
    if (answer?.mail?.startsWith('250') !== true) throw new Error(`${name}: ${answer?.mail}`)
    const path = `/v1/inboxes/${inbox.id}`
    const [message] = (await api.get(`${path}/messages`)).body.messages
    const calls = readingCalls(api, { inboxId: inbox.id, messageId: message.id })
    for (const [call, run] of Object.entries(calls)) {
      // A call may be refused because its content takes too long on its own thread.
      await note(`${call}: ${name}`, () => run().catch((error) => console.log(name, String(error))))
    }
    await api.delete(path)
  }
}

/** Bodies of JSON to routes that take one, and large mails by Mailpit's API. */
async function sendWorstBodies(): Promise<void> {
  const { inbox } = (await api.post('/v1/inboxes', { catchAll: true })).body
  const json = { 'content-type': 'application/json' }
  const basic = Buffer.from(`${inbox.id}:${apiKey}`).toString('base64')
  const ofMailpit = { ...json, authorization: `Basic ${basic}` }
  const calls = [
    ...['/v1/accounts', '/v1/keys', '/v1/inboxes', '/v1/webhooks', '/v1/domains', '/mcp'].map(
      (path) => ({ method: 'POST', path, headers: json }),
    ),
    { method: 'POST', path: `/v1/inboxes/${inbox.id}/assert`, headers: json },
    { method: 'PUT', path: '/api/v1/tags', headers: ofMailpit },
    { method: 'PUT', path: '/api/v1/messages', headers: ofMailpit },
    { method: 'POST', path: '/api/v1/send', headers: ofMailpit },
  ]
  const send = async ({ method, path, headers }: (typeof calls)[number], rawBody: string) => {
    const { status } = await api.send(method, path, { rawBody, headers })
    if (status >= 500) throw new Error(`${path}: ${status}`)
  }
  for (const call of calls) {
    // The first call loads modules, whatever the body.
    await send(call, '{}')
    for (const { name, json: body } of [...WORST_BODIES, ...LARGEST_BODIES]) {
      await note(`${call.method} ${call.path}: ${name}`, () => send(call, body))
    }
  }
  for (const size of [1, 5, 20]) {
    const Content = Buffer.alloc(size * KIB * KIB, 'a').toString('base64')
    const body = JSON.stringify({
      From: { Email: 'app@example.com' },
      To: [{ Email: 'ada@example.com' }],
      Attachments: [{ Filename: 'a.bin', Content }],
    })
    const call = { method: 'POST', path: '/api/v1/send', headers: ofMailpit }
    await note(`an attachment of ${size} MiB by Mailpit's API`, () => send(call, body))
  }
}
