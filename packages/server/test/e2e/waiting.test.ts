import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { WaitOptions } from '@mayfly/client'
import { testClock } from '../testing-clock.ts'
import { onEachDatabase } from '../testing-databases.ts'
import { openEvents } from '../testing-event-stream.ts'
import { sharedService, startService } from '../testing-start-service.ts'

onEachDatabase('waiting', (create) => {
  const shared = sharedService(create)

  it('wakes with the mail that arrives later', async () => {
    const service = await shared()
    const dev = await service.register()
    const inbox = await dev.inboxes.create()
    const waiting = dev.get(`/v1/inboxes/${inbox.id}/wait?timeoutSeconds=20`)
    await service.sendMail({ to: inbox.emailAddress, subject: 'at last' })
    const { status, body } = await waiting
    assert.equal(status, 200)
    assert.equal(body.message.subject, 'at last')
    assert.equal(body.message.text.trim(), 'Hello')
    assert.equal('otp' in body, false)
  })

  it('answers with what is read later', async () => {
    const service = await shared()
    const dev = await service.register()
    const html = 'Subject: at last\r\nContent-Type: text/html\r\n\r\n<p>Hello'
    for (const mail of [{ subject: 'at last', text: 'Your code is 048151.' }, { raw: html }]) {
      const inbox = await dev.inboxes.create()
      const waiting = dev.get(`/v1/inboxes/${inbox.id}/wait?timeoutSeconds=20`)
      await service.sendMail({ to: inbox.emailAddress, ...mail })
      const { auth: _, ...answered } = (await waiting).body.message
      const read = await dev.get(`/v1/inboxes/${inbox.id}/messages/${answered.id}`)
      const { auth: __, ...expected } = read.body
      assert.deepEqual(answered, expected)
      assert.equal(expected.subject, 'at last')
    }
  })

  it('wakes with the code, past mail that has none', async () => {
    const service = await shared()
    const dev = await service.register()
    const inbox = await dev.inboxes.create()
    const plain = dev.get(`/v1/inboxes/${inbox.id}/wait?for=otp&timeoutSeconds=20`)
    const waiting = inbox.waitForOtp({ timeoutSeconds: 20 })
    await service.sendMail({ to: inbox.emailAddress, subject: 'Welcome', text: 'Order 123456.' })
    const text = 'Your verification code is 048151. It expires in 10 minutes.'
    await service.sendMail({ to: inbox.emailAddress, subject: 'Sign in', text })
    const { message, ...otp } = await waiting
    assert.equal(otp.value, '048151')
    assert.ok(otp.confidence > 0.9 && otp.confidence <= 1)
    assert.equal(message.hasOtp, true)
    const { status, body } = await plain
    assert.equal(status, 200)
    assert.deepEqual([body.otp, body.message.otp, body.message.id], [otp, otp, message.id])
    const explained = await inbox.explainOtp(message.id)
    assert.deepEqual(explained.otp, otp)
    assert.equal(explained.candidates[0]?.value, '048151')
    assert.ok(explained.candidates[0].reasonsFor.length > 0)
  })

  it('counts what is there already, the newest of several', async () => {
    const service = await shared()
    const dev = await service.register()
    const inbox = await dev.inboxes.create()
    for (const subject of ['one', 'two', 'three']) {
      await service.sendMail({ to: inbox.emailAddress, subject })
    }
    assert.equal((await inbox.waitForMessage({ timeoutSeconds: 0 })).subject, 'three')
  })

  it('filters by since, watermark, sender, subject and text', async () => {
    await using database = await create('mayfly_january')
    const clock = testClock(Date.UTC(2026, 0, 31))
    await using service = await startService({ database, clock })
    const dev = await service.register()
    const inbox = await dev.inboxes.create()
    await service.sendMail({ to: inbox.emailAddress, subject: 'First', text: 'alpha beta' })
    const { watermark } = await inbox.refresh()
    clock.ms += 1000
    await service.sendMail({ to: inbox.emailAddress, subject: 'Second', text: 'Gamma' })
    const look = async (options: WaitOptions) =>
      (await inbox.waitForMessage({ ...options, timeoutSeconds: 0 })).subject
    const nothing = { name: 'EmailTimeoutError' }
    assert.equal(await look({ since: '2026-01-31T00:00:01.000Z' }), 'Second')
    assert.equal(await look({ since: '2026-01-31T01:00:01+01:00' }), 'Second')
    await assert.rejects(look({ since: '2026-01-31T00:00:01.001Z' }), nothing)
    assert.equal(await look({ after: watermark }), 'Second')
    await assert.rejects(look({ after: '2' }), nothing)
    assert.equal(await look({ subject: 'fIRST' }), 'First')
    assert.equal(await look({ text: 'Alpha B' }), 'First')
    assert.equal(await look({ from: 'APP@example' }), 'Second')
    await assert.rejects(look({ from: 'nobody' }), nothing)
    await assert.rejects(inbox.waitForOtp({ timeoutSeconds: 0 }), nothing)
    await assert.rejects(look({ since: 'yesterday' }), { status: 400 })
    await assert.rejects(look({ after: 'x' }), { status: 400 })
    for (const query of [
      'for=sms&timeoutSeconds=0',
      'timeoutSeconds=51',
      'timeoutSeconds=-1',
      'timeoutSeconds=1.5',
    ]) {
      assert.equal((await dev.get(`/v1/inboxes/${inbox.id}/wait?${query}`)).status, 400, query)
    }
  })

  it('finds what arrives after a watermark that a restored backup does not have', async () => {
    const service = await shared()
    const dev = await service.register()
    const inbox = await dev.inboxes.create()
    for (const subject of ['one', 'two']) {
      await service.sendMail({ to: inbox.emailAddress, subject })
    }
    await using events = await openEvents(dev)
    const waiting = inbox.waitForMessage({ after: '9', timeoutSeconds: 20 })
    await events.next('wait.started')
    await service.sendMail({ to: inbox.emailAddress, subject: 'three' })
    assert.equal((await waiting).subject, 'three')
  })

  it('finds a message that is marked later', async () => {
    const service = await shared()
    const dev = await service.register()
    const inbox = await dev.inboxes.create()
    await service.sendMail({ to: inbox.emailAddress, subject: 'one' })
    await service.sendMail({ to: inbox.emailAddress, subject: 'two' })
    const [, one] = (await inbox.listMessages()).messages
    await using events = await openEvents(dev)
    const waiting = inbox.waitForMessage({ q: 'is:read', timeoutSeconds: 20 })
    await events.next('wait.started')
    const marked = await dev.send('PATCH', `/v1/inboxes/${inbox.id}/messages/${one?.id}`, {
      rawBody: '{"read":true}',
      headers: { 'content-type': 'application/json' },
    })
    assert.equal(marked.status, 200)
    assert.equal((await waiting).subject, 'one')
  })

  it('tells on 408 what did arrive and why it did not count', async () => {
    const service = await shared()
    const dev = await service.register()
    const inbox = await dev.inboxes.create()
    await service.sendMail({ to: inbox.emailAddress, subject: 'Newsletter' })
    const { status, body } = await dev.get(`/v1/inboxes/${inbox.id}/wait?for=otp&timeoutSeconds=1`)
    assert.equal(status, 408)
    assert.equal(body.error.code, 'nothing_arrived')
    assert.equal(body.diagnostics.state, 'active')
    assert.deepEqual(
      body.diagnostics.considered.map((one: { subject: string; reason: string }) => [
        one.subject,
        one.reason,
      ]),
      [['Newsletter', 'no one-time code was found in it']],
    )
    assert.ok(body.diagnostics.nextSteps[0].includes('Newsletter'))
  })

  it('finds the code of a known form, and tells what was almost given', async () => {
    const service = await shared()
    const dev = await service.register()
    const inbox = await dev.inboxes.create()
    const text = 'Your sign-in code is 482913. On your TV, type K7QX2M9R instead. Ten minutes.'
    await service.sendMail({ to: inbox.emailAddress, subject: 'Your sign-in code', text })
    const wait = (query: string) => dev.get(`/v1/inboxes/${inbox.id}/wait?for=otp&${query}`)
    for (const [otpFormat, value] of [
      ['999-999', '482913'],
      ['AAAA-AAAA', 'K7QX2M9R'],
    ] as const) {
      const { status, body } = await wait(`timeoutSeconds=0&otpFormat=${otpFormat}`)
      assert.equal(status, 200)
      assert.deepEqual([body.otp.value, body.message.otp], [value, body.otp])
      const found = await inbox.waitForOtp({ otpFormat, text: /sign-in/, timeoutSeconds: 0 })
      assert.equal(found.value, value)
      const run = await inbox.check([{ type: 'otpPresent', otpFormat }], { timeoutSeconds: 0 })
      assert.match(run.results[0]?.detail ?? '', new RegExp(`found ${value}`))
      const message = await inbox.readMessage(body.message.id, { otpFormat })
      assert.equal(message.otp?.value, value)
    }
    const { status, body } = await wait('timeoutSeconds=0&otpFormat=9999')
    assert.equal(status, 408)
    assert.match(
      body.diagnostics.considered[0].reason,
      /^no one-time code of the form 9999 was found in it; likely \w+ \(0\.\d\d\), /,
    )
    const failed = await inbox.check([{ type: 'otpPresent', otpFormat: '9999' }])
    assert.match(failed.results[0]?.detail ?? '', /^no one-time code of the form 9999 was found/)
  })

  it('refuses a form that is none', async () => {
    const service = await shared()
    const dev = await service.register()
    const inbox = await dev.inboxes.create()
    for (const otpFormat of ['99', '123456', 'AAAA--AAAA', 'x'.repeat(40), '-999999']) {
      const path = `/v1/inboxes/${inbox.id}/wait?for=otp&timeoutSeconds=0&otpFormat=${otpFormat}`
      const { status, body } = await dev.get(path)
      assert.equal(status, 400, otpFormat)
      assert.match(body.error.message, /otpFormat: must be made of 3 to 16 signs, 9 for a digit/)
    }
  })

  it('tells the likeliest value of a mail without a code', async () => {
    const service = await shared()
    const dev = await service.register()
    const inbox = await dev.inboxes.create()
    const text = 'Thank you for your order 730528. Confirm your address with code 48.'
    await service.sendMail({ to: inbox.emailAddress, subject: 'Your order and code', text })
    const { body } = await dev.get(`/v1/inboxes/${inbox.id}/wait?for=otp&timeoutSeconds=0`)
    const { reason } = body.diagnostics.considered[0]
    assert.match(reason, /^no one-time code was found in it/)
    const { candidates } = await inbox.explainOtp(body.diagnostics.considered[0].id)
    const [best] = candidates
    const isLikely = (best?.confidence ?? 0) >= 0.01
    assert.equal(reason.includes(`likely ${best?.value} (`), isLikely, reason)
  })

  it('ends with 404 when the inbox is deleted, or is not there', async () => {
    const service = await shared()
    const dev = await service.register()
    const other = await service.register()
    const inbox = await dev.inboxes.create()
    const path = `/v1/inboxes/${inbox.id}/wait?timeoutSeconds=20`
    assert.equal((await other.get(path)).status, 404)
    const ended = assert.rejects(inbox.waitForMessage({ timeoutSeconds: 20 }), {
      status: 404,
      code: 'inbox_not_found',
    })
    await inbox.refresh()
    await inbox.delete()
    await ended
  })

  it('answers held waits with 503 when the service stops', async () => {
    await using database = await create()
    const service = await startService({ database })
    const dev = await service.register()
    const inbox = await dev.inboxes.create()
    const waiting = dev.get(`/v1/inboxes/${inbox.id}/wait?timeoutSeconds=50`)
    // A second request is answered after the first was taken in.
    await dev.get('/v1/account')
    await service[Symbol.asyncDispose]()
    const { status, body, headers } = await waiting
    assert.deepEqual([status, body.error.code], [503, 'shutting_down'])
    assert.ok(Number(headers['retry-after']) > 0)
  })

  it('ends at once on an inbox that accepts no mail, with the reason', async () => {
    const clock = testClock(Date.UTC(2026, 0, 31))
    await using database = await create('mayfly_january')
    await using service = await startService({ database, clock })
    const dev = await service.register()
    const inbox = await dev.inboxes.create({ ttlSeconds: 600 })
    await service.sendMail({ to: inbox.emailAddress, subject: 'Before' })
    clock.ms += 600_000
    const wait = (query: string) => dev.get(`/v1/inboxes/${inbox.id}/wait?${query}`)
    assert.equal((await wait('timeoutSeconds=50')).body.message.subject, 'Before')
    // Without a limit of its own this call would take longer than the test may.
    const { status, body } = await wait('timeoutSeconds=50&subjectContains=After')
    assert.deepEqual([status, body.error.code], [408, 'nothing_arrived'])
    assert.match(String(body.diagnostics.nextSteps), /The inbox expired at/)
  })

  it('wakes a waiter on another node', async (context) => {
    await using database = await create()
    if (database.url.startsWith('sqlite')) return context.diagnostic('one node only')
    // Only the announcement wakes it.
    const mailPollMs = 60_000
    await using one = await startService({ database, mailPollMs })
    await using two = await startService({ database, mailPollMs })
    const dev = await one.register()
    const inbox = await dev.inboxes.create()
    const waiting = inbox.waitForMessage({ timeoutSeconds: 20 })
    await two.sendMail({ to: inbox.emailAddress, subject: 'from afar' })
    assert.equal((await waiting).subject, 'from afar')
  })
})
