import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Agent, connectAgent } from '../testing-agent.ts'
import type { ApiClient } from '../testing-api-client.ts'
import { sharedService, startService, type TestService } from '../testing-start-service.ts'
import { until } from '../testing-until.ts'

const ACCEPT = { accept: 'application/json, text/event-stream' }

const rpc = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 7, method, params })

const waitCall = (inboxId: string, timeoutSeconds: number) =>
  rpc('tools/call', { name: 'wait_for_message', arguments: { inboxId, timeoutSeconds } })

describe('the transport for agents', () => {
  const shared = sharedService()

  it('answers plain calls as JSON and waits as a stream', async () => {
    const service = await shared()
    const dev = await service.register()
    const inbox = await dev.inboxes.create()
    const post = (body: object) => dev.post('/mcp', body, { headers: ACCEPT })
    const plain = await post(rpc('tools/call', { name: 'usage_left' }))
    assert.deepEqual([plain.status, plain.headers['content-type']], [200, 'application/json'])
    assert.equal(JSON.parse(plain.body.result.content[0].text).plan, 'unlimited')
    const stream = await post(waitCall(inbox.id, 0))
    assert.deepEqual([stream.status, stream.headers['content-type']], [200, 'text/event-stream'])
    assert.match(stream.text, /^event: message\ndata: \{"result":.*nothing_arrived/)
    assert.match(String(plain.headers['x-request-id']), /^req_/)
    const told = await post({ jsonrpc: '2.0', method: 'notifications/initialized' })
    assert.equal(told.status, 202)
  })

  it('tells an agent the version of the service', async () => {
    const service = await shared()
    const dev = await service.register()
    await using agent = await connectAgent(service.httpUrl, dev)
    const { version } = (await dev.get('/v1/service')).body
    assert.deepEqual(agent.client.getServerVersion(), { name: 'mayfly', title: 'Mayfly', version })
  })

  it('keeps no sessions: GET and DELETE answer 405, any call comes without a start', async () => {
    const service = await shared()
    const dev = await service.register()
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const { status, headers, body } = await dev.send(method, '/mcp', { headers: ACCEPT })
      assert.deepEqual([status, headers['allow']], [405, 'POST'])
      assert.equal(body.error.code, 'method_not_allowed')
    }
    const { status } = await dev.post('/mcp', rpc('tools/list'), { headers: ACCEPT })
    assert.equal(status, 200)
  })

  it('refuses what the API or the protocol refuses', async () => {
    const service = await shared()
    const dev = await service.register()
    const post = (body: unknown, headers: Record<string, string> = ACCEPT) =>
      dev.post('/mcp', body, { headers })
    const json = { ...ACCEPT, 'content-type': 'application/json' }
    const broken = await dev.send('POST', '/mcp', { rawBody: '{', headers: json })
    assert.deepEqual([broken.status, broken.body.error.code], [400, 'invalid_json'])
    const large = await post(rpc('ping', { text: 'x'.repeat(300_000) }))
    assert.deepEqual([large.status, large.body.error.code], [413, 'body_too_large'])
    const batch = await post([rpc('ping'), rpc('ping')])
    assert.deepEqual([batch.status, batch.body.error.code], [400, -32600])
    assert.equal((await post({ hello: 'world' })).status, 400)
    assert.equal((await post(null)).status, 400)
    assert.equal((await post(rpc('ping'), { accept: 'application/json' })).status, 406)
    const old = { ...ACCEPT, 'mcp-protocol-version': '1999-01-01' }
    assert.equal((await post(rpc('ping'), old)).status, 400)
    const unknown = await post(rpc('no/such/method'))
    assert.equal(unknown.body.error.code, -32601)
  })

  it('refuses a Host or an Origin that is not its own', async () => {
    await using service = await startService({ env: { MAYFLY_BASE_URL: 'https://mail.example' } })
    const dev = await service.register()
    const { port } = new URL(service.httpUrl)
    const post = async (headers: Record<string, string>) => {
      const all = { ...ACCEPT, ...headers }
      const { status, body } = await dev.post('/mcp', rpc('ping'), { headers: all })
      return status === 200 ? 200 : `${status} ${body.error.code}`
    }
    assert.equal(await post({}), 200)
    assert.equal(await post({ host: 'mail.example', origin: 'https://mail.example' }), 200)
    assert.equal(await post({ host: `localhost:${port}` }), 200)
    assert.equal(await post({ origin: `http://localhost:${port}` }), 200)
    assert.equal(await post({ host: `evil.example:${port}` }), '403 origin_refused')
    assert.equal(await post({ origin: 'http://evil.example' }), '403 origin_refused')
    assert.equal(await post({ origin: 'null' }), '403 origin_refused')
    assert.equal(await post({ origin: 'http://localhost:1' }), '403 origin_refused')
  })

  it('tells a client that asks how far a wait has come', async () => {
    const service = await shared()
    await using agent = await connectAgent(service.httpUrl, await service.register())
    const { inbox } = (await agent.call('create_inbox')).data
    const waiting = startWait(agent, { inboxId: inbox.id, timeoutSeconds: 120 })
    assert.deepEqual(await waiting.begun, {
      progress: 0,
      total: 120,
      message: `Waiting for a message in ${inbox.id}`,
    })
    await service.sendMail({ to: inbox.emailAddress })
    assert.equal((await waiting.answer).isError, false)
  })

  it('frees the place of a wait that is cancelled or left, and of no other', async () => {
    const env = { MAYFLY_DEFAULT_PLAN: 'key_only', MAYFLY_PLAN_KEY_ONLY: 'requestsPerMinute=none' }
    await using service = await startService({ env })
    const dev = await service.register()
    await using agent = await connectAgent(service.httpUrl, dev)
    await using other = await connectAgent(service.httpUrl, dev)
    const { inbox } = (await agent.call('create_inbox')).data
    // Both clients have made as many calls, so that their waits have the same number.
    await other.call('usage_left')
    const wait = { inboxId: inbox.id, timeoutSeconds: 300 }
    const look = async () => {
      const args = { inboxId: inbox.id, timeoutSeconds: 0 }
      const { texts } = await agent.call('wait_for_message', args)
      return /^\w+/.exec(String(texts[0]))?.[0]
    }
    const untilFree = () => until(async () => ((await look()) === 'nothing_arrived' ? true : null))

    const cancel = new AbortController()
    const cancelled = startWait(agent, wait, cancel.signal)
    const kept = startWait(other, wait)
    await Promise.all([cancelled.begun, kept.begun])
    assert.equal(await look(), 'concurrent_waits_exceeded')
    cancel.abort()
    await assert.rejects(cancelled.answer)
    await untilFree()

    const leave = await openWait(dev, service, inbox.id)
    assert.equal(await look(), 'concurrent_waits_exceeded')
    leave()
    await untilFree()

    await service.sendMail({ to: inbox.emailAddress, subject: 'for who stayed' })
    assert.match((await kept.answer).data.untrusted, /for who stayed/)
    assert.deepEqual(service.logged, [])
  })

  it('tells a wait that the service stops', async () => {
    const service = await startService()
    await using agent = await connectAgent(service.httpUrl, await service.register())
    const { inbox } = (await agent.call('create_inbox')).data
    const waiting = startWait(agent, { inboxId: inbox.id, timeoutSeconds: 300 })
    await waiting.begun
    const [{ isError, texts }] = await Promise.all([waiting.answer, service[Symbol.asyncDispose]()])
    assert.equal(isError, true)
    assert.match(String(texts[0]), /^shutting_down: .*\nNext: Call again in a moment\./)
  })
})

/** Starts a wait; `begun` resolves with the first word of it. */
function startWait(agent: Agent, args: Record<string, unknown>, signal?: AbortSignal) {
  const { promise: begun, resolve: onprogress } = Promise.withResolvers<object>()
  const options = { onprogress, ...(signal === undefined ? {} : { signal }) }
  return { begun, answer: agent.call('wait_for_message', args, options) }
}

/** Opens a wait as a bare client would; returns, once it has begun, how to hang up. */
async function openWait(dev: ApiClient, { httpUrl }: TestService, inboxId: string) {
  const hangUp = new AbortController()
  const call = waitCall(inboxId, 300)
  const params = { ...call.params, _meta: { progressToken: 'here' } }
  const response = await fetch(new URL('/mcp', httpUrl), {
    method: 'POST',
    headers: {
      ...ACCEPT,
      'content-type': 'application/json',
      authorization: `Bearer ${dev.key}`,
    },
    body: JSON.stringify({ ...call, params }),
    signal: hangUp.signal,
  })
  const first = await response.body?.getReader().read()
  assert.match(Buffer.from(first?.value ?? []).toString(), /notifications\/progress/)
  return () => hangUp.abort()
}
