import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createTransport, type SendMailOptions } from 'nodemailer'
import { CATCH_ALL_INBOX, LOCAL_ACCOUNT } from '../../src/features/rules/own-ids.ts'
import { openStore } from '../../src/store/open.ts'
import { onEachDatabase } from '../testing-databases.ts'
import { first } from '../testing-first.ts'
import { sharedService, startService, type TestService } from '../testing-start-service.ts'

/** Sends one mail with these credentials; the reply of the server to a refused one is thrown. */
async function sendAs(
  service: TestService,
  auth: { readonly user: string; readonly pass: string; readonly method?: string },
  mail: SendMailOptions = {},
): Promise<string> {
  const transport = createTransport({
    host: '127.0.0.1',
    port: service.smtpPort,
    authMethod: auth.method ?? 'PLAIN',
    auth: { user: auth.user, pass: auth.pass },
    tls: { rejectUnauthorized: false },
  })
  const defaults = { from: 'app@shop.example', to: 'ada@elsewhere.example', text: 'Hello' }
  return (await transport.sendMail({ ...defaults, ...mail })).response
}

onEachDatabase('a catch-all inbox', (create) => {
  const shared = sharedService(create)

  it('is created without a local part, never expires and keeps 500 messages', async () => {
    const service = await shared()
    const dev = await service.register()
    const { status, body } = await dev.post('/v1/inboxes', { catchAll: true })
    assert.equal(status, 201)
    assert.equal(body.inbox.expiresAt, null)
    assert.equal(body.inbox.catchAll, true)
    assert.equal(body.inbox.keepMessages, 500)
    assert.equal(body.inbox.state, 'active')
    assert.deepEqual((await dev.get(`/v1/inboxes/${body.inbox.id}`)).body, body.inbox)
    const listed = (await dev.inboxes.list({ state: 'active' })).inboxes.map(({ id }) => id)
    assert.deepEqual(listed, [body.inbox.id])

    const ordinary = await dev.inboxes.create()
    assert.equal(ordinary.catchAll, false)
    assert.equal(ordinary.keepMessages, null)

    const refused = [
      { catchAll: true, localPart: 'project' },
      { keepMessages: 10 },
      { catchAll: true, keepMessages: 0 },
      { catchAll: true, keepMessages: 1_001 },
    ]
    for (const request of refused) {
      const answer = await dev.post('/v1/inboxes', request)
      assert.equal(answer.status, 400, JSON.stringify(request))
      assert.equal(answer.body.error.code, 'invalid_parameter')
    }
  })

  it('gets everything that is sent with its credentials, one message a mail', async () => {
    const service = await shared()
    const dev = await service.register()
    const project = await dev.inboxes.create({ catchAll: true })
    const other = await dev.inboxes.create()
    const to = ['ada@elsewhere.example', 'Bob <bob@shop.example>', other.emailAddress]
    const reply = await sendAs(service, { user: project.id, pass: dev.key }, { to, subject: 'All' })
    assert.match(reply, /^250/)
    const { messages } = await project.listMessages()
    assert.equal(messages.length, 1)
    assert.equal(first(messages).recipient, 'ada@elsewhere.example')
    const message = await project.readMessage(first(messages).id)
    assert.equal(message.subject, 'All')
    assert.equal(message.envelope.rcptTo, 'ada@elsewhere.example')
    const recipients = ['ada@elsewhere.example', 'bob@shop.example', other.emailAddress]
    assert.deepEqual(message.recipients, recipients)
    assert.equal((await other.listMessages()).messages.length, 0)
    const dialogue = (await project.readTranscript(message.id)).join('\n')
    for (const address of recipients) assert.match(dialogue, new RegExp(`RCPT TO:<${address}>`))
    assert.doesNotMatch(dialogue, new RegExp(dev.key))

    // In everything else it is an inbox like others.
    const waited = await project.waitForMessage({ subject: 'All', timeoutSeconds: 0 })
    assert.equal(waited.id, message.id)
    const { events } = await project.diagnose()
    assert.ok(events.some(({ stage }) => stage === 'message.stored'))
  })

  it('is named by its address, too, and by PLAIN and LOGIN', async () => {
    const service = await shared()
    const dev = await service.register()
    const project = await dev.inboxes.create({ catchAll: true })
    const user = project.emailAddress.toUpperCase()
    await sendAs(service, { user, pass: dev.key, method: 'LOGIN' })
    await sendAs(service, { user, pass: dev.key, method: 'PLAIN' })
    assert.equal((await project.listMessages()).messages.length, 2)
  })

  it('gets mail to its own address without credentials, and no other', async () => {
    const service = await shared()
    const dev = await service.register()
    const project = await dev.inboxes.create({ catchAll: true })
    const to = [project.emailAddress, 'ada@elsewhere.example']
    const { recipients } = await service.sendMail({ to })
    assert.match(recipients[1] ?? '', /^550/)
    const { messages } = await project.listMessages()
    const message = await project.readMessage(first(messages).id)
    assert.deepEqual(message.recipients, [project.emailAddress])
  })

  it('refuses wrong credentials with 535, and says so in its diagnostics', async () => {
    const service = await shared()
    const dev = await service.register()
    const project = await dev.inboxes.create({ catchAll: true })
    const ordinary = await dev.inboxes.create()
    const stranger = await service.register()
    const wrong = [
      { user: project.id, pass: stranger.key },
      { user: project.id, pass: `${dev.key.slice(0, -1)}?` },
      { user: 'inb_unknown', pass: dev.key },
      { user: ordinary.id, pass: dev.key },
    ]
    for (const auth of wrong) {
      await assert.rejects(sendAs(service, auth), /535 5\.7\.8/, JSON.stringify(auth))
    }
    const told = (await project.diagnose()).events.filter(({ stage }) => stage === 'smtp.refused')
    assert.equal(told.length, 2)
    assert.match(told[0]?.detail ?? '', /535 5\.7\.8 .+not a key of this account/)
    const { events, nextSteps } = await ordinary.diagnose()
    assert.match(events.at(-1)?.detail ?? '', /not a catch-all inbox/)
    assert.match(nextSteps.join(), /catchAll: true/)
  })

  it('accepts, on a loopback address, logins that are of no inbox and no key', async () => {
    const service = await shared()
    const inbox = await (await service.register()).inboxes.create()
    const login = { user: 'app@shop.example', pass: 'secret' }
    await sendAs(service, login, { to: inbox.emailAddress })
    assert.equal((await inbox.listMessages()).messages.length, 1)
    await assert.rejects(sendAs(service, login), /550 5\.1\.1 No inbox has this address \(Mayfly/)
    const env = { MAYFLY_SMTP_HOST: '0.0.0.0' }
    await using open = await startService({ env })
    await assert.rejects(sendAs(open, login), /535 5\.7\.8/)
  })

  it('stops to take mail in an open session once its key is revoked', async () => {
    const service = await shared()
    const dev = await service.register()
    const project = await dev.inboxes.create({ catchAll: true })
    const { apiKey, key } = await dev.keys.create({ name: 'smtp' })
    const transport = createTransport({
      host: '127.0.0.1',
      port: service.smtpPort,
      pool: true,
      maxConnections: 1,
      auth: { user: project.id, pass: apiKey },
    })
    const mail = { from: 'app@shop.example', to: 'ada@elsewhere.example', text: 'Hello' }
    await transport.sendMail(mail)
    await dev.keys.revoke(key.id)
    await assert.rejects(transport.sendMail(mail), /550/)
    transport.close()
    assert.equal((await project.listMessages()).messages.length, 1)
  })

  it('keeps the newest messages, and counts them', async () => {
    const service = await shared()
    const dev = await service.register()
    const project = await dev.inboxes.create({ catchAll: true, keepMessages: 2 })
    for (const subject of ['one', 'two', 'three', 'four']) {
      await sendAs(service, { user: project.id, pass: dev.key }, { subject })
    }
    const { messages } = await project.listMessages()
    assert.deepEqual(
      messages.map(({ subject }) => subject),
      ['four', 'three'],
    )
    const { messageCount, unreadCount, watermark } = await dev.inboxes.get(project.id)
    assert.deepEqual([messageCount, unreadCount, watermark], [2, 2, '4'])
    await project.markRead(first(messages).id)
    await sendAs(service, { user: project.id, pass: dev.key }, { subject: 'five' })
    await sendAs(service, { user: project.id, pass: dev.key }, { subject: 'six' })
    const after = await dev.inboxes.get(project.id)
    assert.deepEqual([after.messageCount, after.unreadCount], [2, 2])
  })

  it('takes a mail of 100 recipients as one message', async () => {
    const service = await shared()
    const dev = await service.register()
    const project = await dev.inboxes.create({ catchAll: true })
    const to = Array.from({ length: 100 }, (_, i) => `user${i}@elsewhere.example`)
    await sendAs(service, { user: project.id, pass: dev.key }, { to })
    const { messages } = await project.listMessages()
    assert.equal(messages.length, 1)
    assert.deepEqual((await project.readMessage(first(messages).id)).recipients, to)
  })

  it('is limited in number by the plan', async () => {
    await using database = await create()
    await using service = await startService({
      database,
      env: { MAYFLY_DEFAULT_PLAN: 'key_only' },
    })
    const dev = await service.register()
    await dev.inboxes.create({ catchAll: true })
    const second = await dev.post('/v1/inboxes', { catchAll: true })
    assert.equal(second.status, 403)
    assert.equal(second.body.error.code, 'plan_limit')
    assert.match(second.body.error.message, /includes 1 catch-all inbox\. Delete one first/)
    const more = await dev.post('/v1/inboxes', { catchAll: true, keepMessages: 501 })
    assert.equal(more.body.error.code, 'plan_limit')
  })

  it('works over TLS, and beside credentials that are accepted whatever they are', async () => {
    await using database = await create()
    await using service = await startService({
      database,
      env: { MAYFLY_SMTP_TLS: 'self-signed', MAYFLY_SMTP_ACCEPT_ANY_AUTH: 'true' },
    })
    const dev = await service.register()
    const project = await dev.inboxes.create({ catchAll: true })
    const ordinary = await dev.inboxes.create()
    await sendAs(service, { user: project.id, pass: dev.key })
    const [summary] = (await project.listMessages()).messages
    assert.equal((await project.readMessage(summary?.id ?? '')).envelope.tls, 'TLSv1.3')
    await sendAs(service, { user: 'any', pass: 'thing' }, { to: ordinary.emailAddress })
    assert.equal((await ordinary.listMessages()).messages.length, 1)
    await assert.rejects(sendAs(service, { user: 'any', pass: 'thing' }), /550/)
  })
})

/** The recipients of each message in the inbox for mail without credentials. */
async function catchAllRecipients(url: string): Promise<string[][]> {
  const store = await openStore({ url, exclusive: false, existing: true })
  try {
    const page = { limit: 10, before: null, after: 0 }
    const listed = await store.messages.list(LOCAL_ACCOUNT, CATCH_ALL_INBOX, page)
    const messages = await Promise.all(
      listed.map(({ id }) => store.messages.find(LOCAL_ACCOUNT, CATCH_ALL_INBOX, id)),
    )
    return messages.map((message) => message?.recipients ?? [])
  } finally {
    await store.close()
  }
}

onEachDatabase('MAYFLY_CATCH_ALL', (create) => {
  const env = { MAYFLY_CATCH_ALL: 'on' }

  it('takes mail without credentials for addresses that no inbox has', async () => {
    await using database = await create()
    await using service = await startService({ database, env, hasLocalAccount: true })
    const dev = await service.register()
    const inbox = await dev.inboxes.create()
    const to = [inbox.emailAddress, 'ada@elsewhere.example', '"a b"@elsewhere.example']
    const { recipients } = await service.sendMail({ to, subject: 'Mixed' })
    assert.ok(recipients.every((reply) => reply.startsWith('250')))
    const own = (await inbox.listMessages()).messages
    assert.deepEqual((await inbox.readMessage(first(own).id)).recipients, [inbox.emailAddress])
    const dialogue = (await inbox.readTranscript(first(own).id)).join('\n')
    assert.doesNotMatch(dialogue, /elsewhere/)

    assert.deepEqual(await catchAllRecipients(database.url), [
      ['ada@elsewhere.example', '"a b"@elsewhere.example'],
    ])
  })

  it('is refused on a public address, and where there is no local account', async () => {
    const start = (added: Record<string, string>) =>
      startService({ env: { ...env, ...added }, hasLocalAccount: true })
    await assert.rejects(start({ MAYFLY_HTTP_HOST: '0.0.0.0' }), /loopback/)
    await assert.rejects(start({ MAYFLY_SMTP_HOST: '0.0.0.0' }), /loopback/)
    await assert.rejects(startService({ env }), /needs the local account/)
    await assert.rejects(start({ MAYFLY_CATCH_ALL: 'yes' }), /must be off, on or open/)
  })
})
