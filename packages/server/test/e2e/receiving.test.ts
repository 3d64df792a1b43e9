import assert from 'node:assert/strict'
import { it } from 'node:test'
import { testClock } from '../testing-clock.ts'
import { onEachDatabase } from '../testing-databases.ts'
import { first } from '../testing-first.ts'
import { sharedService, startService } from '../testing-start-service.ts'

onEachDatabase('receiving', (create) => {
  const shared = sharedService(create)

  it('shortens a subject and a sender that are too long for a list', async () => {
    const service = await shared()
    const dev = await service.register()
    const inbox = await dev.inboxes.create()
    const long = `${'x'.repeat(900)}\r\n `.repeat(50)
    const raw = `From: "${long}" <app@example.com>\r\nSubject: ${long}\r\n\r\nHello\r\n`
    await service.sendMail({ to: inbox.emailAddress, raw })
    const { text, body } = await dev.get(`/v1/inboxes/${inbox.id}/messages`)
    assert.ok(text.length < 4_000, `${text.length} characters`)
    const [{ id, subject }] = body.messages
    assert.equal(subject.length, 998)
    const { headers } = await inbox.readMessage(id)
    const whole = headers.find(({ name }) => name === 'Subject')?.value ?? ''
    assert.ok(whole.length > 40_000, `${whole.length} characters`)
  })

  it('stores a mail that can be listed and read whole', async () => {
    const service = await shared()
    const dev = await service.register()
    const inbox = await dev.inboxes.create({ localPart: 'reader' })
    await service.sendMail({
      from: 'bounce@example.com',
      to: inbox.emailAddress,
      raw: [
        'From: "App, Inc." <app@example.com>',
        'To: Reader <reader@mayfly.test>, other@example.com',
        'Cc: copy@example.com',
        'Reply-To: help@example.com',
        'Date: Sat, 31 Jan 2026 10:00:00 +0100',
        'Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?=',
        '',
        'Please confirm: https://example.com/confirm?t=1',
        '',
      ].join('\r\n'),
    })

    const { messages, nextCursor } = await inbox.listMessages()
    assert.equal(nextCursor, null)
    assert.equal(messages.length, 1)
    const summary = first(messages)
    assert.match(summary.id, /^msg_[0-9a-z]{26}$/)
    assert.deepEqual(summary.from, { name: 'App, Inc.', address: 'app@example.com' })
    assert.equal(summary.subject, 'Grüße')
    assert.equal(summary.preview, 'Please confirm: https://example.com/confirm?t=1')
    assert.deepEqual([summary.hasAttachments, summary.hasOtp], [false, false])

    const message = await inbox.readMessage(summary.id)
    assert.deepEqual({ ...message, ...summary }, message)
    assert.equal(message.inboxId, inbox.id)
    assert.deepEqual(message.to[0], { name: 'Reader', address: 'reader@mayfly.test' })
    assert.deepEqual(message.cc, [{ name: null, address: 'copy@example.com' }])
    assert.deepEqual(message.replyTo, [{ name: null, address: 'help@example.com' }])
    assert.equal(message.sentAt, '2026-01-31T09:00:00.000Z')
    assert.equal(message.html, null)
    assert.deepEqual(
      message.links.map(({ url }) => url),
      ['https://example.com/confirm?t=1'],
    )
    const [returnPath, received] = message.headers
    assert.deepEqual(returnPath, { name: 'Return-Path', value: '<bounce@example.com>' })
    assert.equal(received?.name, 'Received')
    assert.deepEqual(message.envelope, {
      mailFrom: 'bounce@example.com',
      rcptTo: 'reader@mayfly.test',
      remoteAddress: '127.0.0.1',
      helo: 'client.example',
      tls: null,
    })
    const raw = await dev.get(`/v1/inboxes/${inbox.id}/messages/${summary.id}/raw`)
    assert.equal(raw.headers['content-type'], 'message/rfc822')
    assert.equal(Buffer.byteLength(raw.text), message.sizeBytes)
    assert.match(raw.text, /^Return-Path: <bounce@example\.com>\r\nReceived: from client\.example/)
    assert.equal((await inbox.refresh()).messageCount, 1)
  })

  it('reaches an inbox by any capitals and any tag, and each of several recipients once', async () => {
    const service = await shared()
    const alice = await service.register()
    const bob = await service.register()
    const a = await alice.inboxes.create({ localPart: 'alice' })
    const b = await bob.inboxes.create({ localPart: 'bob' })
    const to = [
      'Alice@MAYFLY.test',
      'alice+tag@mayfly.test',
      'BOB+x@mayfly.test',
      'carol@mayfly.test',
    ]
    const answer = await service.sendMail({ to, subject: 'for all', text: 'x'.repeat(100_000) })
    assert.deepEqual(
      answer.recipients.map((reply) => reply.slice(0, 3)),
      ['250', '250', '250', '550'],
    )
    const one = first((await a.listMessages()).messages)
    const two = first((await b.listMessages()).messages)
    assert.equal((await a.refresh()).messageCount, 1)
    assert.notEqual(one.id, two.id)
    const whole = await b.readMessage(two.id)
    assert.equal(whole.envelope.rcptTo, 'BOB+x@mayfly.test')

    // The mail is stored once; it stays for Bob when Alice's inbox goes.
    await a.delete()
    assert.ok((await b.readRaw(two.id)).length > 100_000)
    assert.equal((await alice.get(`/v1/inboxes/${b.id}/messages/${two.id}`)).status, 404)
  })

  it('refuses unknown, expired, suspended and deleted inboxes with one text', async () => {
    await using database = await create('mayfly_january')
    const clock = testClock(Date.UTC(2026, 0, 31))
    await using service = await startService({ database, clock })
    const dev = await service.register()
    const make = (localPart: string) => dev.inboxes.create({ localPart, ttlSeconds: 600 })
    await make('expired')
    const deleted = await make('deleted')
    await deleted.delete()
    clock.ms += 600_000
    await dev.inboxes.create({ localPart: 'active' })
    const names = ['unknown', 'expired', 'deleted', 'active']
    const [answer] = await service.sendMails([{ to: names.map((name) => `${name}@mayfly.test`) }])
    const [unknown, expired, gone, active] = answer?.recipients ?? []
    assert.match(String(unknown), /^550 5\.1\.1 /)
    assert.equal(expired, unknown)
    assert.equal(gone, unknown)
    assert.match(String(active), /^250 /)
  })

  it('stores a mail that does not parse, with its defects', async () => {
    const service = await shared()
    const dev = await service.register()
    const inbox = await dev.inboxes.create()
    await service.sendMail({ to: inbox.emailAddress, raw: Buffer.from([0xff, 0xfe, 0x00, 0x80]) })
    const summary = first((await inbox.listMessages()).messages)
    assert.equal(summary.subject, null)
    const message = await inbox.readMessage(summary.id)
    assert.ok(message.sizeBytes > 4)
  })

  it('holds 1,000 messages an inbox and refuses the next with 452', async () => {
    const service = await shared()
    const dev = await service.register()
    const inbox = await dev.inboxes.create()
    const mail = { to: inbox.emailAddress, text: 'x' }
    const connections = await Promise.all(
      Array.from({ length: 10 }, () => service.sendMails(Array(102).fill(mail))),
    )
    const taken = connections.flat().filter(({ mail: reply }) => reply?.startsWith('250') === true)
    assert.equal(taken.length, 1000)
    const refused = connections.flat().find(({ mail: reply }) => reply?.startsWith('250') !== true)
    assert.match(String(refused?.mail ?? refused?.recipients[0]), /^452 4\.2\.2 /)
    assert.equal((await inbox.refresh()).messageCount, 1000)
  })

  it('pages through messages newest first, undisturbed by mail that arrives', async () => {
    const service = await shared()
    const dev = await service.register()
    const inbox = await dev.inboxes.create()
    const mails = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, i) => ({
        to: inbox.emailAddress,
        subject: `mail ${from + i}`,
      }))
    await service.sendMails(mails(0, 7))
    const seen: (string | null)[] = []
    let cursor: string | undefined
    do {
      const page = await inbox.listMessages({ limit: 3, cursor })
      seen.push(...page.messages.map(({ subject }) => subject))
      cursor = page.nextCursor ?? undefined
      await service.sendMails(mails(100, 101))
    } while (cursor !== undefined)
    assert.deepEqual(
      seen,
      [6, 5, 4, 3, 2, 1, 0].map((i) => `mail ${i}`),
    )
    const invalid = { status: 400, code: 'invalid_parameter' }
    await assert.rejects(inbox.listMessages({ limit: 3, cursor: 'nonsense' }), invalid)
    await assert.rejects(inbox.listMessages({ limit: 101 }), invalid)
    await assert.rejects(inbox.listMessages({ limit: 0 }), invalid)
  })

  it('lists only what arrived after a watermark', async () => {
    const service = await shared()
    const dev = await service.register()
    const inbox = await dev.inboxes.create()
    await service.sendMail({ to: inbox.emailAddress, subject: 'before' })
    const { watermark } = await inbox.refresh()
    const list = () => inbox.listMessages({ limit: 1, after: watermark })
    assert.deepEqual(await list(), { messages: [], nextCursor: null })
    await service.sendMail({ to: inbox.emailAddress, subject: 'after' })
    const { messages, nextCursor } = await list()
    assert.deepEqual([messages[0]?.subject, nextCursor], ['after', null])
    await assert.rejects(inbox.listMessages({ after: 'x' }), { status: 400 })
  })

  it("answers 404 to another account's messages, as to unknown ones", async () => {
    const service = await shared()
    const alice = await service.register()
    const bob = await service.register()
    const inbox = await alice.inboxes.create()
    await service.sendMail({ to: inbox.emailAddress })
    const { id } = first((await inbox.listMessages()).messages)
    for (const tail of ['', `/${id}`, `/${id}/raw`, `/${id}/attachments/att_x`]) {
      const foreign = await bob.get(`/v1/inboxes/${inbox.id}/messages${tail}`)
      const unknown = await bob.get(`/v1/inboxes/inb_nothing/messages${tail}`)
      assert.equal(foreign.status, 404)
      assert.deepEqual(foreign.body, unknown.body)
    }
    await assert.rejects(inbox.readMessage('msg_nothing'), { code: 'message_not_found' })
  })

  it("takes mail to postmaster and abuse into the operator's inbox", async () => {
    const service = await shared()
    for (const to of ['postmaster', 'Postmaster@mayfly.test', 'abuse@private.mayfly.test']) {
      await service.sendMail({ to })
    }
  })

  it('refuses mail to postmaster and abuse of domains that are not ours', async () => {
    const service = await shared()
    const to = ['postmaster@elsewhere.example', 'abuse+x@mayfly.test.example']
    const [answer] = await service.sendMails([{ to }])
    for (const reply of answer?.recipients ?? []) assert.match(reply, /^550 5\.1\.1 /)
  })

  it('starts on an existing store whose first domain is no longer the first', async () => {
    await using database = await create()
    const first = await startService({ database })
    await first.sendMail({ to: 'postmaster@mayfly.test' })
    await first[Symbol.asyncDispose]()
    const env = { MAYFLY_DOMAINS: 'newer.test,mayfly.test' }
    await using service = await startService({ database, env })
    await service.sendMail({ to: ['postmaster@newer.test', 'abuse@mayfly.test'] })
  })
})
