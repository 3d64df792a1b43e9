import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { ApiClient } from '../testing-api-client.ts'
import { onEachDatabase } from '../testing-databases.ts'
import { createReceivers } from '../testing-receiver.ts'
import { sharedService, startService } from '../testing-start-service.ts'
import { until } from '../testing-until.ts'

async function diagnose(dev: ApiClient, inboxId: string) {
  const { status, body } = await dev.get(`/v1/inboxes/${inboxId}/diagnostics`)
  assert.equal(status, 200)
  return {
    ...body,
    stages: body.events.map((event: { stage: string }) => event.stage),
  }
}

onEachDatabase('diagnostics', (create) => {
  const shared = sharedService(create)

  it('tell the way of a mail, oldest first', async () => {
    const service = await shared()
    const dev = await service.register()
    const { inbox } = (await dev.post('/v1/inboxes')).body
    await service.sendMail({ to: inbox.emailAddress, subject: 'Hi' })
    const found = await diagnose(dev, inbox.id)
    assert.equal(found.state, 'active')
    assert.deepEqual(found.domain, { domain: 'mayfly.test', status: 'active' })
    assert.deepEqual(found.stages, ['inbox.created', 'smtp.accepted', 'message.stored'])
    assert.match(found.events[1].detail, /from <app@example\.com> at 127\.0\.0\.1/)
    assert.match(found.events[2].detail, /"Hi"/)
    assert.deepEqual(found.nextSteps, [])
    const unknown = await dev.get('/v1/inboxes/inb_nothing/diagnostics')
    assert.deepEqual([unknown.status, unknown.body.error.code], [404, 'inbox_not_found'])
  })

  it('say that nothing has connected, or that it sent nothing for this inbox', async () => {
    await using database = await create()
    await using service = await startService({ database })
    const dev = await service.register()
    const { inbox } = (await dev.post('/v1/inboxes', { localPart: 'first' })).body
    const silent = await diagnose(dev, inbox.id)
    assert.match(silent.nextSteps[0], /^No mail client has connected since/)
    assert.match(silent.nextSteps[0], new RegExp(`127\\.0\\.0\\.1:${service.smtpPort}`))

    await service.sendMails([{ to: 'somebody.else.entirely@mayfly.test' }])
    const step = await until(async () => {
      const [first] = (await diagnose(dev, inbox.id)).nextSteps
      return /sent nothing for first@mayfly\.test/.test(first) ? first : null
    })
    assert.match(step, /^A mail client connected \d+ s ago/)
  })

  it('tell a mail that was refused because the inbox had expired', async () => {
    await using database = await create()
    let now = Date.UTC(2026, 0, 1, 14, 2)
    await using service = await startService({ database, clock: { now: () => now } })
    const dev = await service.register()
    const { inbox } = (await dev.post('/v1/inboxes', { ttlSeconds: 600 })).body
    now += 660_000
    await service.sendMails([{ to: inbox.emailAddress }])
    now += 5_000
    const found = await diagnose(dev, inbox.id)
    assert.equal(found.state, 'expired')
    assert.deepEqual(found.stages, ['inbox.created', 'inbox.expired', 'smtp.refused'])
    assert.match(found.events[2].detail, /^550 5\.1\.1 .*expired at 2026-01-01T14:12:00\.000Z/)
    assert.match(found.nextSteps[0], /expired at 2026-01-01T14:12:00\.000Z/)
    assert.match(found.nextSteps[1], /refused 5 s ago/)
  })

  it('tell a mail that was too large', async () => {
    await using database = await create()
    await using service = await startService({
      database,
      env: { MAYFLY_SMTP_MAX_MESSAGE_BYTES: '10000' },
    })
    const dev = await service.register()
    const { inbox } = (await dev.post('/v1/inboxes')).body
    const [answer] = await service.sendMails([{ to: inbox.emailAddress, text: 'x'.repeat(20_000) }])
    assert.match(String(answer?.mail), /^552 5\.3\.4/)
    const found = await until(async () => {
      const diagnostics = await diagnose(dev, inbox.id)
      return diagnostics.stages.includes('smtp.refused') ? diagnostics : null
    })
    assert.match(
      found.nextSteps[0],
      /552 5\.3\.4 .*too large: 0\.02 of 0\.01 MB.*Send a smaller mail\./,
    )
  })

  it('tell a mail whose address was a slip away', async () => {
    await using database = await create()
    let now = Date.UTC(2026, 0, 1)
    await using service = await startService({ database, clock: { now: () => now } })
    const dev = await service.register()
    const { inbox } = (await dev.post('/v1/inboxes', { localPart: 'john.doe' })).body
    const to = ['jon.doe@mayfly.test', 'john.doe@private.mayfly.test']
    await service.sendMails([{ from: 'victim@shop.example', to }])
    now += 12_000
    const found = await diagnose(dev, inbox.id)
    assert.deepEqual(found.stages, ['inbox.created', 'near.miss', 'near.miss'])
    const detail =
      'mail for jon.doe@mayfly.test was refused: 550 5.1.1 No such recipient here; this inbox is john.doe@mayfly.test'
    assert.ok(found.events.some((event: { detail: string }) => event.detail === detail))
    // The mail was not for this account: its sender is not told.
    assert.doesNotMatch(JSON.stringify(found), /victim|127\.0\.0\.1/)
    assert.ok(
      found.nextSteps.includes(
        'A mail for jon.doe@mayfly.test was refused 12 s ago; your inbox is john.doe@mayfly.test. Check the address that the application sends to.',
      ),
      JSON.stringify(found.nextSteps),
    )
  })

  it('do not tell of mail to domains and addresses of others', async () => {
    await using database = await create()
    let now = Date.UTC(2026, 0, 1)
    await using service = await startService({ database, clock: { now: () => now } })
    const spy = await service.register()
    const other = await service.register()
    const ttlSeconds = 604_800
    const { inbox } = (await spy.post('/v1/inboxes', { localPart: 'boss1', ttlSeconds })).body
    const held = (await other.post('/v1/inboxes', { localPart: 'boss' })).body.inbox
    await other.delete(`/v1/inboxes/${held.id}`)
    const to = ['boss@mayfly.test', 'boss1@elsewhere.example', 'boss1@mayfly.tst']
    await service.sendMails([{ to }])
    assert.deepEqual((await diagnose(spy, inbox.id)).stages, ['inbox.created'])

    now += 31 * 24 * 60 * 60 * 1000
    const later = (await spy.post('/v1/inboxes', { localPart: 'bosses' })).body.inbox
    await service.sendMails([{ to: 'bosse@mayfly.test' }, { to: 'boss@mayfly.test' }])
    assert.deepEqual((await diagnose(spy, later.id)).stages, ['inbox.created', 'near.miss'])
  })

  it('keep the newest 500 events', async () => {
    await using database = await create()
    let now = Date.UTC(2026, 0, 1)
    await using service = await startService({ database, clock: { now: () => now } })
    const dev = await service.register()
    const { inbox } = (await dev.post('/v1/inboxes', { ttlSeconds: 600 })).body
    now += 600_000
    for (let i = 0; i < 6; i++) {
      await service.sendMails(
        Array.from({ length: 90 }, () => {
          now += 1
          return { to: inbox.emailAddress }
        }),
      )
    }
    const found = await diagnose(dev, inbox.id)
    assert.equal(found.events.length, 500)
    assert.ok(found.stages.every((stage: string) => stage === 'smtp.refused'))
  })

  it('tell whether a webhook took the message', async () => {
    await using database = await create()
    await using receivers = await createReceivers()
    const good = await receivers.open()
    const bad = await receivers.open(500)
    await using service = await startService({ database, env: receivers.env })
    const dev = await service.register()
    for (const { url } of [good, bad]) await dev.post('/v1/webhooks', { url })
    const { inbox } = (await dev.post('/v1/inboxes')).body
    await service.sendMail({ to: inbox.emailAddress })
    const found = await until(async () => {
      const diagnostics = await diagnose(dev, inbox.id)
      return diagnostics.stages.includes('webhook.failed') &&
        diagnostics.stages.includes('webhook.delivered')
        ? diagnostics
        : null
    })
    const details = found.events.map((event: { detail: string }) => event.detail)
    assert.ok(details.includes(`attempt 1 to ${good.url}: 200`), details.join('\n'))
    assert.ok(details.includes(`attempt 1 to ${bad.url}: 500`), details.join('\n'))
  })

  it('show the SMTP dialogue of a message', async () => {
    const service = await shared()
    const dev = await service.register()
    const { inbox } = (await dev.post('/v1/inboxes')).body
    await service.sendMail({ to: inbox.emailAddress })
    const [{ id }] = (await dev.get(`/v1/inboxes/${inbox.id}/messages`)).body.messages
    const { body } = await dev.get(`/v1/inboxes/${inbox.id}/messages/${id}/transcript`)
    const text = body.lines.join('\n')
    assert.match(text, /C: EHLO client\.example/)
    assert.match(text, /C: RCPT TO:<.+@mayfly\.test>/)
    assert.match(text, /S: 354 /)
    const missing = await dev.get(`/v1/inboxes/${inbox.id}/messages/msg_x/transcript`)
    assert.equal(missing.body.error.code, 'message_not_found')
  })

  it("show of the SMTP dialogue no other inbox's recipients", async () => {
    const service = await shared()
    const [alice, bob] = [await service.register(), await service.register()]
    const mine = (await alice.post('/v1/inboxes', { localPart: 'dialogue-mine' })).body.inbox
    const other = (await bob.post('/v1/inboxes', { localPart: 'dialogue-other' })).body.inbox
    const to = [other.emailAddress, 'Dialogue-Mine+1@mayfly.test', 'nobody@mayfly.test']
    await service.sendMail({ to: [...to, mine.emailAddress] })
    const [{ id }] = (await alice.get(`/v1/inboxes/${mine.id}/messages`)).body.messages
    const { body } = await alice.get(`/v1/inboxes/${mine.id}/messages/${id}/transcript`)
    assert.deepEqual(
      body.lines.filter((line: string) => /RCPT|Recipient|recipient/.test(line)),
      [
        'C: RCPT TO:<Dialogue-Mine+1@mayfly.test>',
        'S: 250 2.1.5 Recipient OK',
        'C: RCPT TO:<dialogue-mine@mayfly.test>',
        'S: 250 2.1.5 Recipient OK',
      ],
    )
    assert.match(body.lines.at(-1), /^C: <\d+ bytes of mail>$/)
  })
})
