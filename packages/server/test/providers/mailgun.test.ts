import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import Mailgun from 'mailgun.js'
import { sharedService } from '../testing-start-service.ts'
import { givenProject } from './testing-project.ts'

const DOMAIN = 'mg.acme.example'

const MAIL = {
  from: 'Acme <app@acme.example>',
  to: ['someone@example.com'],
  subject: 'Your code',
  text: 'Your verification code is 481516.',
}

describe('the API of Mailgun, with its SDK', () => {
  const shared = sharedService()
  const given = async () => {
    const service = await shared()
    const project = await givenProject(service)
    const url = `${service.httpUrl}/providers/mailgun/`
    const client = (key: string) => new Mailgun(FormData).client({ username: 'api', key, url })
    return { ...project, service, client, mailgun: client(project.key) }
  }

  it('stores a mail with files, tags and variables', async () => {
    const { inbox, mailgun } = await given()
    const sent = await mailgun.messages.create(DOMAIN, {
      ...MAIL,
      html: '<p>Hello <img src="cid:logo.png"></p>',
      cc: 'Jane <jane@example.com>, bob@example.com',
      'o:tag': ['signup', 'welcome'],
      'v:user-id': '42',
      'h:X-Campaign': 'spring',
      'h:Reply-To': 'help@acme.example',
      attachment: { data: Buffer.from('one'), filename: 'one.txt' },
      inline: { data: Buffer.from('png'), filename: 'logo.png' },
    })
    assert.equal(sent.message, 'Queued. Thank you.')
    const { value, message } = await inbox.waitForOtp({ timeoutSeconds: 5 })
    assert.equal(value, '481516')
    assert.deepEqual(message.recipients, [
      'someone@example.com',
      'jane@example.com',
      'bob@example.com',
    ])
    assert.deepEqual(
      message.replyTo.map(({ address }) => address),
      ['help@acme.example'],
    )
    const { provider, headers, attachments } = message
    assert.deepEqual(
      [provider?.id, provider?.tags, provider?.metadata],
      [sent.id, ['signup', 'welcome'], { 'user-id': '42' }],
    )
    assert.deepEqual(attachments.map(({ filename, inline }) => [filename, inline]).toSorted(), [
      ['logo.png', true],
      ['one.txt', false],
    ])
    const header = (name: string) => headers.find((one) => one.name.toLowerCase() === name)?.value
    assert.equal(header('message-id'), sent.id)
    assert.equal(header('x-campaign'), 'spring')
    assert.equal(header('x-mailgun-variables'), '{"user-id":"42"}')
  })

  it('takes files whose fields are numbered, as from clients for PHP', async () => {
    const { service, inbox, key } = await given()
    const form = new FormData()
    for (const [name, value] of Object.entries(MAIL)) form.append(name, String(value))
    form.append('attachment[0]', new Blob(['one']), 'one.txt')
    form.append('attachment[1]', new Blob(['two']), 'two.txt')
    form.append('inline[0]', new Blob(['png']), 'logo.png')
    const sent = await fetch(`${service.httpUrl}/providers/mailgun/v3/${DOMAIN}/messages`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`api:${key}`).toString('base64')}` },
      body: form,
    })
    assert.equal(sent.status, 200)
    const { attachments } = await inbox.waitForMessage({ timeoutSeconds: 5 })
    const names = attachments.map(({ filename }) => filename)
    assert.deepEqual(names.toSorted(), ['logo.png', 'one.txt', 'two.txt'])
    assert.ok(attachments.find(({ filename }) => filename === 'logo.png')?.inline)
  })

  it('sends one mail to each recipient that has variables', async () => {
    const { inbox, mailgun } = await given()
    const variables = { 'a@example.com': { name: 'Ada' }, 'b@example.com': { name: 'Bob' } }
    await mailgun.messages.create(DOMAIN, {
      ...MAIL,
      to: ['a@example.com', 'b@example.com'],
      subject: 'Hi %recipient.name%',
      text: 'For %recipient.name% at %recipient_email%',
      'recipient-variables': JSON.stringify(variables),
    })
    const { messages } = await inbox.listMessages()
    assert.deepEqual(messages.map(({ subject, recipient }) => [subject, recipient]).toSorted(), [
      ['Hi Ada', 'a@example.com'],
      ['Hi Bob', 'b@example.com'],
    ])
  })

  it('stores a mail that the caller has composed', async () => {
    const { inbox, mailgun } = await given()
    const message =
      'From: app@acme.example\r\nTo: shown@example.com\r\nSubject: MIME\r\n\r\nYour verification code is 481516.\r\n'
    const sent = await mailgun.messages.create(DOMAIN, {
      to: ['real@example.com'],
      message,
      // Refused by the types; the service checks it, too.
    } as never)
    const found = await inbox.waitForOtp({ timeoutSeconds: 5 })
    assert.deepEqual(
      [found.message.subject, found.message.recipients],
      ['MIME', ['real@example.com']],
    )
    assert.equal(found.message.provider?.id, sent.id)
  })

  it('renders a template', async () => {
    const { inbox, mailgun } = await given()
    await mailgun.domains.domainTemplates.create(DOMAIN, {
      name: 'welcome',
      description: '',
      template: '<p>Your code is {{code}}, {{user.name}}.</p>',
      tag: 'v1',
      // Refused by the types; the service checks it, too.
    } as never)
    await mailgun.messages.create(DOMAIN, {
      from: MAIL.from,
      to: MAIL.to,
      subject: MAIL.subject,
      template: 'welcome',
      't:variables': JSON.stringify({ code: '481516', user: { name: '<Ada>' } }),
    })
    const { value, message } = await inbox.waitForOtp({ timeoutSeconds: 5 })
    assert.equal(value, '481516')
    assert.match(String(message.html), /&lt;Ada&gt;/)
  })

  it('lists events, and reads a stored message', async () => {
    const { mailgun, key } = await given()
    const sent = await mailgun.messages.create(DOMAIN, MAIL)
    const { items } = await mailgun.events.get(DOMAIN, { event: 'delivered' })
    assert.equal(items.length, 1)
    const [event] = items
    assert.equal(`<${event?.message?.headers?.['message-id']}>`, sent.id)
    const authorization = `Basic ${Buffer.from(`api:${key}`).toString('base64')}`
    const stored = await fetch(String(event?.storage?.url), { headers: { authorization } })
    // The response has this body.
    const body = (await stored.json()) as Record<string, string>
    assert.equal(body['body-plain']?.trim(), MAIL.text)
  })

  it('lists the log of the account', async () => {
    const { mailgun } = await given()
    const sent = await mailgun.messages.create(DOMAIN, { ...MAIL, 'o:tag': 'signup' })
    const { items } = await mailgun.logs.list({
      start: new Date(Date.now() - 86_400_000),
      end: new Date(),
      events: ['delivered'],
    })
    assert.deepEqual(
      items.map(({ event, recipient, tags }) => [event, recipient, tags]),
      [['delivered', MAIL.to[0], ['signup']]],
    )
    assert.deepEqual(await mailgun.domains.list(), [])
    assert.equal(`<${items[0]?.message?.headers?.['message-id']}>`, sent.id)
  })

  it('stores nothing in the test mode, and refuses what Mailgun refuses', async () => {
    const { inbox, mailgun, client, service } = await given()
    await mailgun.messages.create(DOMAIN, { ...MAIL, 'o:testmode': 'yes' })
    assert.equal((await inbox.refresh()).messageCount, 0)
    const fails = (change: object, status: number, details: RegExp) =>
      assert.rejects(
        // Refused by the types; the service checks it, too.
        mailgun.messages.create(DOMAIN, { ...MAIL, ...change } as never),
        (error: { status: number; details: string }) => {
          assert.equal(error.status, status)
          assert.match(error.details, details)
          return true
        },
      )
    await fails({ to: 'nobody' }, 400, /'to' parameter is not a valid address/)
    await fails({ from: '' }, 400, /from parameter is missing/)
    await fails({ text: '' }, 400, /Need at least one of/)
    await fails({ template: 'unknown' }, 404, /not found/)
    await inbox.setFaults([{ phase: 'api', status: 429, retryAfterSeconds: 1, times: 1 }])
    await fails({}, 429, /Injected api fault/)
    await assert.rejects(client('wrong').messages.create(DOMAIN, MAIL), {
      status: 401,
      details: 'Forbidden',
    })
    const other = await service.register()
    await assert.rejects(client(other.key).messages.create(DOMAIN, MAIL), { status: 403 })
  })
})
