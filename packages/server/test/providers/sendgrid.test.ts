import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import sendgridMail from '@sendgrid/mail'
import { testClock } from '../testing-clock.ts'
import { onEachDatabase } from '../testing-databases.ts'
import { sharedService, startService } from '../testing-start-service.ts'
import { givenProject } from './testing-project.ts'

type MailDataRequired = Exclude<Parameters<typeof sendgridMail.send>[0], unknown[]>

/** The class of the module's only client, which has one key for all; its types leave it out. */
type Service = typeof sendgridMail & {
  readonly client: { setDefaultRequest(key: string, value: string): void }
}
// A part of the union, or left out of the types.
const { MailService } = sendgridMail as unknown as { readonly MailService: new () => Service }

function mailClient(baseUrl: string, key: string) {
  const service = new MailService()
  service.setApiKey(key)
  service.client.setDefaultRequest('baseUrl', `${baseUrl}/providers/sendgrid/`)
  return service
}

const MAIL: MailDataRequired = {
  from: { email: 'app@acme.example', name: 'Acme' },
  to: 'someone@example.com',
  subject: 'Your code',
  text: 'Your verification code is 481516.',
}

describe('the API of SendGrid, with its SDK', () => {
  const shared = sharedService()

  it('stores a mail that a wait finds, with its call', async () => {
    const service = await shared()
    const { inbox, key } = await givenProject(service)
    const client = mailClient(service.httpUrl, key)
    const [response] = await client.send({
      ...MAIL,
      html: '<p>Your verification code is <b>481516</b>.</p><img src="cid:logo">',
      categories: ['signup'],
      customArgs: { userId: '42' },
      headers: { 'X-Campaign': 'welcome' },
      attachments: [
        { content: Buffer.from('one').toString('base64'), filename: 'one.txt', type: 'text/plain' },
        {
          content: Buffer.from('png').toString('base64'),
          filename: 'logo.png',
          type: 'image/png',
          disposition: 'inline',
          contentId: 'logo',
        },
      ],
    })
    assert.equal(response.statusCode, 202)
    const otp = await inbox.waitForOtp({ timeoutSeconds: 5 })
    assert.equal(otp.value, '481516')
    const { message } = otp
    assert.deepEqual(message.recipients, ['someone@example.com'])
    assert.deepEqual(
      message.attachments.map(({ filename, inline }) => [filename, inline]),
      [
        ['one.txt', false],
        ['logo.png', true],
      ],
    )
    const { provider } = message
    assert.ok(provider)
    const { request, ...call } = provider
    assert.deepEqual(call, {
      name: 'sendgrid',
      operation: 'POST /v3/mail/send',
      id: response.headers['x-message-id'],
      tags: ['signup'],
      metadata: { userId: '42' },
      scheduledAt: null,
    })
    assert.match(JSON.stringify(request), /"content":"<3 bytes>","filename":"one.txt"/)
    const { events } = await inbox.diagnose()
    const accepted = events.find(({ stage }) => stage === 'provider.accepted')
    assert.match(accepted?.detail ?? '', /by sendgrid POST \/v3\/mail\/send, id /)
    assert.ok(events.every(({ stage }) => stage !== 'smtp.accepted'))
  })

  it('renders a dynamic template for each personalization', async () => {
    const service = await shared()
    const { inbox, key } = await givenProject(service)
    const call = async (path: string, body: object) => {
      const response = await fetch(`${service.httpUrl}/providers/sendgrid/v3/${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      assert.equal(response.status, 201)
      // The response has this body.
      return (await response.json()) as { id: string }
    }
    const template = await call('templates', { name: 'Welcome', generation: 'dynamic' })
    const html_content =
      '<p>{{#if name}}Hello {{name}}{{else}}Hello{{/if}}{{#each items}}, {{this}}{{/each}}</p>'
    await call(`templates/${template.id}/versions`, {
      name: 'v1',
      subject: 'For {{name}}',
      html_content,
    })
    await mailClient(service.httpUrl, key).send({
      from: 'app@acme.example',
      templateId: template.id,
      personalizations: [
        { to: 'a@example.com', dynamicTemplateData: { name: '<Ada>', items: ['x', 'y'] } },
        {
          to: [{ email: 'b@example.com' }],
          cc: 'c@example.com',
          dynamicTemplateData: { name: 'Bob' },
        },
      ],
    })
    const first = await inbox.waitForMessage({ q: 'to:a@example.com', timeoutSeconds: 5 })
    assert.equal(first.subject, 'For <Ada>')
    assert.match(String(first.html), /Hello &lt;Ada&gt;, x, y/)
    const second = await inbox.waitForMessage({ q: 'to:b@example.com', timeoutSeconds: 5 })
    assert.deepEqual(second.recipients, ['b@example.com', 'c@example.com'])
  })

  it('takes a compressed body, and stores nothing in the sandbox mode', async () => {
    const service = await shared()
    const { inbox, key } = await givenProject(service)
    const body = {
      personalizations: [{ to: [{ email: 'a@example.com' }] }],
      from: { email: 'app@acme.example' },
      subject: 'Hi',
      content: [{ type: 'text/plain', value: 'Hi' }],
    }
    const post = (packed: Buffer) =>
      fetch(`${service.httpUrl}/providers/sendgrid//v3/mail/send`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          'content-encoding': 'gzip',
        },
        body: new Uint8Array(packed),
      })
    assert.equal((await post(gzipSync(JSON.stringify(body)))).status, 202)
    assert.equal((await post(gzipSync(Buffer.alloc(40 * 1024 * 1024, 0x20)))).status, 413)
    assert.equal((await post(Buffer.from('not gzip'))).status, 400)
    const client = mailClient(service.httpUrl, key)
    const [{ statusCode }] = await client.send({
      ...MAIL,
      mailSettings: { sandboxMode: { enable: true } },
    })
    assert.equal(statusCode, 200)
    assert.equal((await inbox.refresh()).messageCount, 1)
  })

  const REFUSED: readonly (readonly [string, Partial<MailDataRequired>, number, string])[] = [
    ['no address', { to: 'nobody' }, 400, 'personalizations.0.to.0.email'],
    ['a duplicate', { to: ['a@example.com', 'A@example.com'] }, 400, 'personalizations.0'],
    ['an unknown template', { templateId: 'd-unknown' }, 400, 'template_id'],
    ['a reserved header', { headers: { 'Reply-To': 'x@example.com' } }, 400, 'headers'],
  ]
  for (const [what, change, code, field] of REFUSED) {
    it(`refuses ${what}, which the SDK throws, and records it`, async () => {
      const service = await shared()
      const { inbox, key } = await givenProject(service)
      const sending = mailClient(service.httpUrl, key).send({
        ...MAIL,
        ...change,
        // A part of the union, or left out of the types.
      } as MailDataRequired)
      await assert.rejects(
        sending,
        (error: { code: number; response: { body: { errors: { field: string }[] } } }) => {
          assert.equal(error.code, code)
          assert.equal(error.response.body.errors[0]?.field, field)
          return true
        },
      )
      const { events } = await inbox.diagnose()
      const refused = events.find(({ stage }) => stage === 'provider.refused')
      assert.match(refused?.detail ?? '', /^sendgrid POST \/v3\/mail\/send: 400, .*\(request req_/)
    })
  }

  it('refuses a wrong key, a revoked one, and a recipient without an inbox', async () => {
    const service = await shared()
    const dev = await service.register()
    const created = await dev.keys.create({ name: 'app' })
    const client = (key: string) => mailClient(service.httpUrl, key)
    await assert.rejects(client(created.apiKey).send(MAIL), { code: 403, message: 'Forbidden' })
    await dev.keys.revoke(created.key.id)
    await assert.rejects(client(created.apiKey).send(MAIL), { code: 401, message: 'Unauthorized' })
    await assert.rejects(client('SG.none').send(MAIL), { code: 401 })
  })

  it('delivers to the inbox that has the address, with the key alone or its own name', async () => {
    const service = await shared()
    const dev = await service.register()
    const own = await dev.inboxes.create()
    await mailClient(service.httpUrl, dev.key).send({ ...MAIL, to: own.emailAddress })
    const named = mailClient(service.httpUrl, `${dev.key}.${own.id}`)
    await named.send({ ...MAIL, to: [own.emailAddress, 'other@example.com'] })
    await assert.rejects(named.send(MAIL), { code: 403 })
    assert.equal((await own.refresh()).messageCount, 2)
    const { events } = await own.diagnose()
    assert.equal(events.filter(({ stage }) => stage === 'provider.refused').length, 1)
  })

  it('answers with a fault rule once, in the form of SendGrid, and then succeeds', async () => {
    const service = await shared()
    const { inbox, key } = await givenProject(service)
    await inbox.setFaults([
      { phase: 'api', status: 429, retryAfterSeconds: 7, text: 'Slow down', times: 1 },
    ])
    const client = mailClient(service.httpUrl, key)
    await assert.rejects(
      client.send(MAIL),
      (error: { code: number; response: { headers: Record<string, string>; body: object } }) => {
        assert.equal(error.code, 429)
        assert.equal(error.response.headers['retry-after'], '7')
        assert.equal(error.response.headers['x-ratelimit-remaining'], '0')
        assert.deepEqual(error.response.body, {
          errors: [{ message: 'Slow down', field: null, help: null }],
        })
        return true
      },
    )
    await client.send(MAIL)
    await inbox.waitForMessage({ timeoutSeconds: 5 })
    const { events } = await inbox.diagnose()
    assert.equal(events.filter(({ stage }) => stage === 'fault.injected').length, 1)
  })

  it('names the right base URL at a wrong path', async () => {
    const service = await shared()
    const response = await fetch(`${service.httpUrl}/providers/sendgrid/mail/send`, {
      method: 'POST',
    })
    assert.equal(response.status, 404)
    // The response has this body.
    const { errors } = (await response.json()) as { errors: { message: string }[] }
    assert.match(
      String(errors[0]?.message),
      /Its base URL is http:\/\/127\.0\.0\.1:\d+\/providers\/sendgrid\/$/,
    )
    const unknown = await fetch(`${service.httpUrl}/providers/emails`, { method: 'POST' })
    assert.equal(unknown.status, 404)
    assert.match(await unknown.text(), /\/providers\/<name>\//)
  })
})

onEachDatabase('batches of scheduled mail of SendGrid', (create) => {
  it('are paused, canceled and resumed together', async () => {
    const clock = testClock(Date.now())
    await using database = await create()
    await using service = await startService({ clock, database })
    const { inbox, key } = await givenProject(service)
    const client = mailClient(service.httpUrl, key)
    const call = async (method: string, path: string, body?: object) => {
      const response = await fetch(`${service.httpUrl}/providers/sendgrid/v3/${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      return { status: response.status, body: text === '' ? null : JSON.parse(text) }
    }
    const sendAt = Math.floor(clock.now() / 1000) + 3_600
    const schedule = async (subject: string) => {
      const { body } = await call('POST', 'mail/batch')
      const batchId = String(body.batch_id)
      await client.send({ ...MAIL, subject: `${subject} 1`, sendAt, batchId })
      await client.send({ ...MAIL, subject: `${subject} 2`, sendAt, batchId })
      return batchId
    }
    const stop = (batch_id: string, status: string) =>
      call('POST', 'user/scheduled_sends', { batch_id, status })

    const [paused, canceled, resumed] = [
      await schedule('Paused'),
      await schedule('Canceled'),
      await schedule('Resumed'),
    ]
    assert.equal((await stop(paused, 'pause')).status, 201)
    assert.equal((await stop(canceled, 'cancel')).status, 201)
    assert.equal((await stop(resumed, 'cancel')).status, 201)
    assert.equal((await stop(paused, 'cancel')).status, 400)
    assert.equal((await stop('unknown', 'cancel')).status, 400)
    const one = await call('GET', `user/scheduled_sends/${paused}`)
    assert.deepEqual(one.body, [{ batch_id: paused, status: 'pause' }])
    assert.equal((await call('DELETE', `user/scheduled_sends/${resumed}`)).status, 204)
    assert.equal((await call('DELETE', `user/scheduled_sends/${resumed}`)).status, 404)
    const { body: all } = await call('GET', 'user/scheduled_sends')
    assert.equal(all.length, 2)
    assert.deepEqual((await call('GET', 'suppression/bounces')).body, [])

    clock.ms += 3_600_000
    await inbox.waitForMessage({ q: 'subject:"Resumed 1"', timeoutSeconds: 10 })
    await inbox.waitForMessage({ q: 'subject:"Resumed 2"', timeoutSeconds: 10 })
    assert.equal((await inbox.refresh()).messageCount, 2)
    // What was paused beyond its time is sent when it is resumed.
    assert.equal((await call('DELETE', `user/scheduled_sends/${paused}`)).status, 204)
    await inbox.waitForMessage({ q: 'subject:"Paused 1"', timeoutSeconds: 10 })
    await inbox.waitForMessage({ q: 'subject:"Paused 2"', timeoutSeconds: 10 })
    assert.equal((await inbox.refresh()).messageCount, 4)
  })
})
