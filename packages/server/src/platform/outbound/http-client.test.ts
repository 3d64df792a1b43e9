import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import {
  assertNoSockets,
  startTcpServer,
  type TcpServer,
  watchClientSockets,
} from '../../../test/testing-tcp-server.ts'
import { createOutbound, type OutboundOptions, type OutboundRequest } from './http-client.ts'

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'
const ANSWERS: Readonly<Record<string, readonly string[]>> = {
  'allowed.example': ['127.0.0.2'],
  localhost: ['127.0.0.1', '::1'],
  'sub.localhost': ['127.0.0.1'],
  'printer.local': ['192.168.1.9'],
  'metadata.google.internal': ['169.254.169.254'],
}

function open(options: Partial<OutboundOptions> = {}) {
  return createOutbound({
    allowPrivate: false,
    allow: [],
    extraCa: null,
    resolve: async (name) => ANSWERS[name] ?? [],
    now: () => performance.now(),
    ...options,
  })
}

function get(url: string, more: Partial<OutboundRequest> = {}): OutboundRequest {
  return {
    method: 'GET',
    url,
    headers: { 'User-Agent': 'test' },
    timeoutMs: 5_000,
    redirectsMax: 5,
    bodyBytesMax: 1_000,
    ...more,
  }
}

/** Spellings of addresses that nobody may reach; a server on every local address listens there. */
const HOSTILE_HOSTS: readonly string[] = [
  // Loopback, in every spelling that the URL parser understands.
  ...['127.0.0.1', '127.0.0.1.', '127.1', '127.0.1', '2130706433', '0x7f000001', '017700000001'],
  ...['0177.0.0.1', '0x7f.0.0.1', '0x7f.1', '127.0.0.01', '%31%32%37.0.0.1', '１２７.０.０.１'],
  ...['127。0。0。1', '①②⑦.0.0.1', '127.0.0.3', '127.255.255.254', '0', '0.0.0.0', '00.00'],
  // IPv6, and IPv4 inside of it.
  ...['[::1]', '[0:0:0:0:0:0:0:1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]'],
  ...['[::127.0.0.1]', '[::ffff:0:127.0.0.1]', '[64:ff9b::127.0.0.1]', '[64:ff9b:1::7f00:1]'],
  ...['[2002:7f00:1::1]', '[2001:0:808:808::80ff:fffe]', '[2a00::5efe:127.0.0.1]'],
  ...['[::1%25lo]', '[fe80::1]', '[fe80::1%25eth0]', '[fd00::2]', '[ff02::1]', '[fec0::1]'],
  // Private networks, metadata, and the rest.
  ...['10.0.0.1', '172.16.0.1', '192.168.0.1', '169.254.169.254', '100.64.0.1', '192.0.0.1'],
  ...['198.18.0.1', '224.0.0.1', '255.255.255.255', '[2001:db8::1]', '[3fff::1]'],
  // Names.
  ...['localhost', 'LOCALHOST', 'localhost.', 'sub.localhost', 'loc%61lhost', 'ⓛocalhost'],
  ...['printer.local', 'metadata.google.internal', 'localhost..', '127.0.0.1..', 'a..b'],
]

/** Answers of a name server that must not be followed, alone or beside a good one. */
const HOSTILE_ANSWERS: readonly string[] = [
  ...['127.0.0.1', '0.0.0.0', '10.0.0.1', '169.254.169.254', '::1', '::', '::ffff:127.0.0.1'],
  ...['::127.0.0.1', '64:ff9b::7f00:1', '2002:7f00:1::1', '2001::1', 'fe80::1', 'fe80::1%lo'],
  ...['fd00::1', '2a00::5efe:7f00:1', '::1%lo', 'localhost', '2130706433', ''],
]

describe('outbound requests to addresses that are not allowed', () => {
  let trap: TcpServer
  let opened: ReturnType<typeof watchClientSockets>

  beforeEach(async () => {
    // On every address of this machine, of both families where there are two.
    trap = await startTcpServer({ host: '::', answer: OK }).catch(() =>
      startTcpServer({ host: '0.0.0.0', answer: OK }),
    )
    opened = watchClientSockets()
  })

  afterEach(async () => {
    opened[Symbol.dispose]()
    await trap[Symbol.asyncDispose]()
    await assertNoSockets()
  })

  const REFUSED = {
    state: 'refused',
    detail:
      'The address is not allowed, or the host name has no address. The operator of the service can allow private addresses with MAYFLY_ALLOW_PRIVATE_NETWORK or MAYFLY_OUTBOUND_ALLOW.',
  }

  const NOT_REQUESTABLE =
    'The URL must be an http:// or https:// URL without user name and password, of at most 16384 characters.'

  /** Some hostile hosts are no hosts to the URL parser. */
  const detailOf = (url: string) => (URL.canParse(url) ? REFUSED.detail : NOT_REQUESTABLE)

  async function assertRefused(
    outbound: ReturnType<typeof open>,
    request: OutboundRequest,
    detail = detailOf(request.url),
  ) {
    const { durationMs, ...result } = await outbound.request(request)
    assert.deepEqual(result, { ...REFUSED, detail }, request.url)
    assert.equal(typeof durationMs, 'number')
  }

  for (const method of ['GET', 'POST'] as const) {
    it(`refuses every hostile host of a ${method} without opening a socket`, async () => {
      const outbound = open()
      for (const host of HOSTILE_HOSTS) {
        for (const scheme of ['http', 'https']) {
          await assertRefused(outbound, get(`${scheme}://${host}:${trap.port}/`, { method }))
        }
      }
      assert.equal(opened.sockets.length, 0)
      assert.equal(trap.connections(), 0)
    })
  }

  it('refuses a name when any of its answers is hostile', async () => {
    for (const answer of HOSTILE_ANSWERS) {
      for (const answers of [[answer], ['93.184.215.14', answer], [answer, '2606:4700::1111']]) {
        const outbound = open({ resolve: async () => answers })
        await assertRefused(outbound, get(`http://name.example:${trap.port}/`))
      }
    }
    assert.equal(opened.sockets.length, 0)
    assert.equal(trap.connections(), 0)
  })

  for (const status of [301, 302, 303, 307, 308]) {
    it(`refuses every hostile host that a ${status} leads to`, async () => {
      const outbound = open({ allow: ['127.0.0.2'] })
      let location = ''
      await using redirector = await startTcpServer({
        host: '127.0.0.2',
        answer: (socket) =>
          socket.end(`HTTP/1.1 ${status} Go\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`),
      })
      for (const host of HOSTILE_HOSTS) {
        location = `http://${host}:${trap.port}/`
        const request = get(`http://allowed.example:${redirector.port}/`)
        await assertRefused(outbound, request, detailOf(location))
      }
      assert.equal(redirector.connections(), HOSTILE_HOSTS.length)
      assert.equal(opened.sockets.length, HOSTILE_HOSTS.length)
      assert.equal(trap.connections(), 0)
    })
  }

  it('refuses other schemes, credentials, ports of other protocols and endless URLs', async () => {
    const outbound = open({ allowPrivate: true })
    const urls = ['ftp://127.0.0.1/', 'file:///etc/passwd', 'gopher://127.0.0.1/', 'data:,x', 'x']
    const credentials = [
      'http://user@127.0.0.1/',
      'http://user:pass@127.0.0.1/',
      'http://:p@[::1]/',
    ]
    const endless = `http://127.0.0.1:${trap.port}/${'x'.repeat(16 * 1024)}`
    for (const url of ['', 'http://', '//127.0.0.1', ...urls, ...credentials, endless]) {
      await assertRefused(outbound, get(url), NOT_REQUESTABLE)
    }
    for (const port of [0, 22, 25, 465, 587, 6379, 6667, 11211]) {
      const reason = `Port ${port} is not allowed: it belongs to another protocol than HTTP.`
      await assertRefused(outbound, get(`http://127.0.0.1:${port}/`), reason)
    }
    assert.equal(opened.sockets.length, 0)
  })

  it('asks no name server about local names', async () => {
    const asked: string[] = []
    const resolve = async (name: string) => {
      asked.push(name)
      return ['127.0.0.1']
    }
    for (const host of ['localhost', 'a.localhost', 'b.local', 'c.internal.', 'internal']) {
      await assertRefused(open({ resolve }), get(`http://${host}/`))
    }
    await assertRefused(open({ resolve }), get('http://mylocalhost/'))
    assert.deepEqual(asked, ['mylocalhost'])
  })
})

describe('outbound requests to names', () => {
  afterEach(assertNoSockets)

  it('connects to the answer that was checked, without a second look-up', async () => {
    await using server = await startTcpServer({ host: '127.0.0.2', answer: OK })
    await using trap = await startTcpServer({ host: '127.0.0.1', answer: OK })
    const answers = [['127.0.0.2'], ['127.0.0.1']]
    const rebinding = open({ allow: ['127.0.0.2'], resolve: async () => answers.shift() ?? [] })

    const first = await rebinding.request(get(`http://rebinding.example:${server.port}/`))
    assert.equal(first.state, 'responded')
    assert.equal(answers.length, 1)

    const second = await rebinding.request(get(`http://rebinding.example:${trap.port}/`))
    assert.equal(second.state, 'refused')
    assert.equal(trap.connections(), 0)
  })

  it('checks a name again when a redirect leads back to it', async () => {
    const answers = [['127.0.0.2'], ['127.0.0.1']]
    const rebinding = open({ allow: ['127.0.0.2'], resolve: async () => answers.shift() ?? [] })
    await using server = await startTcpServer({
      host: '127.0.0.2',
      answer: 'HTTP/1.1 302 Found\r\nlocation: /again\r\ncontent-length: 0\r\n\r\n',
    })
    const result = await rebinding.request(get(`http://rebinding.example:${server.port}/`))
    assert.equal(result.state, 'refused')
    assert.equal(server.connections(), 1)
  })

  it('goes on to the next answer when the first does not take the connection', async () => {
    await using server = await startTcpServer({ host: '127.0.0.1', answer: OK })
    const outbound = open({ allowPrivate: true, resolve: async () => ['127.0.0.2', '127.0.0.1'] })
    const result = await outbound.request(get(`http://two.example:${server.port}/`))
    assert.equal(result.state, 'responded')
  })

  it('does not tell a name without an address from one with a private address', async () => {
    const outcomes = []
    for (const answers of [[], ['10.0.0.7']]) {
      const request = get('http://wiki.corp.example/')
      const result = await open({ resolve: async () => answers }).request(request)
      outcomes.push({ ...result, durationMs: 0 })
    }
    assert.equal(outcomes[0]?.state, 'refused')
    assert.deepEqual(outcomes[0], outcomes[1])
  })

  it('says when a name cannot be looked up', async () => {
    const resolve = () => Promise.reject(new Error('server at 10.0.0.53 is down'))
    const broken = await open({ resolve }).request(get('http://no.example/'))
    assert.partialDeepStrictEqual(broken, {
      state: 'failed',
      error: 'dns',
      detail: 'The host name could not be resolved.',
    })
  })

  it('allows local names and every address with allowPrivate, and blocks with allow', async () => {
    await using server = await startTcpServer({ answer: OK })
    for (const settings of [{ allowPrivate: true }, { allow: ['127.0.0.0/8', '::1'] }]) {
      const outbound = open(settings)
      for (const host of ['localhost', '127.0.0.1', '[::ffff:127.0.0.1]']) {
        const result = await outbound.request(get(`http://${host}:${server.port}/`))
        assert.equal(result.state, 'responded', host)
      }
    }
  })

  it('does not open with settings that cannot be read', () => {
    assert.throws(() => open({ allow: ['10.0.0.0/99'] }), /10\.0\.0\.0\/99/)
    assert.throws(() => open({ extraCa: 'no certificate' }), /no PEM certificate/)
  })
})
