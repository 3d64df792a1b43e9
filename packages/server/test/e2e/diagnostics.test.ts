import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import type { Inbox } from '@mayfly/client'
import { readService } from '@mayfly/client/internal'
import { REFUSAL_REPLIES } from '@mayfly/smtp'
import { createTransport } from 'nodemailer'
import { testClock } from '../testing-clock.ts'
import { onEachDatabase } from '../testing-databases.ts'
import { first } from '../testing-first.ts'
import { createReceivers } from '../testing-receiver.ts'
import { shared as sharedResources } from '../testing-shared.ts'
import { sharedService, startService } from '../testing-start-service.ts'
import { until } from '../testing-until.ts'

async function diagnose(inbox: Inbox) {
  const { events, ...rest } = await inbox.diagnose()
  return {
    ...rest,
    events,
    stages: events.map(({ stage }) => stage),
    details: events.map(({ detail }) => detail ?? ''),
  }
}

describe('a refusal that concerns no inbox', () => {
  it('is told to the local account, and not to others', async () => {
    await using service = await startService({ hasLocalAccount: true })
    const { localKeyFile } = await readService({ baseUrl: service.httpUrl })
    const local = service.account((await readFile(String(localKeyFile), 'utf8')).trim())
    const others = await (await service.register()).inboxes.create()
    const sends: readonly (readonly [object, RegExp])[] = [
      [{}, /^A mail for "ada@elsewhere\.example" was refused (?:just now|\d s ago): 550 /],
      [
        { auth: { user: 'inb_unknown', pass: 'x' } },
        /^A login as "inb_unknown" was refused (?:just now|\d s ago): 535 /,
      ],
    ]
    for (const [options, step] of sends) {
      const inbox = await local.inboxes.create()
      const transport = createTransport({ host: '127.0.0.1', port: service.smtpPort, ...options })
      const mail = { from: 'app@example.com', to: 'ada@elsewhere.example', text: 'hello' }
      await assert.rejects(transport.sendMail(mail), /550|535/)
      // The second one within a second is announced at the end of it.
      const { nextSteps } = await until(async () => {
        const diagnosis = await inbox.diagnose()
        return diagnosis.nextSteps.some((one) => step.test(one)) ? diagnosis : null
      })
      assert.match(String(nextSteps[1]), /^A mail client connected (?:just now|\d s ago)/)
    }
    assert.doesNotMatch((await others.diagnose()).nextSteps.join(), /elsewhere|login/)
  })
})

onEachDatabase('diagnostics', (create) => {
  const shared = sharedService(create)
  const clocked = sharedResources(async (resources) => {
    const database = resources.use(await create('mayfly_january'))
    const clock = testClock(Date.UTC(2026, 0, 31))
    return { clock, service: resources.use(await startService({ database, clock })) }
  })

  it('tell the way of a mail, oldest first', async () => {
    const service = await shared()
    const dev = await service.register()
    const inbox = await dev.inboxes.create()
    await service.sendMail({ to: inbox.emailAddress, subject: 'Hi' })
    assert.equal((await dev.get(`/v1/inboxes/${inbox.id}/diagnostics`)).status, 200)
    const found = await diagnose(inbox)
    assert.equal(found.state, 'active')
    assert.deepEqual(found.domain, { domain: 'mayfly.test', status: 'active' })
    assert.deepEqual(found.stages, ['inbox.created', 'smtp.accepted', 'message.stored'])
    assert.match(String(found.details[1]), /from <app@example\.com> at 127\.0\.0\.1/)
    assert.match(String(found.details[2]), /"Hi"/)
    assert.deepEqual(found.nextSteps, [])
    const unknown = await dev.get('/v1/inboxes/inb_nothing/diagnostics')
    assert.deepEqual([unknown.status, unknown.body.error.code], [404, 'inbox_not_found'])
  })

  it('say that nothing has connected, or that it sent nothing for this inbox', async () => {
    await using database = await create()
    await using service = await startService({ database })
    const dev = await service.register()
    const inbox = await dev.inboxes.create({ localPart: 'first' })
    const silent = await diagnose(inbox)
    assert.match(String(silent.nextSteps[0]), /^No mail client has connected since/)
    assert.match(String(silent.nextSteps[0]), new RegExp(`127\\.0\\.0\\.1:${service.smtpPort}`))

    const assertConnected = async (without: Inbox) => {
      await service.sendMails([{ to: 'somebody.else.entirely@mayfly.test' }])
      const step = await until(async () => {
        const [first] = (await diagnose(without)).nextSteps
        return String(first).includes(`sent nothing for ${without.emailAddress}`) ? first : null
      })
      assert.match(String(step), /^A mail client connected (?:just now|\d+ s ago)/)
    }
    await assertConnected(inbox)
    // This client connects within a second of the first, and is announced at the end of it.
    await assertConnected(await dev.inboxes.create({ localPart: 'second' }))
  })

  it('tell a mail that was refused because the inbox had expired', async () => {
    await using database = await create('mayfly_january')
    const clock = testClock(Date.UTC(2026, 0, 31, 14, 2))
    await using service = await startService({ database, clock })
    const dev = await service.register()
    const inbox = await dev.inboxes.create({ ttlSeconds: 600 })
    clock.ms += 660_000
    await service.sendMails([{ to: inbox.emailAddress }])
    clock.ms += 5_000
    const found = await diagnose(inbox)
    assert.equal(found.state, 'expired')
    assert.deepEqual(found.stages, ['inbox.created', 'inbox.expired', 'smtp.refused'])
    assert.match(String(found.details[2]), /^550 5\.1\.1 .*expired at 2026-01-31T14:12:00\.000Z/)
    assert.match(String(found.nextSteps[0]), /expired at 2026-01-31T14:12:00\.000Z/)
    assert.match(String(found.nextSteps[1]), /refused 5 s ago/)
  })

  it('tell a mail that was too large', async () => {
    await using database = await create()
    await using service = await startService({
      database,
      env: { MAYFLY_SMTP_MAX_MESSAGE_BYTES: '10000' },
    })
    const dev = await service.register()
    const inbox = await dev.inboxes.create()
    const [answer] = await service.sendMails([{ to: inbox.emailAddress, text: 'x'.repeat(20_000) }])
    assert.match(String(answer?.mail), /^552 5\.3\.4/)
    const found = await until(async () => {
      const diagnostics = await diagnose(inbox)
      return diagnostics.stages.includes('smtp.refused') ? diagnostics : null
    })
    assert.match(
      String(found.nextSteps[0]),
      /552 5\.3\.4 .*too large: 0\.02 of 0\.01 MB.*Send a smaller mail\./,
    )
  })

  it('tell a mail whose address was a slip away', async () => {
    const { service, clock } = await clocked()
    const dev = await service.register()
    const inbox = await dev.inboxes.create({ localPart: 'john.doe' })
    const to = ['jon.doe@mayfly.test', 'john.doe@private.mayfly.test']
    await service.sendMails([{ from: 'victim@shop.example', to }])
    clock.ms += 12_000
    const found = await diagnose(inbox)
    assert.deepEqual(found.stages, ['inbox.created', 'near.miss', 'near.miss'])
    const detail = `mail for jon.doe@mayfly.test was refused: ${REFUSAL_REPLIES.unknown}; this inbox is john.doe@mayfly.test`
    assert.ok(found.details.includes(detail))
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
    const { service, clock } = await clocked()
    const spy = await service.register()
    const other = await service.register()
    const ttlSeconds = 604_800
    const inbox = await spy.inboxes.create({ localPart: 'boss1', ttlSeconds })
    const held = await other.inboxes.create({ localPart: 'boss' })
    await held.delete()
    const to = ['boss@mayfly.test', 'boss1@elsewhere.example', 'boss1@mayfly.tst']
    await service.sendMails([{ to }])
    assert.deepEqual((await diagnose(inbox)).stages, ['inbox.created'])

    clock.ms += 31 * 24 * 60 * 60 * 1000
    const later = await spy.inboxes.create({ localPart: 'bosses' })
    await service.sendMails([{ to: 'bosse@mayfly.test' }, { to: 'boss@mayfly.test' }])
    assert.deepEqual((await diagnose(later)).stages, ['inbox.created', 'near.miss'])
  })

  it('keep the newest 500 events', async () => {
    const { service, clock } = await clocked()
    const dev = await service.register()
    const inbox = await dev.inboxes.create({ ttlSeconds: 600 })
    clock.ms += 600_000
    for (let i = 0; i < 6; i++) {
      await service.sendMails(
        Array.from({ length: 90 }, () => {
          clock.ms += 1
          return { to: inbox.emailAddress }
        }),
      )
    }
    const found = await diagnose(inbox)
    assert.equal(found.events.length, 500)
    assert.ok(found.stages.every((stage) => stage === 'smtp.refused'))
  })

  it('tell whether a webhook took the message', async () => {
    await using database = await create()
    await using receivers = await createReceivers()
    const good = await receivers.open()
    const bad = await receivers.open(500)
    await using service = await startService({ database, env: receivers.env })
    const dev = await service.register()
    for (const { url } of [good, bad]) await dev.webhooks.create(url)
    const inbox = await dev.inboxes.create()
    await service.sendMail({ to: inbox.emailAddress })
    const found = await until(async () => {
      const diagnostics = await diagnose(inbox)
      return diagnostics.stages.includes('webhook.failed') &&
        diagnostics.stages.includes('webhook.delivered')
        ? diagnostics
        : null
    })
    const { details } = found
    assert.ok(details.includes(`attempt 1 to ${good.url}: 200`), details.join('\n'))
    assert.ok(details.includes(`attempt 1 to ${bad.url}: 500`), details.join('\n'))
  })

  it('show the SMTP dialogue of a message', async () => {
    const service = await shared()
    const dev = await service.register()
    const inbox = await dev.inboxes.create()
    await service.sendMail({ to: inbox.emailAddress })
    const { id } = first((await inbox.listMessages()).messages)
    const text = (await inbox.readTranscript(id)).join('\n')
    assert.match(text, /C: EHLO client\.example/)
    assert.match(text, /C: RCPT TO:<.+@mayfly\.test>/)
    assert.match(text, /S: 354 /)
    await assert.rejects(inbox.readTranscript('msg_x'), { code: 'message_not_found' })
  })

  it("show of the SMTP dialogue no other inbox's recipients", async () => {
    const service = await shared()
    const [alice, bob] = [await service.register(), await service.register()]
    const mine = await alice.inboxes.create({ localPart: 'dialogue-mine' })
    const other = await bob.inboxes.create({ localPart: 'dialogue-other' })
    const to = [other.emailAddress, 'Dialogue-Mine+1@mayfly.test', 'nobody@mayfly.test']
    await service.sendMail({ to: [...to, mine.emailAddress] })
    const { id } = first((await mine.listMessages()).messages)
    const lines = await mine.readTranscript(id)
    assert.deepEqual(
      lines.filter((line) => /RCPT|Recipient|recipient/.test(line)),
      [
        'C: RCPT TO:<Dialogue-Mine+1@mayfly.test>',
        'S: 250 2.1.5 Recipient OK',
        'C: RCPT TO:<dialogue-mine@mayfly.test>',
        'S: 250 2.1.5 Recipient OK',
      ],
    )
    assert.match(String(lines.at(-1)), /^C: <\d+ bytes of mail>$/)
  })
})
