import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Answer } from '../testing-api-client.ts'
import { onEachDatabase } from '../testing-databases.ts'
import { startDnsServer } from '../testing-dns-server.ts'
import { openEvents } from '../testing-event-stream.ts'
import { CLIENT, startOidcServer } from '../testing-identity-server.ts'
import { Person } from '../testing-person.ts'
import { createReceivers } from '../testing-receiver.ts'
import { startService, type TestService } from '../testing-start-service.ts'
import { until } from '../testing-until.ts'

const MAIL = [
  'Subject: Sign up',
  'Content-Type: multipart/mixed; boundary=b',
  '',
  '--b',
  'Content-Type: text/html',
  '',
  '<p>Your code is <b>481516</b></p>',
  '--b',
  'Content-Disposition: attachment; filename=a.txt',
  '',
  'attached',
  '--b--',
  '',
].join('\r\n')

const ASSERTIONS = [{ type: 'otpPresent' }, { type: 'auth', check: 'spf', expect: 'pass' }]

type Operation = { readonly method: string; readonly path: string }

/** What a call sends: path parameters, query and body. */
type Sent = { readonly query?: string; readonly body?: unknown; readonly [name: string]: unknown }

/** Calls operations by their ids in the OpenAPI document, and remembers which. */
async function createCaller(service: TestService, key: string) {
  const { paths } = (await service.anonymous.get('/openapi.json')).body
  const operations = new Map<string, Operation>()
  for (const [path, item] of Object.entries<Record<string, { operationId: string }>>(paths)) {
    for (const [method, { operationId }] of Object.entries(item)) {
      operations.set(operationId, { method: method.toUpperCase(), path })
    }
  }
  const called = new Set<string>()
  const place = (id: string, sent: Sent) => {
    called.add(id)
    const { method, path } = operations.get(id) ?? assert.fail(`there is no operation ${id}`)
    const filled = path.replace(/\{(\w+)\}/g, (_, name) => String(sent[name] ?? assert.fail(name)))
    return { method, path: sent.query === undefined ? filled : `${filled}?${sent.query}` }
  }
  return {
    place,
    uncalled: () => [...operations.keys()].filter((id) => !called.has(id)),
    /** The body of the response, which must be a success. `as` is the key that calls. */
    call: async (id: string, sent: Sent = {}, as = key): Promise<Answer['body']> => {
      const { method, path } = place(id, sent)
      const rawBody = sent.body === undefined ? undefined : JSON.stringify(sent.body)
      const response = await service.account(as).send(method, path, {
        ...(rawBody === undefined
          ? {}
          : { rawBody, headers: { 'content-type': 'application/json' } }),
      })
      const isSuccess = response.status >= 200 && response.status < 300
      assert.ok(isSuccess, `${id}: ${response.status} ${response.text}`)
      return response.body ?? response.text
    },
  }
}

onEachDatabase('the service', (create, database) => {
  // On SQLite schemathesis calls each of them.
  if (database === 'SQLite') return

  it('carries out every operation of its OpenAPI document', async () => {
    await using store = await create()
    await using receivers = await createReceivers()
    const receiver = await receivers.open()
    await using provider = await startOidcServer()
    await using dns = await startDnsServer()
    dns.set('shop.example', { TXT: ['v=spf1 ip4:127.0.0.1 -all'] })
    await using service = await startService({
      database: store,
      hasLocalAccount: true,
      env: {
        ...receivers.env,
        MAYFLY_CATCH_ALL: 'on',
        MAYFLY_DNS_SERVERS: dns.address,
        MAYFLY_OIDC_ISSUER: provider.url,
        MAYFLY_OIDC_CLIENT_ID: CLIENT.id,
        MAYFLY_OIDC_CLIENT_SECRET: CLIENT.secret,
        MAYFLY_OIDC_NAME: 'Example ID',
      },
    })
    provider.register(`${service.httpUrl}/v1/account/connection/callback`)
    const { key } = await service.register('walker@example.com')
    const { call, place, uncalled } = await createCaller(service, key)

    // The account, its keys and how people sign in.
    assert.ok((await call('registerAccount', { body: { email: 'new@example.com' } })).apiKey)
    assert.equal((await call('readAccount')).account.email, 'walker@example.com')
    assert.ok((await call('readUsage')).usage.length > 0)
    await call('readService')
    const { authorizationUrl } = await call('beginConnection', { body: { provider: 'oidc' } })
    const { search } = new URL(await new Person('kim').agree(authorizationUrl))
    assert.match(await call('completeConnection', { query: search.slice(1) }), /now connected/)
    assert.equal((await call('readAccount')).account.connected, true)
    await call('deleteConnection')
    assert.equal((await call('signInWithoutKey')).key.role, 'member')
    const { url } = await call('createSignInLink')
    const token = new URLSearchParams(new URL(url).hash.slice(1)).get('token')
    const { apiKey } = await call('signIn', { body: { token } })
    assert.equal((await service.anonymous.post('/v1/sign-in', { token })).status, 401)
    await call('changeSession', { body: { staySignedIn: true } }, apiKey)
    const created = await call('createKey', { body: { name: 'CI' } })
    const rotated = await call('rotateKey', {}, created.apiKey)
    assert.notEqual(rotated.apiKey, created.apiKey)
    await call('revokeKey', { id: created.key.id })
    const { keys } = await call('listKeys')
    assert.ok(!keys.some(({ id }: { id: string }) => id === created.key.id))
    assert.equal((await service.account(apiKey).get('/v1/account')).status, 200)
    await call('signOut', {}, apiKey)

    // Domains.
    const { domain } = await call('registerDomain', { body: { domain: 'qa.shop.example' } })
    dns.set(domain.txtRecord.name, { TXT: [domain.txtRecord.value] })
    await call('verifyDomain', { domain: 'qa.shop.example' })
    assert.equal((await call('listCustomDomains')).domains.length, 1)
    await call('deleteDomain', { domain: 'qa.shop.example' })
    assert.ok((await call('listDomains')).domains.length > 0)

    // A mail, in an inbox, through a webhook.
    const { webhook } = await call('createWebhook', { body: { url: receiver.url } })
    assert.equal((await call('testWebhook', { id: webhook.id })).delivered, true)
    assert.equal((await call('listWebhooks')).webhooks.length, 1)
    const { inbox } = await call('createInbox', { body: { localPart: 'walk' } })
    const { id } = inbox
    await using events = await openEvents(service.account(key), place('streamAccountEvents', {}))
    await service.sendMail({ to: inbox.emailAddress, from: 'app@shop.example', raw: MAIL })
    await events.next('message.received')
    const waited = await call('waitForMessage', { id, query: 'for=otp&timeoutSeconds=10' })
    assert.equal(waited.message.otp.value, '481516')
    const messageId: string = waited.message.id
    await receiver.until(2)
    const delivery = await until(async () => {
      const { deliveries } = await call('listDeliveries')
      return deliveries.find(({ status }: { status: string }) => status === 'succeeded') ?? null
    })
    await call('replayDelivery', { id: delivery.id })
    await call('deleteWebhook', { id: webhook.id })
    assert.equal((await call('listInboxes')).inboxes[0].id, id)
    assert.equal((await call('readInbox', { id })).messageCount, 1)
    assert.equal((await call('listMessages', { id })).messages[0].id, messageId)
    const message = await call('readMessage', { id, messageId })
    const attachmentId = message.attachments[0].id
    assert.equal(await call('readAttachment', { id, messageId, attachmentId }), 'attached')
    assert.match(await call('readRawMessage', { id, messageId }), /boundary=b/)
    assert.equal((await call('explainOtp', { id, messageId })).otp.value, '481516')
    await call('checkMessageHtml', { id, messageId })
    await call('createMessageFrame', { id, messageId })
    await call('readTranscript', { id, messageId })
    await call('readDiagnostics', { id })
    assert.equal((await call('searchMessages', { query: 'q=code' })).messages[0].id, messageId)

    // Assertions, faults, changes.
    const body = { assertions: ASSERTIONS, timeoutSeconds: 20 }
    assert.equal((await call('assertInbox', { id, body })).passed, true)
    const { scenario } = await call('createScenario', { body: { name: 'walk', ...body } })
    assert.equal((await call('listScenarios')).scenarios.length, 1)
    assert.equal(
      (await call('runScenario', { id: scenario.id, body: { inboxId: id } })).passed,
      true,
    )
    await call('deleteScenario', { id: scenario.id })
    const rules = [{ phase: 'recipient', code: 451, times: 1 }]
    await call('setFaults', { id, body: { rules } })
    assert.equal((await call('readFaults', { id })).rules[0].timesLeft, 1)
    await call('deleteFaults', { id })
    await call('changeMessage', { id, messageId, body: { read: true } })
    assert.equal((await call('readInbox', { id })).unreadCount, 0)
    await call('deleteMessage', { id, messageId })
    await call('deleteMessages', { id })
    assert.equal((await call('readInbox', { id })).messageCount, 0)
    await call('deleteInbox', { id })

    assert.deepEqual(uncalled(), [])
  })

  it('answers programs written for Mailpit, MailHog and MailDev', async () => {
    await using store = await create()
    const env = { MAYFLY_CATCH_ALL: 'on' }
    await using service = await startService({ database: store, env, hasLocalAccount: true })
    for (const subject of ['first', 'second', 'third']) {
      await service.sendMail({ to: 'ada@shop.example', subject })
    }
    const { get, send } = service.anonymous
    const list = async (query = '') => (await get(`/api/v1/${query}`)).body.messages
    const subjects = (messages: { Subject: string }[]) => messages.map(({ Subject }) => Subject)
    const [third, second] = await list('messages')
    assert.deepEqual(subjects(await list('messages')), ['third', 'second', 'first'])
    assert.deepEqual(subjects(await list('search?query=subject:second')), ['second'])
    assert.equal((await get(`/api/v1/message/${second.ID}`)).body.Subject, 'second')
    const change = async (method: string, path: string, body: unknown) => {
      const headers = { 'content-type': 'application/json' }
      const { status } = await send(method, path, { rawBody: JSON.stringify(body), headers })
      assert.equal(status, 200, `${method} ${path}`)
    }
    await change('PUT', '/api/v1/messages', { IDs: [second.ID], Read: true })
    await change('PUT', '/api/v1/tags', { IDs: [second.ID], Tags: ['seen'] })
    const { Read, Tags } = (await list('messages'))[1]
    assert.deepEqual([Read, Tags], [true, ['seen']])
    await change('DELETE', '/api/v1/messages', { IDs: [third.ID] })
    assert.deepEqual(subjects(await list('messages')), ['second', 'first'])
    assert.equal((await get('/api/v2/messages')).body.total, 2)
    assert.equal((await get('/api/v2/search?kind=containing&query=first')).body.total, 1)
    assert.equal((await get('/email')).body.length, 2)
    await send('DELETE', '/email/all')
    assert.deepEqual(await list('messages'), [])
  })
})
