import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { afterEach, describe, it } from 'node:test'
import { TLSSocket } from 'node:tls'
import { queryObjects } from 'node:v8'
import { Client } from 'undici'
import { createAuthority, daysFromNow } from '../../../test/testing-certificates.ts'
import {
  assertNoSockets,
  startTcpServer,
  type TcpServerOptions,
  watchClientSockets,
} from '../../../test/testing-tcp-server.ts'
import { createOutbound, type OutboundOptions, type OutboundRequest } from './http-client.ts'

function open(options: Partial<OutboundOptions> = {}) {
  return createOutbound({
    allowPrivate: true,
    allow: [],
    extraCa: null,
    resolve: async () => ['127.0.0.1'],
    now: () => performance.now(),
    ...options,
  })
}

/** Bounds short enough for tests that wait for them, and a URL of the server that was started. */
async function ask(
  behaviour: TcpServerOptions,
  request: Partial<OutboundRequest> = {},
  options: Partial<OutboundOptions> = {},
) {
  await using server = await startTcpServer(behaviour)
  using opened = watchClientSockets()
  const scheme = behaviour.certificate ? 'https' : 'http'
  const result = await open(options).request({
    method: 'GET',
    headers: {},
    timeoutMs: 5_000,
    redirectsMax: 3,
    bodyBytesMax: 100,
    ...request,
    url: (request.url ?? `${scheme}://name.example:PORT/`).replace('PORT', String(server.port)),
  })
  const left = opened.sockets.filter((socket) => !socket.destroyed)
  assert.equal(left.length, 0, 'a socket outlives its request')
  return { result, connections: server.connections(), received: server.received() }
}

function ok(body: string): string {
  return `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`
}

describe('an outbound request', () => {
  afterEach(assertNoSockets)

  it('sends what it was given, and asks for a plain body and no second use', async () => {
    const { received } = await ask(
      { answer: ok('') },
      { method: 'POST', headers: { 'User-Agent': 'Mayfly/1', 'X-A': 'b' }, body: '{"a":1}' },
    )
    const [head = '', body] = received.split('\r\n\r\n')
    const [line, ...headers] = head.toLowerCase().split('\r\n')
    assert.equal(line, 'post / http/1.1')
    assert.equal(body, '{"a":1}')
    const names = headers.map((header) => header.replace(/(^host: name.example):\d+$/, '$1'))
    assert.deepEqual(names.sort(), [
      'accept-encoding: identity',
      'connection: close',
      'content-length: 7',
      'host: name.example',
      'user-agent: mayfly/1',
      'x-a: b',
    ])
  })

  it('tells status, body, few headers, the last URL and how long it took', async () => {
    const times = [1_000, 1_234.5]
    const { result } = await ask(
      {
        answer: 'HTTP/1.1 503 No\r\nRetry-After: 7\r\nset-cookie: a=b\r\n\r\nlater',
        onConnection: endAfterRequest,
      },
      { url: 'http://name.example:PORT/p?q#f' },
      { now: () => times.shift() ?? 0 },
    )
    assert.ok(result.state === 'responded')
    assert.match(result.url, /^http:\/\/name\.example:\d+\/p\?q#f$/)
    assert.partialDeepStrictEqual(result, { status: 503, isTruncated: false, durationMs: 235 })
    assert.deepEqual(result.headers, { 'retry-after': '7' })
    assert.equal(result.body.toString(), 'later')
  })

  it('does not unpack a body', async () => {
    const { result } = await ask({
      answer: 'HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 4\r\n\r\nrawz',
    })
    assert.equal(result.state === 'responded' && result.body.toString(), 'rawz')
  })

  it('cuts a body at its bound and says so', async () => {
    const endless = (socket: Socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      const pour = () => {
        while (socket.writable && socket.write('x'.repeat(65_536)));
      }
      socket.on('drain', pour)
      pour()
    }
    const { result } = await ask({ answer: endless })
    assert.ok(result.state === 'responded')
    assert.equal(result.body.toString(), 'x'.repeat(100))
    assert.equal(result.isTruncated, true)
  })

  it('takes a body of exactly the bound for whole', async () => {
    const { result } = await ask({ answer: ok('x'.repeat(100)) })
    assert.partialDeepStrictEqual(result, { state: 'responded', isTruncated: false })
  })

  it('answers at the headers when no body is wanted', async () => {
    const { result } = await ask(
      { answer: 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n' },
      { bodyBytesMax: 0 },
    )
    assert.partialDeepStrictEqual(result, { state: 'responded', status: 200, isTruncated: true })
  })

  it('leaves nothing behind when its body is not read, while the client goes on', async () => {
    await using server = await startTcpServer({
      answer: 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n',
    })
    const outbound = open()
    const before = queryObjects(Client, { format: 'count' })
    for (let sent = 0; sent < 20; sent++) {
      const { state } = await outbound.request({
        ...{ method: 'POST', url: `http://name.example:${server.port}/`, headers: {} },
        ...{ timeoutMs: 5_000, redirectsMax: 0, bodyBytesMax: 0 },
      })
      assert.equal(state, 'responded')
    }
    // The last one may still be on its way out.
    const left = queryObjects(Client, { format: 'count' }) - before
    assert.ok(left <= 1, `${left} connections are kept`)
    await outbound.close()
  })

  it('takes a redirect for the answer when none may be followed', async () => {
    const { result, connections } = await ask(
      { answer: 'HTTP/1.1 307 Go\r\nlocation: /b\r\ncontent-length: 0\r\n\r\n' },
      { method: 'POST', redirectsMax: 0 },
    )
    assert.partialDeepStrictEqual(result, {
      state: 'responded',
      status: 307,
      headers: { location: '/b' },
    })
    assert.equal(connections, 1)
  })

  it('follows as many redirects as it may, without waiting for their bodies', async () => {
    const answer = (socket: Socket, request: string) => {
      const [, step = '0'] = /^GET \/(\d?)/.exec(request) ?? []
      const location = `/${Number(step) + 1}`
      const redirect = `HTTP/1.1 302 Go\r\nlocation: ${location}\r\ncontent-length: 9\r\n\r\n`
      socket.write(step === '3' ? ok('there') : redirect)
    }
    const { result, connections } = await ask({ answer })
    assert.equal(result.state === 'responded' && result.body.toString(), 'there')
    assert.equal(result.state === 'responded' && new URL(result.url).pathname, '/3')
    assert.equal(connections, 4)
  })

  it('stops in a loop of redirects', async () => {
    const { result, connections } = await ask({
      answer: 'HTTP/1.1 302 Go\r\nlocation: /\r\ncontent-length: 0\r\n\r\n',
    })
    assert.partialDeepStrictEqual(result, { state: 'failed', error: 'too_many_redirects' })
    assert.equal(connections, 4)
  })

  it('reads UTF-8 in Location', async () => {
    const answer = (socket: Socket, request: string) =>
      socket.write(
        request.startsWith('GET /gr%C3%BC%C3%9Fe ')
          ? ok('')
          : 'HTTP/1.1 302 Go\r\nlocation: /grüße\r\n\r\n',
      )
    const { result } = await ask({ answer })
    assert.partialDeepStrictEqual(result, { state: 'responded', status: 200 })
  })

  it('says so when no server listens', async () => {
    const server = await startTcpServer()
    await server[Symbol.asyncDispose]()
    const { result } = await ask({}, { url: `http://127.0.0.1:${server.port}/` })
    assert.partialDeepStrictEqual(result, {
      state: 'failed',
      error: 'connect',
      detail: 'The connection was refused.',
    })
  })
})

function endAfterRequest(socket: Socket): void {
  socket.once('data', () => socket.end())
}

function drip(socket: Socket, bytes: string): void {
  let at = 0
  const timer = setInterval(() => socket.write(bytes.charAt(at++ % bytes.length)), 5)
  socket.on('close', () => clearInterval(timer))
}

describe('an outbound request to a server that', () => {
  afterEach(assertNoSockets)

  const HANGING: Readonly<Record<string, TcpServerOptions>> = {
    'never answers': {},
    'stops in the header': { answer: 'HTTP/1.1 200 OK\r\nx-a: ' },
    'stops in the body': { answer: 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf' },
    'stops in a chunk': { answer: 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nff\r\nx' },
    'drips its header': {
      answer: (socket) => drip(socket, `HTTP/1.1 200 OK\r\nx-y: ${'z'.repeat(9_999)}`),
    },
    'drips its body': {
      answer: (socket) => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n')
        drip(socket, 'z')
      },
    },
    'goes on saying that it goes on': {
      answer: (socket) => drip(socket, 'HTTP/1.1 102 Processing\r\n\r\n'),
    },
  }
  for (const [name, behaviour] of Object.entries(HANGING)) {
    it(`${name} is given up in time`, async () => {
      const { result } = await ask(behaviour, { timeoutMs: 150, bodyBytesMax: 1_000_000 })
      assert.partialDeepStrictEqual(result, { state: 'failed', error: 'timeout' })
      assert.ok(result.durationMs >= 140, `${result.durationMs} ms`)
    })
  }

  const BROKEN: Readonly<Record<string, readonly [TcpServerOptions, error: string]>> = {
    'speaks another protocol': [{ answer: 'SSH-2.0-OpenSSH_9.9\r\n' }, 'protocol'],
    'speaks first': [
      { onConnection: (socket) => socket.write('220 smtp.example ESMTP\r\n') },
      'protocol',
    ],
    'sends two lengths': [
      { answer: 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nxy' },
      'protocol',
    ],
    'sends a length and chunks': [
      {
        answer:
          'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      },
      'protocol',
    ],
    'sends a bad chunk': [
      { answer: 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nxyz\r\n' },
      'protocol',
    ],
    'changes the protocol': [
      { answer: 'HTTP/1.1 101 Up\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n' },
      'reset',
    ],
    'sends 17 KiB of one header': [
      { answer: `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(17 * 1024)}\r\n\r\n` },
      'protocol',
    ],
    'sends endless headers': [
      { answer: (socket) => socket.write(`HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(50_000)}`) },
      'protocol',
    ],
    'hangs up at once': [{ onConnection: (socket) => socket.destroy() }, 'reset'],
    'resets at once': [{ onConnection: (socket) => socket.resetAndDestroy() }, 'reset'],
    'resets after the request': [{ answer: (socket) => socket.resetAndDestroy() }, 'reset'],
    'hangs up after the request': [{ answer: (socket) => socket.end() }, 'reset'],
    'hangs up in the header': [
      { answer: (socket) => socket.end('HTTP/1.1 200 OK\r\nx: ') },
      'reset',
    ],
    'hangs up in the body': [
      { answer: (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf') },
      'reset',
    ],
  }
  for (const [name, [behaviour, error]] of Object.entries(BROKEN)) {
    it(`${name} fails with "${error}"`, async () => {
      const { result, connections } = await ask(behaviour, { method: 'POST', body: 'x' })
      assert.partialDeepStrictEqual(result, { state: 'failed', error })
      assert.equal(connections, 1)
    })
  }

  it('sends too much of a header is named so', async () => {
    const { result } = await ask({
      answer: `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(17 * 1024)}\r\n\r\n`,
    })
    assert.equal(
      result.state === 'failed' && result.detail,
      'The headers of the response are too large.',
    )
  })
})

describe('an outbound request over TLS', () => {
  afterEach(assertNoSockets)

  const authority = createAuthority()
  const extraCa = authority.pem
  const certificate = authority.issue(['name.example', '127.0.0.1'])
  const WELL = { certificate, answer: ok('secure') }

  it('trusts the extra authority, for names and addresses', async () => {
    for (const host of ['name.example', 'name.example.', '127.0.0.1']) {
      const { result } = await ask(WELL, { url: `https://${host}:PORT/` }, { extraCa })
      assert.equal(result.state === 'responded' && result.body.toString(), 'secure', host)
    }
  })

  it('reads several certificates from one PEM file', async () => {
    const both = `# comment\n${createAuthority('Another authority').pem}\n${extraCa}`
    const { result } = await ask(WELL, {}, { extraCa: both })
    assert.equal(result.state, 'responded')
  })

  const expired = { from: daysFromNow(-3), until: daysFromNow(-1) }
  const early = { from: daysFromNow(1), until: daysFromNow(3) }
  const BROKEN: Readonly<Record<string, readonly [TcpServerOptions, string | null, RegExp]>> = {
    'from an unknown authority': [WELL, null, /not trusted/],
    'from another authority of the same name': [WELL, createAuthority().pem, /TLS connection/],
    'of another host': [
      { certificate: authority.issue(['other.example']) },
      extraCa,
      /another host/,
    ],
    'that has expired': [
      { certificate: authority.issue(['name.example'], expired) },
      extraCa,
      /expired/,
    ],
    'of the future': [
      { certificate: authority.issue(['name.example'], early) },
      extraCa,
      /not valid yet/,
    ],
  }
  for (const [name, [behaviour, trusted, detail]] of Object.entries(BROKEN)) {
    it(`refuses a certificate ${name}`, async () => {
      const { result, received } = await ask(behaviour, {}, { extraCa: trusted })
      assert.partialDeepStrictEqual(result, { state: 'failed', error: 'tls' })
      assert.match(result.state === 'failed' ? result.detail : '', detail)
      assert.equal(received, '')
    })
  }

  it('fails with "tls" where plain HTTP is spoken, and where the handshake is cut', async () => {
    const url = 'https://name.example:PORT/'
    const plain = { onConnection: (socket: Socket) => socket.write(ok('')) }
    assert.partialDeepStrictEqual((await ask(plain, { url })).result, {
      state: 'failed',
      error: 'tls',
    })
    const cut = {
      onConnection: (socket: Socket) => socket.once('data', () => socket.resetAndDestroy()),
    }
    assert.partialDeepStrictEqual((await ask(cut, { url })).result, {
      state: 'failed',
      error: 'tls',
    })
  })

  it('gives a silent handshake up at the connect timeout', async () => {
    const { result } = await ask(
      {},
      { url: 'https://name.example:PORT/' },
      { connectTimeoutMs: 100 },
    )
    assert.partialDeepStrictEqual(result, { state: 'failed', error: 'timeout' })
  })

  it('gives a silent handshake up when its own time is over', async () => {
    const { result } = await ask({}, { url: 'https://name.example:PORT/', timeoutMs: 100 })
    assert.partialDeepStrictEqual(result, { state: 'failed', error: 'timeout' })
  })

  it('tells the server which name it wants', async () => {
    const names: unknown[] = []
    const answer = (socket: Socket) => {
      names.push(socket instanceof TLSSocket && socket.servername)
      socket.write(ok(''))
    }
    for (const host of ['name.example', 'name.example.', '127.0.0.1']) {
      await ask({ certificate, answer }, { url: `https://${host}:PORT/` }, { extraCa })
    }
    assert.deepEqual(names, ['name.example', 'name.example', false])
  })

  it('follows from https to http', async () => {
    await using plain = await startTcpServer({ answer: ok('plain') })
    const answer = `HTTP/1.1 302 Go\r\nlocation: http://name.example:${plain.port}/\r\n\r\n`
    const { result } = await ask({ certificate, answer }, {}, { extraCa })
    assert.equal(result.state === 'responded' && result.body.toString(), 'plain')
  })
})

describe('giving up', () => {
  afterEach(assertNoSockets)

  it('ends a request when its signal fires, wherever it is', async () => {
    for (const behaviour of [{}, { answer: 'HTTP/1.1 200 OK\r\n\r\nhalf' }]) {
      const stop = new AbortController()
      const onConnection = (socket: Socket) =>
        socket.once('data', () => setImmediate(() => stop.abort()))
      const { result } = await ask({ ...behaviour, onConnection }, { signal: stop.signal })
      assert.partialDeepStrictEqual(result, { state: 'failed', error: 'aborted' })
    }
    for (const url of [
      'http://name.example:PORT/',
      'http://127.0.0.1:PORT/',
      'http://refused:25/',
    ]) {
      const { result, connections } = await ask({}, { url, signal: AbortSignal.abort() })
      assert.partialDeepStrictEqual(result, { state: 'failed', error: 'aborted' })
      assert.equal(connections, 0)
    }
  })

  it('does not wait for a name server that is silent', async () => {
    const resolve = () => new Promise<never>(() => {})
    const { result } = await ask({}, { timeoutMs: 50 }, { resolve })
    assert.partialDeepStrictEqual(result, { state: 'failed', error: 'timeout' })
  })

  it('closes with requests under way, and takes no more', async () => {
    const outbound = open()
    const { promise: arrived, resolve: onConnection } = Promise.withResolvers<Socket>()
    await using server = await startTcpServer({ onConnection })
    const request = {
      method: 'GET',
      url: `http://127.0.0.1:${server.port}/`,
      headers: {},
      timeoutMs: 60_000,
      redirectsMax: 0,
      bodyBytesMax: 0,
    } as const
    const underWay = outbound.request(request)
    let isSettled = false
    void underWay.then(() => {
      isSettled = true
    })
    await arrived
    await outbound.close()
    assert.equal(isSettled, true)
    assert.partialDeepStrictEqual(await underWay, { state: 'failed', error: 'aborted' })
    assert.partialDeepStrictEqual(await outbound.request(request), {
      state: 'failed',
      error: 'aborted',
    })
    assert.equal(server.connections(), 1)
  })

  it('throws what only our own code can do wrong', async () => {
    await assert.rejects(ask({ answer: ok('') }, { headers: { 'bad name': 'x' } }), {
      code: 'UND_ERR_INVALID_ARG',
    })
  })
})
