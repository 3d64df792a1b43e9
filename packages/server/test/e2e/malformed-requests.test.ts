import assert from 'node:assert/strict'
import { once } from 'node:events'
import { METHODS } from 'node:http'
import { connect, type Socket } from 'node:net'
import { describe, it } from 'node:test'
import { sharedService, startService, type TestService } from '../testing-start-service.ts'
import { until } from '../testing-until.ts'

describe('a malformed request', () => {
  const shared = sharedService()

  it('is answered in the shape of all errors, with a request id', async () => {
    const service = await shared()
    const long = 'x'.repeat(20_000)
    const requests: readonly (readonly [string, string, number, string])[] = [
      ['a bad header', head('GET /healthz', 'bad header'), 400, 'malformed_request'],
      ['no HTTP', 'hello\r\n\r\n', 400, 'malformed_request'],
      ['no Host', 'GET /healthz HTTP/1.1\r\nconnection: close\r\n\r\n', 400, 'malformed_request'],
      ['large headers', head('GET /healthz', `x: ${long}`), 431, 'headers_too_large'],
      ['a long path', head(`GET /v1/inboxes/${'x'.repeat(300)}`), 414, 'uri_too_long'],
      ['a bad escape', head('GET /v1/inboxes/%ff'), 400, 'invalid_parameter'],
      ['a made-up method', head('BREW /v1/inboxes'), 405, 'method_not_allowed'],
      ['a made-up method, no such path', head('BREW /v1/none'), 404, 'route_not_found'],
      ['an unknown expectation', head('GET /v1/none', 'expect: tea'), 404, 'route_not_found'],
    ]
    for (const [name, request, status, code] of requests) {
      const answer = await exchange(service, request)
      assert.equal(answer.status, status, `${name}: ${answer.text}`)
      assert.equal(answer.body.error?.code, code, `${name}: ${answer.text}`)
      assert.deepEqual(Object.keys(answer.body.error), ['type', 'code', 'message'], name)
      assert.match(answer.headers.get('x-request-id') ?? '', /^req_/, name)
      assert.equal(answer.headers.get('cache-control'), 'no-store', name)
      if (status === 405) assert.equal(answer.headers.get('allow'), 'GET, HEAD, POST')
    }
  })

  it('gets 405 for every method that its path does not have, whatever its body', async () => {
    const service = await shared()
    const refused = METHODS.filter((m) => !['GET', 'HEAD', 'POST', 'CONNECT'].includes(m))
    for (const method of refused) {
      for (const body of ['', '{', 'null']) {
        const length = `content-length: ${body.length}`
        const request = head(`${method} /v1/inboxes`, 'content-type: application/json', length)
        const answer = await exchange(service, request + body)
        assert.equal(answer.status, 405, `${method} ${body}: ${answer.text}`)
        assert.equal(answer.body.error.code, 'method_not_allowed')
        assert.equal(answer.headers.get('allow'), 'GET, HEAD, POST')
      }
    }
  })

  it('is not one whose path holds a long domain name', async () => {
    const dev = await (await shared()).register()
    const domain = `${`${'x'.repeat(60)}.`.repeat(4)}test`
    const answer = await dev.post(`/v1/domains/${domain}/verify`)
    assert.deepEqual([answer.status, answer.body.error.code], [404, 'domain_not_found'])
  })

  it('learns from Allow only methods that the path has', async () => {
    const service = await shared()
    const paths = {
      '/v1/inboxes/x': 'DELETE, GET, HEAD',
      '/v1/events': 'GET',
      '/v1/inboxes/x/wait': 'GET, HEAD',
      '/v1/domains/custom': 'GET, HEAD',
      '/v1/keys/rotate': 'POST',
      '/mcp': 'POST',
      '/healthz': 'GET, HEAD',
    }
    for (const [path, allow] of Object.entries(paths)) {
      const answer = await service.anonymous.send('PATCH', path)
      assert.deepEqual([answer.status, answer.headers['allow']], [405, allow], path)
    }
  })

  it('with the body null is refused, because null is not an object', async () => {
    const service = await shared()
    const dev = await service.register()
    for (const path of ['/v1/inboxes', '/v1/keys', '/v1/account/connection']) {
      const answer = await dev.post(path, null)
      assert.equal(answer.status, 400, `${path}: ${answer.text}`)
      assert.equal(answer.body.error.message, 'body: must be an object')
    }
    assert.equal((await dev.post('/v1/keys')).body.error.message, 'body: is required')
  })

  it('that arrives too slowly is answered in the same shape', async () => {
    await using service = await startService({ httpTimeouts: { requestMs: 300, idleMs: 5_000 } })
    const answer = await exchange(service, 'GET /healthz HTTP/1.1\r\nhost: localhost\r\n')
    assert.deepEqual([answer.status, answer.body.error?.code], [408, 'request_timeout'])
    assert.match(answer.headers.get('x-request-id') ?? '', /^req_/)
  })

  it('that ends after the service began to stop is answered in the same shape', async () => {
    const service = await startService()
    const socket = connect(Number(new URL(service.httpUrl).port), '127.0.0.1')
    const line = 'GET /healthz HTTP/1.1\r\nhost: localhost\r\n'
    socket.write(`${line}\r\n${line}`)
    await once(socket, 'readable')
    socket.read()
    const stopped = service[Symbol.asyncDispose]()
    await until(async () => ((await isListening(service)) ? null : true))
    socket.write('\r\n')
    const answer = await readAnswer(socket)
    await stopped
    assert.deepEqual([answer.status, answer.body.error?.code], [503, 'shutting_down'], answer.text)
    assert.equal(answer.headers.get('retry-after'), '2')
  })
})

async function isListening(service: TestService): Promise<boolean> {
  const socket = connect(Number(new URL(service.httpUrl).port), '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

function head(line: string, ...fields: readonly string[]): string {
  const lines = [`${line} HTTP/1.1`, 'host: localhost', 'connection: close', ...fields]
  return `${lines.join('\r\n')}\r\n\r\n`
}

/** Sends these bytes and reads until the service closes the connection. */
async function exchange(service: TestService, request: string) {
  const socket = connect(Number(new URL(service.httpUrl).port), '127.0.0.1')
  socket.write(request)
  return readAnswer(socket)
}

async function readAnswer(socket: Socket) {
  let text = ''
  for await (const chunk of socket) text += String(chunk)
  const [top = '', content = ''] = text.split('\r\n\r\n')
  const [statusLine = '', ...fields] = top.split('\r\n')
  const headers = new Map(
    fields.map((field) => {
      const [name = '', value = ''] = field.split(': ')
      return [name.toLowerCase(), value]
    }),
  )
  // An empty or foreign body fails the assertion on its code instead of the parser.
  const body = content.startsWith('{') ? JSON.parse(content) : {}
  return { status: Number(statusLine.split(' ')[1]), headers, body, text }
}
