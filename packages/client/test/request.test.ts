import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { describe, it } from 'node:test'
import { ApiError, ConnectionError, createClient, MayflyError } from '../src/index.ts'
import { readService } from '../src/internal.ts'
import { errorResponse, type FakeResponse, startFakeHttp } from './testing-fake-http.ts'
import { startFakeMayfly } from './testing-fake-mayfly.ts'

const RATE_LIMIT = errorResponse(429, 'requests_per_minute_exceeded', { 'retry-after': '0' })
const STOPPING = errorResponse(503, 'shutting_down', { 'retry-after': '0' })

describe('a call', () => {
  it('carries the key, the parameters and the body as the service takes them', async () => {
    await using mayfly = await startFakeMayfly()
    mayfly.script.push({ status: 200, body: { usage: [] } }, { status: 201, body: { key: {} } })
    const client = mayfly.connect({ baseUrl: `${mayfly.baseUrl}//` })
    await client.account.usage({ days: 7 })
    await client.keys.create({ name: 'CI', role: 'admin' })

    const [usage, key] = mayfly.calls
    assert.equal(`${usage?.method} ${usage?.path}?${usage?.query}`, 'GET /v1/usage?days=7')
    assert.equal(usage?.headers.authorization, 'Bearer mf_test_key')
    assert.equal(usage?.headers['content-type'], undefined)
    assert.equal(`${key?.method} ${key?.path}`, 'POST /v1/keys')
    assert.deepEqual(JSON.parse(key?.body ?? ''), { name: 'CI', role: 'admin' })
    assert.equal(key?.headers['content-type'], 'application/json')
  })

  it('goes on with the new key after a rotation', async () => {
    await using mayfly = await startFakeMayfly()
    mayfly.script.push({ status: 200, body: { apiKey: 'mf_test_new', key: {} } })
    const client = mayfly.connect()
    await client.keys.rotate()
    await client.inboxes.list()
    assert.equal(mayfly.calls.at(-1)?.headers.authorization, 'Bearer mf_test_new')
  })

  it('cannot be made without a key, and says where to get one', () => {
    assert.throws(() => createClient({ baseUrl: 'http://mayfly.example' }), {
      name: 'MayflyError',
      message: /mayfly signup/,
    })
  })

  it('carries the key without the newline of the file that it was read from', async () => {
    await using mayfly = await startFakeMayfly()
    await mayfly.connect({ apiKey: ' mf_test_key\r\n' }).inboxes.list()
    assert.equal(mayfly.calls.at(-1)?.headers.authorization, 'Bearer mf_test_key')
  })

  for (const apiKey of ['mf_live_…', 'mf_live_a b', 'mf_live_a\nb', 'mf_live_\x7f']) {
    it(`cannot be made with a key such as ${JSON.stringify(apiKey)}, which is not quoted`, () => {
      assert.throws(
        () => createClient({ apiKey }),
        (error) => {
          assert.ok(error instanceof MayflyError)
          assert.match(error.message, /^apiKey is not an API key: .+ Pass the whole key\.$/)
          assert.doesNotMatch(error.message, /mf_live_/)
          return true
        },
      )
    })
  }

  for (const baseUrl of ['localhost:8025', '', '127.0.0.1', 'ftp://127.0.0.1', 'http://']) {
    it(`cannot be made with the base URL "${baseUrl}"`, async () => {
      const expected = {
        name: 'MayflyError',
        message: `"${baseUrl}" is not the URL of a service, such as http://127.0.0.1:8025.`,
      }
      assert.throws(() => createClient({ baseUrl, apiKey: 'mf_test_key' }), expected)
      await assert.rejects(readService({ baseUrl }), expected)
    })
  }
})

describe('an error response', () => {
  it('becomes an error with all that it says', async () => {
    await using mayfly = await startFakeMayfly()
    const error = { type: 'conflict', code: 'address_taken', message: 'Taken.', requestId: 'req-7' }
    mayfly.script.push({ status: 409, body: { error }, headers: { 'retry-after': '3' } })
    await assert.rejects(mayfly.connect().inboxes.create({ localPart: 'qa' }), (thrown) => {
      assert.ok(thrown instanceof ApiError && thrown instanceof MayflyError)
      assert.equal(thrown.message, 'Taken. (409 address_taken, POST /v1/inboxes, request req-7)')
      const { status, type, code, requestId, retryAfterSeconds } = thrown
      assert.deepEqual(
        { status, type, code, requestId, retryAfterSeconds },
        {
          status: 409,
          type: 'conflict',
          code: 'address_taken',
          requestId: 'req-7',
          retryAfterSeconds: 3,
        },
      )
      return true
    })
  })

  it('names its request, by the header where the body does not', async () => {
    await using mayfly = await startFakeMayfly()
    const error = { type: 'conflict', code: 'address_taken', message: 'Taken.' }
    mayfly.script.push({ status: 409, body: { error }, headers: { 'x-request-id': 'req_8' } })
    await assert.rejects(mayfly.connect().inboxes.create(), { requestId: 'req_8' })
  })

  it('of another program is quoted', async () => {
    await using mayfly = await startFakeMayfly()
    mayfly.script.push({ status: 404, body: '<h1>\n nginx</h1>' })
    await assert.rejects(mayfly.connect().inboxes.list(), /not from Mayfly: "<h1> nginx<\/h1>"/)
    mayfly.script.push({ status: 200, body: '<!doctype html>' })
    await assert.rejects(mayfly.connect().inboxes.list(), {
      name: 'MayflyError',
      message: /"<!doctype html>"\. Check the base URL\. \(200, GET \/v1\/inboxes\)/,
    })
  })
})

describe('a call that fails', () => {
  const create = (client: ReturnType<typeof createClient>) => client.inboxes.create()
  const addKey = (client: ReturnType<typeof createClient>) => client.keys.create({ name: 'CI' })
  const cases: readonly {
    readonly name: string
    readonly responses: readonly FakeResponse[]
    readonly call: typeof create | typeof addKey
    readonly sent: number
    readonly fails: boolean
  }[] = [
    {
      name: 'create, cut off',
      responses: ['hangUp', 'hangUp'],
      call: create,
      sent: 3,
      fails: false,
    },
    { name: 'create, stopping', responses: [STOPPING], call: create, sent: 2, fails: false },
    { name: 'create, rate limit', responses: [RATE_LIMIT], call: create, sent: 2, fails: false },
    {
      name: 'create, rate limit for longer than other failures are borne',
      responses: Array.from({ length: 6 }, () => RATE_LIMIT),
      call: create,
      sent: 7,
      fails: false,
    },
    {
      name: 'create, at the daily limit',
      responses: [errorResponse(429, 'daily_limit_reached', { 'retry-after': '1' })],
      call: create,
      sent: 1,
      fails: true,
    },
    {
      name: 'create, asked to wait for an hour',
      responses: [errorResponse(429, 'requests_per_minute_exceeded', { 'retry-after': '3600' })],
      call: create,
      sent: 1,
      fails: true,
    },
    {
      name: 'create, our bug',
      responses: [errorResponse(500, 'internal_error')],
      call: create,
      sent: 1,
      fails: true,
    },
    {
      name: 'create, stopping for good',
      responses: Array.from({ length: 4 }, () => STOPPING),
      call: create,
      sent: 4,
      fails: true,
    },
    { name: 'a key, cut off', responses: ['hangUp'], call: addKey, sent: 1, fails: true },
    { name: 'a key, stopping', responses: [STOPPING], call: addKey, sent: 1, fails: true },
    { name: 'a key, rate limit', responses: [RATE_LIMIT], call: addKey, sent: 2, fails: false },
  ]
  for (const { name, responses, call, sent, fails } of cases) {
    it(`${name}: is sent ${sent} times and ${fails ? 'fails' : 'succeeds'}`, async () => {
      await using mayfly = await startFakeMayfly()
      mayfly.script.push(...responses)
      const outcome = await call(mayfly.connect()).then(
        () => null,
        (error: unknown) => error,
      )
      assert.equal(outcome !== null, fails, String(outcome))
      assert.equal(mayfly.calls.length, sent)
    })
  }

  it('repeats a create under one idempotency key, and makes a new key for the next', async () => {
    await using mayfly = await startFakeMayfly()
    mayfly.script.push('hangUp')
    const client = mayfly.connect()
    await client.inboxes.create()
    await client.inboxes.create()
    const keys = mayfly.calls.map(({ headers }) => String(headers['idempotency-key']))
    assert.equal(keys[0], keys[1])
    assert.notEqual(keys[1], keys[2])
    assert.match(keys[0] ?? '', /^\d+(?:-\d+){3}$/)
  })

  it('takes "not found" for success when a delete is repeated, not when it is first', async () => {
    await using mayfly = await startFakeMayfly()
    const inbox = await mayfly.connect().inboxes.create()
    mayfly.script.push(STOPPING, errorResponse(404, 'inbox_not_found'))
    await inbox.delete()
    mayfly.script.push(errorResponse(404, 'inbox_not_found'))
    await assert.rejects(inbox.delete(), { code: 'inbox_not_found' })
  })
})

describe('a call without a response', () => {
  it('says that nothing listens there and what to do', async () => {
    const { baseUrl, [Symbol.asyncDispose]: close } = await startFakeHttp(async () => 'hangUp')
    await close()
    const client = createClient({ baseUrl, apiKey: 'mf_test_key' })
    await assert.rejects(client.keys.create({ name: 'CI' }), (error) => {
      assert.ok(error instanceof ConnectionError)
      assert.match(
        error.message,
        /^Mayfly at http:\/\/127\.0\.0\.1:\d+ cannot be reached: ECONNREF/,
      )
      assert.match(error.message, /npm start in the folder of Mayfly/)
      return true
    })
  })

  it('says that what listens there is not HTTP, such as the SMTP port', async () => {
    await using smtp = createServer((socket) => {
      socket.resume().end('220 mail.example ESMTP\r\n')
    })
    smtp.listen(0, '127.0.0.1')
    await once(smtp, 'listening')
    // A server that listens on a port has an address of this kind.
    const baseUrl = `http://127.0.0.1:${(smtp.address() as AddressInfo).port}`
    const client = createClient({ baseUrl, apiKey: 'mf_test_key' })
    await assert.rejects(client.keys.create({ name: 'CI' }), {
      name: 'ConnectionError',
      message: `Mayfly at ${baseUrl} cannot be reached: it does not speak HTTP (is this the port of SMTP?). Is it running (npm start in the folder of Mayfly)? Is the base URL right (option baseUrl, variable MAYFLY_BASE_URL)?`,
    })
  })

  it('says that fetch blocks the port', async () => {
    const client = createClient({ baseUrl: 'http://127.0.0.1:6667', apiKey: 'mf_test_key' })
    await assert.rejects(client.keys.create({ name: 'CI' }), {
      message:
        /^Mayfly at http:\/\/127\.0\.0\.1:6667 cannot be reached: fetch blocks this port \(bad port\)\. /,
    })
  })

  it('ends when its signal fires, with the reason of the signal', async () => {
    const arrived = Promise.withResolvers<void>()
    await using server = await startFakeHttp(async (_call, gone) => {
      arrived.resolve()
      await new Promise((resolve) => gone.addEventListener('abort', resolve))
      return 'hangUp'
    })
    const client = createClient({ baseUrl: server.baseUrl, apiKey: 'mf_test_key' })
    const controller = new AbortController()
    const reason = new Error('enough')
    const call = client.inboxes.list({ signal: controller.signal })
    await arrived.promise
    controller.abort(reason)
    await assert.rejects(call, reason)
    assert.equal(server.calls.length, 1)
    await assert.rejects(client.inboxes.list({ signal: controller.signal }), reason)
    assert.equal(server.calls.length, 1)
  })
})
