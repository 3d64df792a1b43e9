import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Resend } from 'resend'
import { testClock } from '../testing-clock.ts'
import { onEachDatabase } from '../testing-databases.ts'
import { sharedService, startService } from '../testing-start-service.ts'
import { givenProject } from './testing-project.ts'

const MAIL = {
  from: 'Acme <app@acme.example>',
  to: ['someone@example.com'],
  subject: 'Your code',
  text: 'Your verification code is 481516.',
}

onEachDatabase('the API of Resend, with its SDK', (create) => {
  const shared = sharedService(create)
  const given = async () => {
    const service = await shared()
    const project = await givenProject(service)
    const client = (key: string) =>
      new Resend(key, { baseUrl: `${service.httpUrl}/providers/resend/` })
    return { ...project, client, resend: client(project.key) }
  }

  it('stores a mail that a wait and the API itself find', async () => {
    const { inbox, resend } = await given()
    const { data, error } = await resend.emails.send({
      ...MAIL,
      html: '<p>Hello</p>',
      tags: [{ name: 'category', value: 'signup' }],
      headers: { 'X-Campaign': 'welcome' },
      attachments: [{ filename: 'one.txt', content: Buffer.from('one') }],
    })
    assert.equal(error, null)
    const { value, message } = await inbox.waitForOtp({ timeoutSeconds: 5 })
    assert.equal(value, '481516')
    assert.equal(message.attachments[0]?.filename, 'one.txt')
    assert.equal(message.provider?.id, data?.id)
    assert.deepEqual(message.provider?.metadata, { category: 'signup' })
    const found = await resend.emails.get(String(data?.id))
    assert.equal(found.data?.last_event, 'delivered')
    assert.deepEqual(found.data?.to, ['someone@example.com'])
    assert.equal(found.data?.text?.trim(), MAIL.text)
    assert.deepEqual((await resend.domains.list()).data?.data, [])
    const unknown = await resend.emails.get('00000000-0000-4000-8000-000000000000')
    assert.deepEqual([unknown.error?.name, unknown.error?.statusCode], ['not_found', 404])
  })

  it('sends once for an idempotency key', async () => {
    const { inbox, resend } = await given()
    const send = (subject: string) =>
      resend.emails.send({ ...MAIL, subject }, { idempotencyKey: 'welcome/1' })
    const [first, second] = [await send('One'), await send('One')]
    assert.equal(first.data?.id, second.data?.id)
    assert.equal((await send('Two')).error?.name, 'invalid_idempotent_request')
    assert.equal((await inbox.refresh()).messageCount, 1)
  })

  it('validates a batch as a whole, or each of its mails', async () => {
    const { inbox, resend } = await given()
    const mails = [MAIL, { ...MAIL, to: 'nobody' }, { ...MAIL, subject: 'Third' }]
    const strict = await resend.batch.send(mails)
    assert.equal(strict.error?.statusCode, 422)
    const permissive = await resend.batch.send(mails, { batchValidation: 'permissive' })
    assert.equal(permissive.data?.data.length, 2)
    assert.deepEqual(
      permissive.data?.errors?.map(({ index }) => index),
      [1],
    )
    assert.equal((await inbox.refresh()).messageCount, 2)
  })

  it('renders a published template', async () => {
    const { inbox, resend } = await given()
    const created = await resend.templates.create({
      name: 'welcome',
      subject: 'Hello {{{NAME}}}',
      html: '<p>Your sign-in code is {{{CODE}}}, {{{NAME}}}.</p>',
      variables: [
        { key: 'NAME', type: 'string', fallbackValue: 'you' },
        { key: 'CODE', type: 'number' },
      ],
    })
    const id = String(created.data?.id)
    const send = (variables: Record<string, string | number>) =>
      resend.emails.send({ from: MAIL.from, to: MAIL.to, template: { id, variables } })
    assert.match(String((await send({ CODE: 1 })).error?.message), /not published/)
    await resend.templates.publish(id)
    assert.match(String((await send({})).error?.message), /Missing required variable `CODE`/)
    assert.equal((await send({ CODE: 481516 })).error, null)
    const { value, message } = await inbox.waitForOtp({ timeoutSeconds: 5 })
    assert.deepEqual([value, message.subject], ['481516', 'Hello you'])
  })

  it('accepts the contents of files as numbers, as the SDKs for Go and Python send them', async () => {
    const { resend, inbox } = await given()
    const contents = [[...Buffer.from('one')], Buffer.from('two').toJSON()]
    const attachments = contents.map((content, at) => ({ filename: `${at}.txt`, content }))
    // Its types have only bytes and base64.
    const { error } = await resend.emails.send({ ...MAIL, attachments } as never)
    assert.equal(error, null)
    const { provider, attachments: files, id } = await inbox.waitForMessage({ timeoutSeconds: 5 })
    const read = await Promise.all(files.map((file) => inbox.downloadAttachment(id, file.id)))
    assert.deepEqual(
      read.map((bytes) => Buffer.from(bytes).toString()),
      ['one', 'two'],
    )
    assert.match(JSON.stringify(provider?.request), /"content":"<3 bytes>"/)
    assert.doesNotMatch(JSON.stringify(provider?.request), /111,110/)
  })

  it('accepts addresses that stand for a result, without an inbox', async () => {
    const service = await shared()
    const dev = await service.register()
    const resend = new Resend(dev.key, { baseUrl: `${service.httpUrl}/providers/resend` })
    const sent = await resend.emails.send({ ...MAIL, to: 'bounced+1@resend.dev' })
    assert.equal(sent.error, null)
    const found = await resend.emails.get(String(sent.data?.id))
    assert.equal(found.data?.last_event, 'bounced')
    assert.equal((await resend.emails.send(MAIL)).error?.statusCode, 403)
  })

  const REFUSED: readonly (readonly [string, object, number, string])[] = [
    ['a missing subject', { subject: undefined }, 422, 'missing_required_field'],
    ['a mail without text', { text: undefined }, 422, 'missing_required_field'],
    ['a malformed sender', { from: 'Acme' }, 422, 'invalid_from_address'],
    ['a malformed recipient', { to: 'a@@example.com' }, 422, 'validation_error'],
    [
      'an attachment without content',
      { attachments: [{ filename: 'a.txt' }] },
      422,
      'invalid_attachment',
    ],
    [
      'a file on a private address',
      { attachments: [{ path: 'http://127.0.0.1:9/a.txt' }] },
      422,
      'invalid_attachment',
    ],
  ]
  for (const [what, change, status, name] of REFUSED) {
    it(`refuses ${what}`, async () => {
      const { resend } = await given()
      // Refused by the types; the service checks it, too.
      const { error } = await resend.emails.send({ ...MAIL, ...change } as never)
      assert.deepEqual([error?.statusCode, error?.name], [status, name])
    })
  }

  it('reads times in plain English', async () => {
    const { resend } = await given()
    const hourMs = 3_600_000
    for (const [scheduledAt, fromMs, toMs] of [
      ['in 1 min', 0, 2 * 60_000],
      ['in an hour', hourMs / 2, 2 * hourMs],
      ['tomorrow at 9am', 0, 48 * hourMs],
      ['Friday at 3pm ET', 0, 8 * 24 * hourMs],
    ] as const) {
      const { data, error } = await resend.emails.send({ ...MAIL, scheduledAt })
      assert.equal(error, null, scheduledAt)
      const found = await resend.emails.get(String(data?.id))
      const waitMs = Date.parse(String(found.data?.scheduled_at)) - Date.now()
      assert.ok(waitMs > fromMs - 60_000 && waitMs < toMs, `${scheduledAt}: ${waitMs}`)
    }
    const late = ['soon', 'in 31 days', `tomorrow${' and tomorrow'.repeat(20)}`, '2026-99-99']
    for (const scheduledAt of late) {
      const { error } = await resend.emails.send({ ...MAIL, scheduledAt })
      assert.equal(error?.name, 'validation_error', scheduledAt)
    }
  })

  it('refuses a wrong key, and answers with a fault rule', async () => {
    const { inbox, resend, client } = await given()
    assert.deepEqual((await client('re_wrong').emails.send(MAIL)).error?.name, 'invalid_api_key')
    await inbox.setFaults([{ phase: 'api', status: 429, retryAfterSeconds: 3, times: 1 }])
    const refused = await resend.emails.send(MAIL)
    assert.deepEqual(
      [
        refused.error?.name,
        refused.headers?.['retry-after'],
        refused.headers?.['ratelimit-remaining'],
      ],
      ['rate_limit_exceeded', '3', '0'],
    )
    assert.equal((await resend.emails.send(MAIL)).error, null)
  })
})

onEachDatabase('scheduled mail', (create) => {
  it('is stored when it is due, and not when it was cancelled', async () => {
    const clock = testClock(Date.now())
    await using database = await create()
    await using service = await startService({ clock, database })
    const { inbox, key } = await givenProject(service)
    const resend = new Resend(key, { baseUrl: `${service.httpUrl}/providers/resend/` })
    const schedule = async (subject: string, scheduledAt: string) =>
      String((await resend.emails.send({ ...MAIL, subject, scheduledAt })).data?.id)
    const sent = await schedule('Sent', 'in 1 hour')
    const cancelled = await schedule('Cancelled', 'in 1 hour')
    const moved = await schedule('Moved', 'in 1 hour')
    assert.equal((await resend.emails.get(sent)).data?.last_event, 'scheduled')
    assert.equal((await resend.emails.cancel(cancelled)).error, null)
    assert.equal((await resend.emails.get(cancelled)).data?.last_event, 'canceled')
    const later = new Date(clock.now() + 7_200_000).toISOString()
    assert.equal((await resend.emails.update({ id: moved, scheduledAt: later })).error, null)
    assert.equal((await inbox.refresh()).messageCount, 0)
    clock.ms += 3_600_000
    const message = await inbox.waitForMessage({ timeoutSeconds: 10 })
    assert.equal(message.subject, 'Sent')
    assert.equal(message.provider?.id, sent)
    assert.equal(message.sentAt?.slice(0, 16), new Date(clock.now()).toISOString().slice(0, 16))
    assert.equal((await resend.emails.get(sent)).data?.last_event, 'delivered')
    assert.equal((await resend.emails.cancel(sent)).error?.statusCode, 422)
    assert.equal((await inbox.refresh()).messageCount, 1)
  })
})
