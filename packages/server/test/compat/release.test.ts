import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import mailhogClient from 'mailhog'
import { MailpitClient } from 'mailpit-api'
import { createApiClient } from '../testing-api-client.ts'
import { first } from '../testing-first.ts'
import { startService, type TestService } from '../testing-start-service.ts'
import { startTcpServer } from '../testing-tcp-server.ts'
import { send, startCatchAll } from './testing-catch-all.ts'

const MAIL = {
  to: ['ada@elsewhere.example', 'bob@elsewhere.example'],
  subject: 'Grüße',
  text: '.\r\n..dots\r\nÜmläute\r\n',
  html: '<p>Hello</p>',
}

/** The raw message of an inbox that has one, without what each server adds at its head. */
async function rawOf(service: TestService, key: string, inboxId: string): Promise<string> {
  const dev = service.account(key)
  const { messages } = (await dev.get(`/v1/inboxes/${inboxId}/messages`)).body
  assert.equal(messages.length, 1)
  const { text } = await dev.get(`/v1/inboxes/${inboxId}/messages/${messages[0].id}/raw`)
  return text
}

describe('a message', () => {
  it('goes on to a mail server that the operator named, unchanged', async () => {
    await using receiver = await startService()
    const dev = await receiver.register()
    const port = receiver.smtpPort
    const env = { MAYFLY_RELEASE_HOSTS: `127.0.0.1:${port}, localhost:${port}` }
    await using service = await startCatchAll({ env })
    await send(service, MAIL)
    const { hostname, port: httpPort } = new URL(service.httpUrl)
    const mailhog = mailhogClient({ protocol: 'http:', host: hostname, port: Number(httpPort) })
    const mailpit = new MailpitClient(service.httpUrl)
    const api = createApiClient(service.httpUrl, null)
    const sent = (await api.get('/api/v1/message/latest/raw')).text
    const { ID = '' } = first((await mailhog.messages())?.items ?? [])
    assert.equal((await mailpit.getConfiguration()).MessageRelay.Enabled, true)

    const ways = {
      MailHog: async (email: string) => {
        const config = { host: 'LocalHost', port: String(port), email }
        assert.equal((await mailhog.releaseMessage(ID, config)).statusCode, 200)
      },
      Mailpit: async (email: string) => {
        assert.equal(await mailpit.releaseMessage(ID, { To: [email] }), 'ok')
      },
      MailDev: async (email: string) => {
        const { status, body } = await api.post(`/email/${ID}/relay/${email}`)
        assert.deepEqual([status, body], [200, true])
      },
    }
    for (const [name, release] of Object.entries(ways)) {
      const inbox = await dev.inboxes.create()
      await release(inbox.emailAddress)
      const released = await rawOf(receiver, dev.key, inbox.id)
      assert.ok(released.endsWith(sent), name)
      const { envelope } = await inbox.waitForMessage()
      assert.equal(envelope.mailFrom, 'shop@example.com', name)
    }
  })

  it('goes nowhere else, and the caller is told what the server replied', async () => {
    await using server = await startTcpServer({
      onConnection: (socket) => socket.end('554 5.3.2 Closed\r\n'),
    })
    const env = { MAYFLY_RELEASE_HOSTS: `127.0.0.1:${server.port}` }
    await using service = await startCatchAll({ env })
    const api = createApiClient(service.httpUrl, null)
    await send(service, MAIL)
    const { ID } = (await api.get('/api/v1/message/latest')).body
    const release = (body: unknown) => api.post(`/api/v1/messages/${ID}/release`, body)
    const place = { Host: '127.0.0.1', Port: server.port, Email: 'ada@elsewhere.example' }
    for (const elsewhere of [
      { ...place, Port: server.port + 1 },
      { ...place, Host: 'localhost' },
      { ...place, Host: `127.0.0.1:${server.port}@evil.example` },
      { ...place, Host: '::1' },
      { ...place, Email: 'ada@elsewhere.example>\r\nRCPT TO:<bob@elsewhere.example' },
      { ...place, Email: '' },
    ]) {
      assert.equal((await release(elsewhere)).status, 403, JSON.stringify(elsewhere))
    }
    for (const malformed of [{}, { ...place, Port: {} }, []]) {
      assert.equal((await release(malformed)).status, 400)
    }
    assert.equal(server.connections(), 0)
    const failed = await release(place)
    assert.deepEqual([failed.status, failed.text.includes('554 5.3.2 Closed')], [500, true])
    const mailpit = await api.post(`/api/v1/message/${ID}/release`, { To: [place.Email] })
    assert.deepEqual([mailpit.status, mailpit.text.includes('554 5.3.2 Closed')], [400, true])
    const many = Array.from({ length: 101 }, (_, i) => `a${i}@elsewhere.example`)
    for (const To of [[], many, ['nobody'], 'ada@elsewhere.example']) {
      assert.equal((await api.post(`/api/v1/message/${ID}/release`, { To })).status, 400)
    }
    assert.equal(server.connections(), 2)
    const unknown = await api.post('/api/v1/messages/msg_unknown/release', place)
    assert.equal(unknown.status, 404)
  })

  it('waits for no slot while ten others are sent', async () => {
    const silent = await startTcpServer()
    const env = { MAYFLY_RELEASE_HOSTS: `127.0.0.1:${silent.port}` }
    await using service = await startCatchAll({ env })
    const api = createApiClient(service.httpUrl, null)
    await send(service, MAIL)
    const release = () => api.post('/api/v1/message/latest/release', { To: ['a@b.example'] })
    const releases = Array.from({ length: 11 }, release)
    assert.match((await Promise.race(releases)).text, /^10 mails are being sent/)
    await silent[Symbol.asyncDispose]()
    const answers = await Promise.all(releases)
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([400]))
  })
})
