import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { it } from 'node:test'
import { webhookEventSchema } from '@mayfly/contract'
import { Webhook } from 'standardwebhooks'
import type { TestAccount } from '../testing-account.ts'
import { onEachDatabase } from '../testing-databases.ts'
import { first } from '../testing-first.ts'
import { type Received, sharedReceivers } from '../testing-receiver.ts'
import { sharedService, startService } from '../testing-start-service.ts'
import { until } from '../testing-until.ts'

const URL = 'https://example.com/hooks?a=1'

/** The newest delivery once it is in this state. */
function delivered(account: TestAccount, status: string) {
  return until(async () => {
    const { deliveries } = await account.webhooks.deliveries()
    return deliveries[0]?.status === status ? deliveries[0] : null
  })
}

/** What `openssl` makes of a request, keyed as a shell line would key it. */
function opensslSignature(secret: string, { headers, body }: Received): string {
  const input = `${headers['x-service-timestamp']}.${body}`
  const args = ['dgst', '-sha256', '-hmac', secret, '-r']
  return execFileSync('openssl', args, { input, encoding: 'utf8' }).split(' ')[0] ?? ''
}

onEachDatabase('webhooks', (create) => {
  const world = sharedReceivers(create)
  const shared = sharedService(create)

  it('registers, lists and deletes an endpoint; its secret is shown once', async () => {
    const service = await shared()
    const dev = await service.register()
    const made = await dev.post('/v1/webhooks', { url: URL })
    assert.equal(made.status, 201)
    const { webhook, secret } = made.body
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    assert.match(webhook.id, /^whk_[0-9a-z]{26}$/)
    const { createdAt, ...rest } = webhook
    assert.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    const unused = { lastDeliveryAt: null, lastStatus: null, disabledAt: null }
    assert.deepEqual(rest, { id: webhook.id, url: URL, ...unused })

    const listed = await dev.get('/v1/webhooks')
    assert.deepEqual(listed.body, { webhooks: [webhook] })
    const other = await dev.webhooks.create(URL)
    assert.notEqual(other.secret, secret)
    assert.ok(!(await dev.get('/v1/webhooks')).text.includes('whsec_'))

    const deleted = await dev.delete(`/v1/webhooks/${webhook.id}`)
    assert.deepEqual([deleted.status, deleted.text], [204, ''])
    await assert.rejects(dev.webhooks.delete(webhook.id), {
      status: 404,
      code: 'webhook_not_found',
    })
    assert.equal((await dev.webhooks.list()).length, 1)
  })

  it('takes https:// alone, without a password or a fragment', async () => {
    const service = await shared()
    const dev = await service.register()
    const cases: readonly [unknown, RegExp][] = [
      ['http://example.com/', /^url: must be an https:\/\/ URL$/],
      ['ftp://example.com/', /https:/],
      ['example.com', /https:/],
      ['https://', /https:/],
      ['https://exa mple.com/', /https:/],
      ['https://example.com/\n', /https:/],
      [' https://example.com/', /https:/],
      ['https:\\\\example.com/', /https:/],
      ['https://exa[mple.com/', /https:/],
      ['https://example.com:99999/', /https:/],
      ['https://user:pass@example.com/', /^url: must not contain a user or a password$/],
      ['https://user@example.com/', /user or a password/],
      ['https://@example.com/', /user or a password/],
      ['https://example.com/#part', /^url: must not have a fragment$/],
      ['https://example.com/#', /fragment/],
      [`https://example.com/${'x'.repeat(2_000)}`, /at most 2000 characters/],
      [7, /must be a string/],
      [undefined, /is required/],
    ]
    for (const [url, message] of cases) {
      const answer = await dev.post('/v1/webhooks', { url })
      assert.deepEqual(
        [answer.status, answer.body.error?.code],
        [400, 'invalid_parameter'],
        `${url}`,
      )
      assert.match(answer.body.error.message, message)
    }
    const unknown = await dev.post('/v1/webhooks', { url: URL, uri: URL })
    assert.match(unknown.body.error.message, /unknown field "uri"; did you mean "url"\?/)
    for (const url of [
      'HTTPS://Example.com',
      'https://example.com/a@b',
      'https://[2001:db8::1]/',
    ]) {
      assert.equal((await dev.webhooks.create(url)).webhook.url, url)
    }
  })

  it('holds to the number of the plan, also when many come at once', async () => {
    await using database = await create()
    const env = { MAYFLY_DEFAULT_PLAN: 'key_only' }
    await using service = await startService({ database, env })
    const dev = await service.register()
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => dev.post('/v1/webhooks', { url: URL })),
    )
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 403, 403, 403, 403])
    const refused = answers.find(({ status }) => status === 403)
    assert.deepEqual(refused?.body.error, {
      type: 'permission',
      code: 'plan_limit',
      message: 'The plan of this account includes 1 webhook. Delete one first.',
    })
    await dev.webhooks.delete(first(await dev.webhooks.list()).id)
    await dev.webhooks.create(URL)
  })

  it('pushes each message, signed in both ways, and logs it', async () => {
    const { receivers, service } = await world()
    const receiver = await receivers.open()
    const dev = await service.register()
    const { webhook, secret } = await dev.webhooks.create(receiver.url)
    const inbox = await dev.inboxes.create()
    const subject = '=?UTF-8?Q?Gr=C3=BC=C3=9Fe_=E2=9C=89?='
    const text = 'Your verification code is 481516.'
    await service.sendMail({ to: inbox.emailAddress, subject, text })
    const [received] = await receiver.until(1)
    assert.ok(received)

    const { headers, body } = received
    assert.equal(headers['content-type'], 'application/json')
    assert.equal(headers['x-service-event'], 'message.received')
    assert.equal(headers['x-service-signature-version'], 'v1')
    assert.ok(Math.abs(Number(headers['x-service-timestamp']) - Date.now() / 1000) < 60)
    assert.equal(headers['x-service-signature'], opensslSignature(secret, received))
    const event = JSON.parse(body)
    // The library wants plain strings; a request has no other kind of these headers.
    const plain = headers as Record<string, string>
    assert.deepEqual(new Webhook(secret).verify(body, plain), event)

    assert.deepEqual(webhookEventSchema.parse(event), event)
    assert.deepEqual([event.id, event.type], [received.eventId, 'message.received'])
    const message = first((await inbox.listMessages()).messages)
    assert.deepEqual(event.data, {
      inbox: { id: inbox.id, emailAddress: inbox.emailAddress },
      message,
      otp: (await inbox.readMessage(message.id)).otp,
    })
    assert.equal(event.data.otp.value, '481516')

    const delivery = await delivered(dev, 'succeeded')
    const { attempts, createdAt, ...rest } = delivery
    assert.equal(createdAt, event.createdAt)
    assert.deepEqual(rest, {
      id: event.id,
      webhookId: webhook.id,
      url: receiver.url,
      event: 'message.received',
      inboxId: inbox.id,
      messageId: message.id,
      status: 'succeeded',
      nextAttemptAt: null,
    })
    assert.equal(attempts.length, 1)
    const { at, durationMs, ...outcome } = first(attempts)
    assert.deepEqual(outcome, { status: 200, error: null, detail: null })
    assert.ok(Number.isInteger(durationMs) && durationMs >= 0 && at >= createdAt)
    const { lastDeliveryAt, lastStatus } = first(await dev.webhooks.list())
    assert.deepEqual([lastDeliveryAt, lastStatus], [at, 200])
  })

  it('pushes to every endpoint of the account, each event under its own id, and to no other', async () => {
    const { receivers, service } = await world()
    const [one, two, foreign] = await Promise.all([1, 2, 3].map(() => receivers.open()))
    assert.ok(one && two && foreign)
    const [alice, bob] = [await service.register(), await service.register()]
    for (const { url } of [one, two]) await alice.webhooks.create(url)
    await bob.webhooks.create(foreign.url)
    const inbox = await alice.inboxes.create()
    const other = await alice.inboxes.create()
    await service.sendMail({ to: [inbox.emailAddress, other.emailAddress] })
    const received = [...(await one.until(2)), ...(await two.until(2))]
    assert.equal(new Set(received.map(({ eventId }) => eventId)).size, 4)
    const messages = received.map(({ body }) => JSON.parse(body).data.message.id)
    assert.equal(new Set(messages).size, 2)
    await until(async () => {
      const { deliveries } = await alice.webhooks.deliveries()
      const done = deliveries.filter(({ status }) => status === 'succeeded')
      return done.length === 4 ? done : null
    })
    assert.equal(foreign.received.length, 0)
    assert.deepEqual(await bob.webhooks.deliveries(), {
      deliveries: [],
      nextCursor: null,
    })
  })

  it("answers 404 to another account's webhook and delivery, as to unknown ones", async () => {
    const { receivers, service } = await world()
    const receiver = await receivers.open()
    const [alice, bob] = [await service.register(), await service.register()]
    const { webhook } = await alice.webhooks.create(receiver.url)
    const inbox = await alice.inboxes.create()
    await service.sendMail({ to: inbox.emailAddress })
    const { id } = await delivered(alice, 'succeeded')
    const calls: readonly [method: string, path: (name: string) => string, own: string][] = [
      ['DELETE', (name) => `/v1/webhooks/${name}`, webhook.id],
      ['POST', (name) => `/v1/webhooks/${name}/test`, webhook.id],
      ['POST', (name) => `/v1/webhooks/deliveries/${name}/replay`, id],
    ]
    for (const [method, path, own] of calls) {
      const foreign = await bob.send(method, path(own))
      const unknown = await bob.send(method, path('nothing'))
      assert.equal(foreign.status, 404)
      assert.deepEqual(foreign.body, unknown.body)
    }
    assert.deepEqual(await bob.webhooks.list(), [])
    assert.equal(receiver.received.length, 1)
    assert.equal((await alice.webhooks.list()).length, 1)
  })

  it('pages through the log, newest first', async () => {
    const { receivers, service } = await world()
    const receiver = await receivers.open()
    const dev = await service.register()
    await dev.webhooks.create(receiver.url)
    const inbox = await dev.inboxes.create()
    await service.sendMails(Array(5).fill({ to: inbox.emailAddress }))
    await receiver.until(5)
    const seen: { id: string; createdAt: string }[] = []
    let cursor: string | undefined
    for (;;) {
      const page = await dev.webhooks.deliveries({ limit: 2, cursor })
      seen.push(...page.deliveries)
      if (page.nextCursor === null) break
      assert.equal(page.deliveries.length, 2)
      cursor = page.nextCursor
    }
    assert.equal(seen.length, 5)
    const places = seen.map(({ createdAt, id }) => `${createdAt} ${id}`)
    assert.deepEqual(places, places.toSorted().reverse())
    for (const query of [{ cursor: 'nonsense' }, { limit: 0 }, { limit: 101 }]) {
      await assert.rejects(dev.webhooks.deliveries(query), { status: 400 }, JSON.stringify(query))
    }
  })

  it('sends nothing more to a deleted endpoint, and keeps its log', async () => {
    const { receivers, service } = await world()
    const receiver = await receivers.open(500)
    const dev = await service.register()
    const { webhook } = await dev.webhooks.create(receiver.url)
    const inbox = await dev.inboxes.create()
    await service.sendMail({ to: inbox.emailAddress })
    const { id } = await until(async () => {
      const [delivery] = (await dev.webhooks.deliveries()).deliveries
      return delivery?.attempts.length === 1 ? delivery : null
    })
    await dev.webhooks.delete(webhook.id)
    await service.sendMail({ to: inbox.emailAddress })
    const { deliveries } = await dev.webhooks.deliveries()
    assert.equal(deliveries.length, 1)
    assert.deepEqual([deliveries[0]?.status, deliveries[0]?.nextAttemptAt], ['failed', null])
    await assert.rejects(dev.webhooks.replay(id), { status: 404, code: 'webhook_not_found' })
    assert.equal(receiver.received.length, 1)

    await inbox.delete()
    assert.deepEqual((await dev.webhooks.deliveries()).deliveries, [])
  })

  it('sends a sample event on demand, and tells how that went', async () => {
    const { receivers, service } = await world()
    const receiver = await receivers.open()
    const dev = await service.register()
    const { webhook, secret } = await dev.webhooks.create(receiver.url)
    const good = await dev.post(`/v1/webhooks/${webhook.id}/test`)
    const [received] = receiver.received
    assert.ok(received)
    assert.deepEqual([good.status, good.body.delivered], [200, true])
    assert.equal(good.body.eventId, received.eventId)
    assert.equal(received.headers['x-service-signature'], opensslSignature(secret, received))
    assert.equal(webhookEventSchema.parse(JSON.parse(received.body)).test, true)
    receiver.behave(500)
    const bad = await dev.webhooks.test(webhook.id)
    assert.equal(bad.delivered, false)
    assert.deepEqual([bad.attempt.status, bad.attempt.error], [500, 'status'])
    const { lastStatus } = first(await dev.webhooks.list())
    assert.equal(lastStatus, 500)
    assert.deepEqual((await dev.webhooks.deliveries()).deliveries, [])
  })
})
