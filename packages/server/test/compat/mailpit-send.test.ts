import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createApiClient } from '../testing-api-client.ts'
import { sharedService } from '../testing-start-service.ts'
import { sharedCatchAll } from './testing-catch-all.ts'

const MiB = 1024 * 1024

describe("Mailpit's call that sends a mail", () => {
  const catchAll = sharedCatchAll()
  const keyed = sharedService(undefined, { MAYFLY_SMTP_MAX_MESSAGE_BYTES: String(MiB) })
  const MAIL = { From: { Email: 'from@a.example' }, To: [{ Email: 'to@a.example' }], Text: 'x' }

  it('refuses names of headers that are none, and those that fields have', async () => {
    const api = createApiClient((await catchAll()).httpUrl, null)
    for (const name of ['X-C\r\nSender: e@x', 'X C', 'X:C', '', 'Ü']) {
      const { status, body } = await api.post('/api/v1/send', { ...MAIL, Headers: { [name]: 'v' } })
      assert.equal(status, 400)
      assert.deepEqual(body, { Error: `invalid header key: ${JSON.stringify(name)}` })
    }
    const { body } = await api.post('/api/v1/send', { ...MAIL, Headers: { bcc: 'a@b.example' } })
    assert.deepEqual(body, { Error: 'cannot overwrite header: "bcc"' })
  })

  it('sets the Message-ID, and one Return-Path', async () => {
    const api = createApiClient((await catchAll()).httpUrl, null)
    const Headers = { 'Message-ID': '<own@a.example>', 'Return-Path': '<other@a.example>' }
    const { body } = await api.post('/api/v1/send', { ...MAIL, Headers })
    const headers = (await api.get(`/api/v1/message/${body.ID}/headers`)).body
    assert.deepEqual(headers['Message-Id'], ['<own@a.example>'])
    assert.deepEqual(headers['Return-Path'], ['<from@a.example>'])
  })

  it('takes quoted local parts', async () => {
    const api = createApiClient((await catchAll()).httpUrl, null)
    const [odd, at] = ['"odd user"@a.example', '"a@b"@a.example']
    const mail = { From: { Email: odd }, To: [{ Email: at }], Cc: [{ Email: odd }], Bcc: [at] }
    const { body } = await api.post('/api/v1/send', { ...MAIL, ...mail })
    const message = (await api.get(`/api/v1/message/${body.ID}`)).body
    const { From, To, Cc, Bcc } = message
    assert.deepEqual(
      [From, ...To, ...Cc].map(({ Address }) => Address),
      [odd, at, odd],
    )
    assert.deepEqual(Bcc, [{ Name: '', Address: at }])
    for (const Email of ['"a"b"@a.example', '"a@a.example', '"a\r\nb"@a.example', '""@a.example']) {
      const refused = await api.post('/api/v1/send', { ...MAIL, To: [{ Email }] })
      assert.deepEqual(
        [refused.status, refused.body],
        [400, { Error: `invalid To address: ${Email}` }],
      )
    }
  })

  it('stores the user name of Basic, but never a key', async () => {
    const service = await keyed()
    const dev = await service.register()
    const { id } = await dev.inboxes.create({ catchAll: true })
    const sentBy = async (user: string, password: string) => {
      const basic = Buffer.from(`${user}:${password}`).toString('base64')
      const headers = { authorization: `Basic ${basic}` }
      const api = createApiClient(service.httpUrl, null)
      const { body } = await api.post('/api/v1/send', MAIL, { headers })
      const message = (await dev.get(`/api/v1/message/${body.ID}`)).body
      const [summary] = (await dev.get('/api/v1/messages')).body.messages
      assert.equal(summary.Username, message.Username)
      return message.Username
    }
    assert.equal(await sentBy(id, dev.key), id)
    assert.equal(await sentBy('ci', dev.key), 'ci')
    assert.equal(await sentBy(dev.key, ''), '')
  })

  it('counts the size of the message, as SMTP does', async () => {
    const service = await keyed()
    const dev = await service.register()
    await dev.inboxes.create({ catchAll: true })
    const post = (chars: number) => {
      const Content = Buffer.alloc(chars, 'x').toString('base64')
      return dev.post('/api/v1/send', { ...MAIL, Attachments: [{ Content, Filename: 'a.bin' }] })
    }
    // In base64 and with its line ends it is 1.37 times as long.
    assert.equal((await post(0.72 * MiB)).status, 200)
    for (const chars of [0.74 * MiB, 8 * MiB]) {
      const { status, headers, body } = await post(chars)
      assert.equal(status, 413)
      assert.match(String(headers['content-type']), /^application\/json/)
      assert.match(body.Error, /^the message has \d+ bytes; at most 1048576|is larger than \d+ KiB/)
    }
  })

  it('has errors in JSON, but for wrong credentials', async () => {
    const service = await keyed()
    const refused = await createApiClient(service.httpUrl, null).post('/api/v1/send', MAIL)
    assert.deepEqual([refused.status, refused.text], [401, 'Unauthorized.\n'])
    const dev = await service.register()
    const { status, body } = await dev.post('/api/v1/send', MAIL)
    assert.deepEqual([status, body], [400, { Error: 'the account has no catch-all inbox' }])
  })
})
