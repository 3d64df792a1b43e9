// Endpoints as they should not be. Nothing here differs by database.

import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { describe, it } from 'node:test'
import type { TestAccount } from '../testing-account.ts'
import { createAuthority, daysFromNow } from '../testing-certificates.ts'
import { first } from '../testing-first.ts'
import { createReceivers, type Receivers, sharedReceivers } from '../testing-receiver.ts'
import { startService } from '../testing-start-service.ts'
import { startTcpServer, type TcpServerOptions } from '../testing-tcp-server.ts'
import { until } from '../testing-until.ts'

type Expected = {
  readonly status?: number
  readonly error: string | null
  readonly detail?: RegExp
}

/** Registers an endpoint and sends it a sample event. */
async function attemptAt(dev: TestAccount, url: string) {
  const { webhook } = await dev.webhooks.create(url)
  const sample = await dev.webhooks.test(webhook.id)
  await dev.webhooks.delete(webhook.id)
  return sample
}

async function assertAttempt(dev: TestAccount, url: string, expected: Expected): Promise<void> {
  const { delivered, attempt } = await attemptAt(dev, url)
  const { status, error, detail } = attempt
  assert.deepEqual([status, error], [expected.status ?? null, expected.error], String(detail))
  assert.equal(delivered, expected.error === null)
  if (expected.detail !== undefined) assert.match(String(detail), expected.detail)
  else assert.equal(detail, null)
}

const REQUEST_DONE = /"test":true/

/** Servers that speak byte by byte, and what the log says of them. */
const RUDE: readonly (readonly [string, TcpServerOptions, Expected])[] = [
  [
    'sends a body without end',
    { answer: (socket) => void flood(socket, 'HTTP/1.1 200 OK\r\n\r\n', 'x'.repeat(65_536)) },
    { status: 200, error: null },
  ],
  [
    'sends headers without end',
    {
      answer: (socket) => void flood(socket, 'HTTP/1.1 200 OK\r\n', `a: ${'x'.repeat(1_000)}\r\n`),
    },
    { error: 'protocol', detail: /headers of the response are too large/ },
  ],
  [
    'does not speak HTTP',
    { answer: 'SSH-2.0-OpenSSH_9.9\r\n' },
    { error: 'protocol', detail: /not valid HTTP/ },
  ],
  [
    'hangs up without an answer',
    { answer: (socket, request) => void (REQUEST_DONE.test(request) && socket.destroy()) },
    { error: 'reset', detail: /closed before the response was complete/ },
  ],
  [
    'hangs up in the middle of the headers',
    { answer: (socket) => void socket.end('HTTP/1.1 200 OK\r\ncontent-') },
    { error: 'reset', detail: /closed before/ },
  ],
]

/** Writes until the other side has had enough. */
function flood(socket: Socket, head: string, chunk: string): void {
  socket.write(head)
  const more = () => {
    while (!socket.destroyed && socket.write(chunk));
  }
  socket.on('drain', more)
  more()
}

/** Certificates that must not be taken. */
function badCertificates({ authority }: Receivers) {
  const past = { from: daysFromNow(-10), until: daysFromNow(-1) }
  const stranger = createAuthority('Test authority')
  return [
    [authority.issue(['127.0.0.1'], past), /certificate has expired/],
    [authority.issue(['elsewhere.example']), /certificate is for another host/],
    [stranger.issue(['127.0.0.1']), /authority that is not trusted|could not be made/],
  ] as const
}

describe('an endpoint of a webhook', () => {
  const world = sharedReceivers()

  it('that breaks TLS, HTTP or the connection is logged by its own error', async () => {
    const { receivers, service } = await world()
    const dev = await service.register()
    for (const [name, behaviour, expected] of RUDE) {
      const certificate = receivers.authority.issue(['127.0.0.1'])
      await using server = await startTcpServer({ ...behaviour, certificate })
      const startedAt = performance.now()
      await assertAttempt(dev, `https://127.0.0.1:${server.port}/`, expected)
      assert.ok(performance.now() - startedAt < 8_000, `${name}: waited for too long`)
      assert.match(server.received(), /^POST \/ HTTP\/1\.1\r\n/, name)
    }
  })

  it('that redirects is not followed', async () => {
    const { receivers, service } = await world()
    const elsewhere = await receivers.open()
    const statuses = [301, 302, 303, 307, 308]
    const dev = await service.register()
    for (const status of statuses) {
      await using receiver = await receivers.open((_, response) => {
        response.writeHead(status, { location: elsewhere.url }).end()
      })
      const detail = /redirects are not followed/
      await assertAttempt(dev, receiver.url, { status, error: 'redirect', detail })
      assert.equal(receiver.received.length, 1)
    }
    assert.equal(elsewhere.received.length, 0)
  })

  it('without a certificate that we trust gets nothing', async () => {
    const { receivers, service } = await world()
    const dev = await service.register()
    for (const [certificate, detail] of badCertificates(receivers)) {
      await using receiver = await receivers.open(200, certificate)
      await assertAttempt(dev, receiver.url, { error: 'tls', detail })
      assert.equal(receiver.received.length, 0)
    }
    await using plain = await startTcpServer({
      onConnection: (socket) => socket.end('HTTP/1.1 400'),
    })
    const detail = /TLS connection could not be made/
    await assertAttempt(dev, `https://127.0.0.1:${plain.port}/`, { error: 'tls', detail })
    assert.ok(!plain.received().includes('POST'))
  })

  it('that cannot be found or reached is told so', async () => {
    const { service } = await world()
    const dev = await service.register()
    const closed = await startTcpServer()
    await closed[Symbol.asyncDispose]()
    const refused = { error: 'connect', detail: /connection was refused/ }
    await assertAttempt(dev, `https://127.0.0.1:${closed.port}/`, refused)
    const unknown = { error: 'dns', detail: /could not be resolved/ }
    await assertAttempt(dev, 'https://nowhere.example/', unknown)
  })

  it('in a private network is refused, with one text and without a packet', async () => {
    await using server = await startTcpServer()
    await using service = await startService()
    const dev = await service.register()
    const hosts = [
      '127.0.0.1',
      'localhost',
      '127.1',
      '0x7f000001',
      '[::ffff:127.0.0.1]',
      '10.0.0.1',
    ]
    const refused = {
      error: 'refused',
      detail:
        /^The address is not allowed, or the host name has no address\. .*MAYFLY_OUTBOUND_ALLOW\.$/,
    }
    for (const host of hosts) {
      await assertAttempt(dev, `https://${host}:${server.port}/`, refused)
    }
    await dev.webhooks.create(`https://127.0.0.1:${server.port}/`)
    const inbox = await dev.inboxes.create()
    await service.sendMail({ to: inbox.emailAddress })
    const delivery = await until(async () => {
      const [newest] = (await dev.webhooks.deliveries()).deliveries
      return newest?.attempts.length === 1 ? newest : null
    })
    assert.deepEqual([delivery.status, delivery.attempts[0]?.error], ['pending', 'refused'])
    const replay = await dev.post(`/v1/webhooks/deliveries/${delivery.id}/replay`)
    assert.deepEqual([replay.status, replay.body.replayed], [200, false])
    assert.equal(server.connections(), 0)
  })

  it('that an operator allows is reached, and none beside it', async () => {
    await using receivers = await createReceivers()
    const receiver = await receivers.open()
    const { MAYFLY_EXTRA_CA = '' } = receivers.env
    const env = { MAYFLY_EXTRA_CA, MAYFLY_OUTBOUND_ALLOW: '127.0.0.1/32, 10.9.0.0/16' }
    await using service = await startService({ env })
    const dev = await service.register()
    await assertAttempt(dev, receiver.url, { status: 200, error: null })
    const refused = { error: 'refused', detail: /not allowed/ }
    await assertAttempt(dev, 'https://127.0.0.2/', refused)
  })

  it('that hangs is given up after 10 s, and delays no other', async () => {
    const { receivers, service } = await world()
    const hanging = await receivers.open(() => {})
    const dripping = await receivers.open((_, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('x')
    })
    const quick = await receivers.open()
    const dev = await service.register()
    for (const { url } of [hanging, dripping, quick]) await dev.webhooks.create(url)
    const inbox = await dev.inboxes.create()
    await service.sendMails(Array(30).fill({ to: inbox.emailAddress }))
    await Promise.all([hanging.until(10), dripping.until(30), quick.until(30)])
    // None of its places is free yet: the others did not wait for one.
    assert.equal(hanging.received.length, 10)

    // The next ten take the places of the first.
    await hanging.until(20)
    assert.equal(new Set(hanging.received.map(({ eventId }) => eventId)).size, 20)
    const failed = await until(async () => {
      const { deliveries } = await dev.webhooks.deliveries({ limit: 100 })
      const tried = deliveries.filter(({ url }) => url === hanging.url)
      return tried.find(({ attempts }) => attempts.length > 0) ?? null
    })
    const { status, error, detail, durationMs } = first(failed.attempts)
    assert.deepEqual([status, error], [null, 'timeout'])
    assert.match(String(detail), /No complete response arrived in time/)
    assert.ok(durationMs >= 9_900, `${durationMs} ms`)
    assert.equal(failed.status, 'pending')
  })
})
