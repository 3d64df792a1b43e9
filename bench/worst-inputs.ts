// How long the API's thread works at a time while mails that were made to be slow are read through
// every endpoint, and while bodies that were made to be slow are sent to it; and how long composing
// such mails takes, which holds the thread that stores all mail.
//
//   node bench/worst-inputs.ts [DATABASE_URL]
//
// Processor time of the API's thread between two turns of a 1 ms timer, by
// packages/server/test/testing-loop-meter.ts; and of this thread for composing.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createComposer } from '../packages/server/src/assembly/composer.ts'
import { createLog } from '../packages/server/src/platform/log.ts'
import { createApiClient } from '../packages/server/test/testing-api-client.ts'
import { readLoopMeter } from '../packages/server/test/testing-loop-meter.ts'
import { readingCalls } from '../packages/server/test/testing-read-mail.ts'
import { sendMails } from '../packages/server/test/testing-send-mail.ts'
import { startServerProcess } from '../packages/server/test/testing-server-process.ts'
import { LARGEST_BODIES, WORST_BODIES } from '../packages/server/test/testing-worst-bodies.ts'
import { WORST_MAILS } from '../packages/server/test/testing-worst-mails.ts'

const KIB = 1024
/** The last is what is read of HTML; text is read up to the size of a mail, and takes less. */
const SIZES = [64 * KIB, 512 * KIB, 2 * KIB * KIB]
const LARGEST = 17 * KIB * KIB
const LARGEST_OF = ['text: one letter', 'text: quotes', 'open tags', 'parts: attachment in base64']
const GOAL_MS = 20

/** The largest mail that the storing thread composes, and how long it should take at most. */
const COMPOSED_SIZE = 256 * KIB
const COMPOSED_GOAL_MS = 50

const folder = mkdtempSync(join(tmpdir(), 'mayfly-worst-'))
const meter = new URL('../packages/server/test/testing-loop-meter.ts', import.meta.url).href
await using server = startServerProcess(
  {
    MAYFLY_DATABASE_URL: process.argv[2] ?? `sqlite:${join(folder, 'mayfly.db')}`,
    MAYFLY_DEFAULT_PLAN: 'unlimited',
    MAYFLY_DNS_SERVERS: '127.0.0.1:9',
  },
  [],
  ['--import', meter],
)
const { httpUrl, smtpPort } = await server.ready
const anonymous = createApiClient(httpUrl, null)
const { apiKey } = (await anonymous.post('/v1/accounts', { email: 'bench@example.com' })).body
const api = anonymous.withKey(apiKey)

const rows: { name: string; call: string; loopMs: number }[] = []
const inputs = WORST_MAILS.flatMap((mail) => [
  ...SIZES.map((size) => ({ ...mail, size })),
  ...(LARGEST_OF.includes(mail.name) ? [{ ...mail, size: LARGEST }] : []),
])
for (const { name, raw, size } of inputs) {
  const { inbox } = (await api.post('/v1/inboxes')).body
  const [answer] = await sendMails(smtpPort, [{ to: inbox.emailAddress, raw: raw(size) }])
  if (answer?.mail?.startsWith('250') !== true) throw new Error(`${name}: ${answer?.mail}`)
  const { messages } = (await api.get(`/v1/inboxes/${inbox.id}/messages`)).body
  const ref = { inboxId: inbox.id, messageId: messages[0].id }
  await readLoopMeter(server)
  for (const [call, run] of Object.entries(readingCalls(api, ref))) {
    const label = `${name}, ${Math.round(size / KIB)} KiB`
    await run().catch((error: unknown) => console.log(`${label}: ${String(error).slice(0, 200)}`))
    rows.push({ name: label, call, loopMs: await readLoopMeter(server) })
  }
  await api.delete(`/v1/inboxes/${inbox.id}`)
  await readLoopMeter(server)
}

await measureBodies()
server.child.kill('SIGTERM')
await server.ended
rmSync(folder, { recursive: true, force: true })

const over = rows.filter(({ loopMs }) => loopMs > GOAL_MS)
console.log(`${inputs.length} mails, ${rows.length} calls; ${over.length} above ${GOAL_MS} ms\n`)
console.log('| mail or body | call | longest work of the API thread |\n|---|---|---|')
for (const { name, call, loopMs } of rows.toSorted((a, b) => b.loopMs - a.loopMs).slice(0, 20)) {
  console.log(`| ${name} | ${call} | ${loopMs.toFixed(1)} ms |`)
}

console.log(
  `\n| mail of ${COMPOSED_SIZE / KIB} KiB | composing (goal ${COMPOSED_GOAL_MS} ms) |\n|---|---|`,
)
for (const { name, workedMs } of measureComposing())
  console.log(`| ${name} | ${workedMs.toFixed(1)} ms |`)

/** The mails that take longest to compose. */
function measureComposing(): readonly { name: string; workedMs: number }[] {
  const options = { hostName: 'mx.example', isScanned: false, isTextInRaw: true }
  const compose = createComposer({ ...options, log: createLog('error') })
  const envelope = { mailFrom: '', remoteAddress: '127.0.0.1', helo: null, tls: null, user: null }
  const accepted = { envelope, recipients: [], transcript: [], protocol: 'ESMTP' }
  const workedMs = (raw: Buffer) => {
    const before = process.threadCpuUsage()
    compose({ id: 'eml_1', receivedAt: 1, accepted: { ...accepted, raw } })
    const { user, system } = process.threadCpuUsage(before)
    return (user + system) / 1_000
  }
  const measured = WORST_MAILS.map(({ name, raw }) => {
    const bytes = Buffer.from(raw(COMPOSED_SIZE)).subarray(0, COMPOSED_SIZE)
    // The best of three: code that runs for the first time takes longer.
    return { name, workedMs: Math.min(...[1, 2, 3].map(() => workedMs(bytes))) }
  })
  return measured.toSorted((a, b) => b.workedMs - a.workedMs).slice(0, 10)
}

/** Bodies of JSON to routes that take one, and a large mail by Mailpit's API. */
async function measureBodies(): Promise<void> {
  const { inbox } = (await api.post('/v1/inboxes', { catchAll: true })).body
  const basic = Buffer.from(`${inbox.id}:${apiKey}`).toString('base64')
  const ofMailpit = { 'content-type': 'application/json', authorization: `Basic ${basic}` }
  const send = async (call: string, rawBody: string, headers: Record<string, string>) => {
    const [method = '', path = ''] = call.split(' ')
    const { status } = await api.send(method, path, { rawBody, headers })
    if (status >= 500) throw new Error(`${call}: ${status}`)
  }
  const json = { 'content-type': 'application/json' }
  const calls = [
    ...['POST /v1/accounts', 'POST /v1/keys', 'POST /v1/inboxes', 'POST /v1/webhooks'],
    ...['POST /v1/domains', `POST /v1/inboxes/${inbox.id}/assert`, 'POST /mcp'],
  ].map((call) => ({ call, headers: json }))
  const mailpit = ['PUT /api/v1/tags', 'PUT /api/v1/messages', 'POST /api/v1/send'].map((call) => ({
    call,
    headers: ofMailpit,
  }))
  // The first calls load modules, whatever the body.
  for (const { call, headers } of [...calls, ...mailpit]) await send(call, '{}', headers)
  const bodies = [
    ...WORST_BODIES,
    ...LARGEST_BODIES.map(({ name, json }) => ({ name: `${name}, as many as are allowed`, json })),
  ]
  for (const { call, headers } of [...calls, ...mailpit]) {
    for (const { name, json } of bodies) {
      await readLoopMeter(server)
      await send(call, json, headers)
      rows.push({ name, call: call.replace(inbox.id, '{id}'), loopMs: await readLoopMeter(server) })
    }
  }
  for (const size of [1, 5, 20]) {
    const Content = Buffer.alloc(size * KIB * KIB, 'a').toString('base64')
    const sent = {
      From: { Email: 'app@example.com' },
      To: [{ Email: 'ada@example.com' }],
      Attachments: [{ Filename: 'a.bin', Content }],
    }
    await readLoopMeter(server)
    await send('POST /api/v1/send', JSON.stringify(sent), ofMailpit)
    const loopMs = await readLoopMeter(server)
    rows.push({ name: `attachment of ${size} MiB`, call: 'POST /api/v1/send', loopMs })
  }
}
