import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import mailhogClient from 'mailhog'
import { MailpitClient } from 'mailpit-api'
import { createApiClient } from '../testing-api-client.ts'
import { sharedService } from '../testing-start-service.ts'
import { send, sharedCatchAll } from './testing-catch-all.ts'

/** The client for a service, with credentials or without. */
function clientOf(httpUrl: string, auth?: string) {
  const { hostname, port } = new URL(httpUrl)
  const options = { protocol: 'http:', host: hostname, port: Number(port) }
  return mailhogClient({ ...options, ...(auth === undefined ? {} : { auth }) })
}

describe("MailHog's client for Node", () => {
  const catchAll = sharedCatchAll()
  const keyed = sharedService()

  it('lists, searches and decodes', async () => {
    const service = await catchAll()
    const mailhog = clientOf(service.httpUrl)
    await send(service, {
      to: ['ada@elsewhere.example', 'bob@elsewhere.example'],
      subject: 'Grüße-aus-Köln',
      text: 'Schöne Grüße',
      html: '<p>Schöne <b>Grüße</b></p>',
    })
    await send(service, {
      to: 'eve@elsewhere.example',
      subject: 'Second',
      text: 'plain',
      attachments: [{ filename: 'note.txt', content: 'hello' }],
    })

    const all = await mailhog.messages(0, 10)
    assert.deepEqual([all?.total, all?.count, all?.start], [2, 2, 0])
    const [second, first] = all?.items ?? []
    assert.deepEqual([second?.subject, second?.text?.trim()], ['Second', 'plain'])
    assert.equal(first?.subject, 'Grüße-aus-Köln')
    assert.equal(first?.html, '<p>Schöne <b>Grüße</b></p>')
    assert.equal(first?.text, 'Schöne Grüße')
    assert.equal(first?.from, 'Shop <shop@example.com>')
    assert.equal(second?.attachments[0]?.name, 'note.txt')
    assert.ok(first?.date instanceof Date)

    assert.equal((await mailhog.search('bob@', 'to'))?.count, 1)
    assert.equal((await mailhog.search('shop@example.com', 'from'))?.count, 2)
    assert.equal((await mailhog.search('plain'))?.items[0]?.subject, 'Second')
    assert.equal((await mailhog.latestTo('bob@elsewhere.example'))?.subject, 'Grüße-aus-Köln')
    assert.equal((await mailhog.latestContaining('note.txt'))?.subject, 'Second')
    assert.equal((await mailhog.search('nobody', 'to'))?.count, 0)
  })

  it('deletes one message and all, beside clients of Mailpit', async () => {
    const service = await catchAll()
    const mailhog = clientOf(service.httpUrl)
    const mailpit = new MailpitClient(service.httpUrl)
    for (const subject of ['one', 'two']) {
      await send(service, { to: 'ada@elsewhere.example', subject, text: subject })
    }
    const latest = await mailhog.latestTo('ada@elsewhere.example')
    const deleted = await mailhog.deleteMessage(latest?.ID ?? '')
    assert.equal(deleted.statusCode, 200)
    assert.equal((await mailhog.messages())?.count, 1)
    assert.equal((await mailhog.deleteMessage('msg_unknown')).statusCode, 500)
    // The same request, and another body of the response.
    assert.equal((await mailhog.deleteAll()).statusCode, 200)
    assert.equal(await mailpit.deleteMessages(), 'ok')
    assert.equal((await mailhog.messages())?.total, 0)
  })

  it('has the other calls of its API', async () => {
    const service = await catchAll()
    const api = createApiClient(service.httpUrl, null)
    await send(service, { to: 'ada@elsewhere.example', subject: 'One', text: 'x' })
    const { body } = await api.get('/api/v2/messages?limit=0')
    const [{ ID, To, Raw, Content }] = body.items
    assert.deepEqual(To, [
      { Relays: null, Mailbox: 'ada', Domain: 'elsewhere.example', Params: '' },
    ])
    assert.deepEqual([Raw.From, Raw.To], ['shop@example.com', ['ada@elsewhere.example']])
    assert.equal(Content.Headers.Subject[0], 'One')
    assert.equal(Content.Body, 'x')
    assert.match(Raw.Data, /\r\n\r\nx$/)
    assert.equal((await api.get(`/api/v1/messages/${ID}`)).body.ID, ID)
    assert.equal((await api.get('/api/v1/messages/msg_unknown')).text, 'null')
    assert.equal((await api.get('/mailhog/api/v1/messages')).body[0].ID, ID)
    assert.match((await api.get(`/api/v1/messages/${ID}/download`)).text, /Subject: One/)
    assert.equal((await api.get('/api/v2/search?kind=body&query=x')).status, 400)
    const place = { host: '127.0.0.1', port: '25', email: 'ada@elsewhere.example' }
    const release = await api.post(`/api/v1/messages/${ID}/release`, place)
    assert.equal(release.status, 403)
  })

  it('refuses mail as Jim does, while he is invited', async () => {
    const service = await catchAll()
    const api = createApiClient(service.httpUrl, null)
    const statusOf = async (call: Promise<{ readonly status: number }>) => (await call).status
    const mail = { to: 'ada@elsewhere.example', text: 'x' }
    const jim = '/api/v2/jim'
    const put = (body: unknown) => api.send('PUT', jim, { rawBody: JSON.stringify(body) })
    assert.equal(await statusOf(api.get(jim)), 404)
    assert.equal(await statusOf(put({ RejectSenderChance: 1 })), 404)
    assert.equal(await statusOf(api.delete(jim)), 404)
    const rejecting = { DisconnectChance: 0, AcceptChance: 1, RejectSenderChance: 1 }
    assert.equal(await statusOf(api.post(jim, rejecting)), 201)
    assert.equal(await statusOf(api.post(jim, rejecting)), 400)
    await assert.rejects(send(service, mail), { command: 'MAIL FROM', responseCode: 550 })
    assert.equal(await statusOf(put({ rejectRecipientChance: 1 })), 200)
    await assert.rejects(send(service, mail), { command: 'RCPT TO', responseCode: 550 })
    assert.deepEqual((await api.get('/mailhog/api/v2/jim')).body, {
      DisconnectChance: 0,
      AcceptChance: 1,
      LinkSpeedAffect: 0,
      LinkSpeedMin: 1024,
      LinkSpeedMax: 10_240,
      RejectSenderChance: 0,
      RejectRecipientChance: 1,
      RejectAuthChance: 0,
    })
    assert.equal(await statusOf(put({ RejectSenderChance: 'often' })), 400)
    assert.equal(await statusOf(api.delete(jim)), 200)
    await send(service, mail)
    assert.equal(await statusOf(api.post(jim)), 201)
    assert.equal((await api.get(jim)).body.RejectAuthChance, 0.05)
  })

  it('takes a key by HTTP Basic', async () => {
    const service = await keyed()
    const dev = await service.register()
    const project = await dev.inboxes.create({ catchAll: true })
    const auth = { user: project.id, pass: dev.key }
    await send(service, { to: 'ada@elsewhere.example', subject: 'Hi', text: 'x' }, auth)
    const mailhog = clientOf(service.httpUrl, `${project.id}:${dev.key}`)
    assert.equal((await mailhog.messages())?.items[0]?.subject, 'Hi')
    await assert.rejects(clientOf(service.httpUrl).messages())
  })
})
