import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { WebSocket } from 'ws'
import { createApiClient } from '../testing-api-client.ts'
import { createMigratedSqlite } from '../testing-databases.ts'
import { openEvents } from '../testing-event-stream.ts'
import { sharedService, startService } from '../testing-start-service.ts'

const OTHERS_KEY = `mf_live_c2_${'x'.repeat(43)}`
const TOLD = /belongs to the cell "c2"; this is the cell "c1"/

const basic = (user: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
})
const bearer = { authorization: `Bearer ${OTHERS_KEY}` }
const CREDENTIAL = `Credential=${OTHERS_KEY}/20260101/us-east-1/ses/aws4_request`

/** The way of each provider to name the key. */
const PROVIDER_CALLS: readonly [path: string, headers: Record<string, string>, body?: object][] = [
  ['ses/v2/email/outbound-emails', { authorization: `AWS4-HMAC-SHA256 ${CREDENTIAL}` }],
  ['sendgrid/v3/mail/send', bearer],
  ['resend/emails', bearer],
  ['postmark/email', { 'x-postmark-server-token': OTHERS_KEY }],
  ['mailgun/v3/acme.example/messages', basic('api', OTHERS_KEY)],
  ['brevo/v3/smtp/email', { 'api-key': OTHERS_KEY }],
  ['mandrill/api/1.0/messages/send.json', {}, { key: OTHERS_KEY }],
  ['mailtrap/api/send', { 'api-token': OTHERS_KEY }],
  ['mailjet/v3.1/send', basic(OTHERS_KEY, OTHERS_KEY)],
  ['mailersend/v1/email', bearer],
]

/** What a server of lines says to these. */
async function converse(port: number, lines: readonly string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1')
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk
  })
  socket.write(lines.map((line) => `${line}\r\n`).join(''))
  await once(socket, 'end')
  return text
}

describe('a cell', () => {
  const shared = sharedService(createMigratedSqlite, { MAYFLY_CELL: 'c1', MAYFLY_POP3_PORT: '0' })

  it('is named by keys, sign-in links, frames and the ids of events', async () => {
    const service = await shared()
    const dev = await service.register()
    assert.match(dev.key, /^mf_live_c1_[A-Za-z0-9]{43}$/)
    const { key, apiKey } = await dev.keys.create({ name: 'CI', environment: 'test' })
    assert.ok(apiKey.startsWith('mf_test_c1_') && apiKey.startsWith(key.prefix))
    assert.equal(key.prefix.length, 'mf_test_c1_'.length + 8)
    const { url } = await dev.internal.createSignInLink()
    const [, token = ''] = /#token=(c1_[\w-]{43})$/.exec(url) ?? []
    const signedIn = await service.anonymous.post('/v1/sign-in', { token })
    assert.match(signedIn.body.apiKey, /^mf_live_c1_/)
    const inbox = await dev.inboxes.create()
    await using events = await openEvents(dev)
    await service.sendMail({ to: inbox.emailAddress })
    const { id, data } = await events.next('message.received')
    assert.match(id, /^c1_\w+-\d+$/)
    await events.next()
    const path = `/v1/inboxes/${inbox.id}/messages/${data.message.id}/frame`
    const frame = (await dev.post(path, {})).body.url
    assert.match(frame, /^\/frame\/c1_v1\./)
    assert.equal((await service.anonymous.get(frame)).status, 200)
  })

  it("refuses another cell's key with 421 and the name of that cell, never 401", async () => {
    const { httpUrl, anonymous } = await shared()
    const { status, body, headers } = await anonymous.withKey(OTHERS_KEY).get('/v1/account')
    assert.deepEqual([status, body.error.type, body.error.code], [421, 'misdirected', 'wrong_cell'])
    assert.deepEqual([body.cell, headers['www-authenticate']], ['c2', undefined])
    assert.match(body.error.message, TOLD)
    const token = `c2_${'x'.repeat(43)}`
    for (const path of ['/v1/sign-in', '/mcp', '/v1/events', '/api/v1/messages', '/email']) {
      const isPost = path === '/v1/sign-in' || path === '/mcp'
      const client = createApiClient(httpUrl, path === '/v1/sign-in' ? null : OTHERS_KEY)
      const refused = await (isPost ? client.post(path, { token }) : client.get(path))
      assert.equal(refused.status, 421, path)
      assert.match(refused.text.replaceAll('\\"', '"'), /cell "c2"; this is the cell "c1"/, path)
    }
    const compat = await anonymous.get('/api/v2/messages', { headers: basic('any', OTHERS_KEY) })
    assert.deepEqual([compat.status, compat.headers['www-authenticate']], [421, undefined])
  })

  it("refuses another cell's key in the form of each provider", async () => {
    const { anonymous } = await shared()
    for (const [path, headers, body = {}] of PROVIDER_CALLS) {
      const refused = await anonymous.post(`/providers/${path}`, body, { headers })
      assert.equal(refused.status, 421, `${path}: ${refused.text}`)
      const isQuoted = refused.text.replaceAll(/\\"|&quot;/g, '"')
      assert.match(isQuoted, TOLD, path)
    }
  })

  it("refuses another cell's key in SMTP AUTH, POP3 and at Mailpit's socket", async () => {
    const { httpUrl, smtpPort, pop3Port, register } = await shared()
    const project = await (await register()).inboxes.create({ catchAll: true })
    const plain = Buffer.from(`\0${project.id}\0${OTHERS_KEY}`).toString('base64')
    const smtp = await converse(smtpPort, ['EHLO a.example', `AUTH PLAIN ${plain}`, 'QUIT'])
    assert.match(smtp, /^535 5\.7\.8 This API key belongs to the cell "c2"; .*\r$/m)
    const login = [`USER ${project.id}`, `PASS ${OTHERS_KEY}`, 'QUIT']
    const pop3 = await converse(pop3Port ?? 0, login)
    assert.match(pop3, /^-ERR \[AUTH\] This API key belongs to the cell "c2"; .*\r$/m)
    const headers = basic('any', OTHERS_KEY)
    const socket = new WebSocket(httpUrl.replace('http', 'ws').concat('/api/events'), { headers })
    const [error] = await once(socket, 'error')
    assert.match(String(error), /421/)
  })

  it('refuses an unknown key of its own, or of no cell, with 401', async () => {
    const { anonymous } = await shared()
    for (const key of [
      OTHERS_KEY.replace('c2', 'c1'),
      `mf_live_${'x'.repeat(43)}`,
      'mf_live_C2_x',
    ]) {
      const { status, body } = await anonymous.withKey(key).get('/v1/account')
      assert.deepEqual([status, body.error.code], [401, 'invalid_api_key'], key)
    }
  })

  it('knows the keys that it had before it was one, and those of a cell it replaces', async () => {
    await using database = await createMigratedSqlite()
    const keys: string[] = []
    for (const env of [{}, { MAYFLY_CELL: 'c2' }, { MAYFLY_CELL: 'c1' }]) {
      await using service = await startService({ database, env })
      keys.push((await service.register(`dev${keys.length}@example.com`)).key)
      const found = keys.map((key) => service.anonymous.withKey(key).get('/v1/account'))
      assert.ok((await Promise.all(found)).every(({ status }) => status === 200))
    }
    assert.deepEqual(
      keys.map((key) => key.slice(0, -43)),
      ['mf_live_', 'mf_live_c2_', 'mf_live_c1_'],
    )
  })

  it('is not known where no cell is set: such a key is unknown', async () => {
    await using service = await startService()
    const { status, body } = await service.anonymous.withKey(OTHERS_KEY).get('/v1/account')
    assert.deepEqual([status, body.error.code], [401, 'invalid_api_key'])
    const { key } = await service.register()
    assert.match(key, /^mf_live_[A-Za-z0-9]{43}$/)
  })

  it('takes an initial key that names it, and none of another', async () => {
    const random = '0123456789abcdefghijABCDEFGHIJ0123456789'
    const start = (cell: string) =>
      startService({
        env: { MAYFLY_CELL: cell, MAYFLY_INITIAL_API_KEY: `mf_live_c1_${random}` },
        hasLocalAccount: true,
      })
    await using service = await start('c1')
    const { status } = await service.anonymous.withKey(`mf_live_c1_${random}`).get('/v1/account')
    assert.equal(status, 200)
    await assert.rejects(start('c2'), /it names the cell "c1", which is not MAYFLY_CELL/)
  })
})
