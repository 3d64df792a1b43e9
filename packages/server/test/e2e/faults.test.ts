import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Inbox } from '@mayfly/client'
import type { Faults } from '@mayfly/client/internal'
import { MailpitClient } from 'mailpit-api'
import { createTransport } from 'nodemailer'
import { testClock } from '../testing-clock.ts'
import { onEachDatabase } from '../testing-databases.ts'
import { sharedService, startService, type TestService } from '../testing-start-service.ts'

/** What a client gets to hear: of the recipient, or of the mail. */
async function tryMails(service: TestService, inbox: Inbox, count: number): Promise<string[]> {
  const mails = Array.from({ length: count }, () => ({ to: inbox.emailAddress }))
  const answers = await service.sendMails(mails)
  return answers.map(({ recipients, mail }) => mail ?? recipients.join())
}

onEachDatabase('faults', (create, database) => {
  const shared = sharedService(create)

  it('refuses the next mails with the code of the rule, then takes mail again', async () => {
    const service = await shared()
    const dev = await service.register()
    const inbox = await dev.inboxes.create()
    const set = await inbox.setFaults([{ phase: 'recipient', code: 450, text: 'Busy', times: 2 }])
    const rule = { phase: 'recipient', code: 450, text: 'Busy', timesLeft: 2, probability: null }
    assert.deepEqual(set.rules, [rule])
    assert.deepEqual(await inbox.readFaults(), set)
    const answers = await tryMails(service, inbox, 3)
    assert.deepEqual(answers.slice(0, 2), ['450 Busy', '450 Busy'])
    assert.match(String(answers[2]), /^250/)
    assert.deepEqual(await inbox.readFaults(), { rules: [], expiresAt: null })
    assert.equal((await inbox.refresh()).messageCount, 1)
    const { events, nextSteps } = await inbox.diagnose()
    const injected = events.filter(({ stage }) => stage === 'fault.injected')
    assert.equal(injected.length, 2)
    const [first] = injected
    assert.equal(first?.detail, '450 Busy (rule 1, recipient; from <app@example.com> at 127.0.0.1)')
    assert.match(
      String(nextSteps),
      /A fault rule of this inbox refused a mail (?:just now|\d+ s ago): 450 Busy/,
    )
  })

  it('refuses at the end of the content, and stores nothing of the mail', async () => {
    const service = await shared()
    const dev = await service.register()
    const inbox = await dev.inboxes.create()
    const other = await dev.inboxes.create()
    await inbox.setFaults([{ phase: 'data', code: 554, times: 1 }])
    const to = [other.emailAddress, inbox.emailAddress]
    const [answer] = await service.sendMails([{ to }])
    assert.deepEqual(
      answer?.recipients.map((reply) => reply.slice(0, 3)),
      ['250', '250'],
    )
    assert.equal(answer?.mail, '554 5.3.0 Injected data fault')
    assert.equal((await other.refresh()).messageCount, 0)
    await service.sendMail({ to })
    assert.equal((await other.refresh()).messageCount, 1)
  })

  it('uses the rules of each phase in their order', async () => {
    const service = await shared()
    const dev = await service.register()
    const inbox = await dev.inboxes.create()
    await inbox.setFaults([
      { phase: 'recipient', code: 451, text: 'second', times: 1 },
      { phase: 'sender', code: 421, text: 'first', times: 1 },
      { phase: 'recipient', code: 550, text: 'third', times: 1 },
    ])
    const answers = await tryMails(service, inbox, 4)
    assert.deepEqual(answers.slice(0, 3), ['421 first', '451 second', '550 third'])
    assert.match(String(answers[3]), /^250/)
  })

  it('refuses at AUTH and at MAIL who has authenticated for a catch-all inbox', async () => {
    const service = await shared()
    const dev = await service.register()
    const project = await dev.inboxes.create({ catchAll: true })
    await project.setFaults([
      { phase: 'authentication', code: 535, text: 'Chaos', times: 1 },
      { phase: 'sender', code: 450, text: 'Busy', times: 1 },
    ])
    const transport = createTransport({
      ...{ host: '127.0.0.1', port: service.smtpPort },
      auth: { user: project.id, pass: dev.key },
    })
    const send = () =>
      transport.sendMail({ from: 'app@example.com', to: 'ada@elsewhere.example', text: 'x' })
    await assert.rejects(send(), { command: 'AUTH PLAIN', response: '535 Chaos' })
    await assert.rejects(send(), { command: 'MAIL FROM', response: '450 Busy' })
    await send()
    assert.deepEqual((await project.readFaults()).rules, [])
    const { events } = await project.diagnose()
    assert.deepEqual(
      events.filter(({ stage }) => stage === 'fault.injected').map(({ detail }) => detail),
      [
        '535 Chaos (rule 1, authentication; from 127.0.0.1)',
        '450 Busy (rule 2, sender; from <app@example.com> at 127.0.0.1)',
      ],
    )
  })

  it('refuses at MAIL all senders without credentials where one inbox takes their mail', async () => {
    await using own = await create()
    const env = { MAYFLY_CATCH_ALL: 'on', MAYFLY_SMTP_ACCEPT_ANY_AUTH: 'true' }
    await using service = await startService({ database: own, env, hasLocalAccount: true })
    const mailpit = new MailpitClient(service.httpUrl)
    const send = async (auth?: { user: string; pass: string }) => {
      const to = { host: '127.0.0.1', port: service.smtpPort, ...(auth && { auth }) }
      const mail = { from: 'app@example.com', to: 'ada@elsewhere.example', text: 'x' }
      return createTransport(to).sendMail(mail)
    }
    await mailpit.setChaosTriggers({ Sender: { ErrorCode: 451, Probability: 100 } })
    await assert.rejects(send(), { command: 'MAIL FROM', response: '451 Chaos sender error' })
    await mailpit.setChaosTriggers({ Authentication: { ErrorCode: 554, Probability: 100 } })
    const refused = send({ user: 'anybody', pass: 'x' })
    await assert.rejects(refused, { response: '554 Chaos authentication error' })
    await send()
    await mailpit.setChaosTriggers()
    // Of no other inbox: it is not known at MAIL.
    const dev = await service.register()
    const other = await dev.inboxes.create()
    await other.setFaults([{ phase: 'sender', code: 450, text: 'Later', times: 1 }])
    const [answer] = await service.sendMails([{ to: other.emailAddress }])
    assert.deepEqual(answer?.recipients, ['450 Later'])
  })

  it('ends when it is deleted, when it is replaced, and by itself', async () => {
    await using own = await create('mayfly_january')
    const clock = testClock(Date.UTC(2026, 0, 31))
    await using service = await startService({ database: own, clock })
    const dev = await service.register()
    const inbox = await dev.inboxes.create()
    const always = [{ phase: 'recipient', code: 550 }] as const
    const { expiresAt } = await inbox.setFaults(always, { expiresInSeconds: 60 })
    assert.equal(expiresAt, '2026-01-31T00:01:00.000Z')
    assert.match((await tryMails(service, inbox, 30)).join(), /^(550 5\.3\.0 [^,]*,?){30}$/)
    await inbox.setFaults([])
    assert.match((await tryMails(service, inbox, 1)).join(), /^250/)
    await inbox.setFaults(always, { expiresInSeconds: 60 })
    await inbox.deleteFaults()
    await inbox.deleteFaults()
    assert.match((await tryMails(service, inbox, 1)).join(), /^250/)
    await inbox.setFaults(always, { expiresInSeconds: 60 })
    assert.match((await tryMails(service, inbox, 1)).join(), /^550/)
    clock.ms += 60_000
    assert.match((await tryMails(service, inbox, 1)).join(), /^250/)
    assert.deepEqual(await inbox.readFaults(), { rules: [], expiresAt: null })
  })

  it('refuses about as often as its probability says', async () => {
    const service = await shared()
    const dev = await service.register()
    const inbox = await dev.inboxes.create()
    await inbox.setFaults([{ phase: 'recipient', code: 451, probability: 50 }])
    const answers = await tryMails(service, inbox, 100)
    const refused = answers.filter((answer) => answer.startsWith('451')).length
    // Outside of this once in a million runs.
    assert.ok(refused > 25 && refused < 75, `${refused} of 100`)
    await inbox.setFaults([{ phase: 'recipient', code: 451, probability: 100 }])
    assert.match((await tryMails(service, inbox, 5)).join(), /^(451[^,]*,?){5}$/)
  })

  it('refuses exactly as many as it should on all nodes together', async () => {
    await using own = await create()
    await using stack = new AsyncDisposableStack()
    const first = stack.use(await startService({ database: own }))
    const services = [first]
    // SQLite has one node.
    if (database === 'PostgreSQL') services.push(stack.use(await startService({ database: own })))
    const dev = await first.register()
    const inbox = await dev.inboxes.create()
    await inbox.setFaults([{ phase: 'recipient', code: 451, times: 25 }])
    const clients = Array.from({ length: 8 }, (_, i) => services[i % services.length] ?? first)
    const answers = await Promise.all(clients.map((service) => tryMails(service, inbox, 10)))
    assert.equal(answers.flat().filter((answer) => answer.startsWith('451')).length, 25)
    assert.equal((await inbox.refresh()).messageCount, 55)
    const { events } = await inbox.diagnose()
    assert.equal(events.filter(({ stage }) => stage === 'fault.injected').length, 25)
  })

  it('refuses rules that are not valid', async () => {
    const service = await shared()
    const dev = await service.register()
    const inbox = await dev.inboxes.create()
    const rule = { phase: 'recipient', code: 451 }
    for (const rules of [
      [{ ...rule, code: 250 }],
      [{ ...rule, code: 600 }],
      [{ ...rule, phase: 'auth' }],
      [{ ...rule, text: 'two\r\n250 lines' }],
      [{ ...rule, text: '' }],
      [{ ...rule, times: 0 }],
      [{ ...rule, times: 1_001 }],
      [{ ...rule, probability: 101 }],
      [{ ...rule, times: 1, probability: 1 }],
      Array.from({ length: 11 }, () => rule),
    ]) {
      const { status, body } = await dev.send('PUT', `/v1/inboxes/${inbox.id}/faults`, {
        rawBody: JSON.stringify({ rules }),
        headers: { 'content-type': 'application/json' },
      })
      assert.equal(status, 400, JSON.stringify(rules))
      assert.equal(body.error.code, 'invalid_parameter')
    }
    const none: Faults = { rules: [], expiresAt: null }
    assert.deepEqual(await inbox.readFaults(), none)
  })
})
