import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { startTestServer, type TestClient, until } from '../../test/testing-server.ts'
import { makeSelfSignedCertificate } from './self-signed.ts'

const MAIL = ['MAIL FROM:<a@example.com>', 'RCPT TO:<b@mayfly.test>', 'DATA']
const tls = makeSelfSignedCertificate(['mx.mayfly.test'], new Date())

const LEFT = /^the client closed the connection without an alert/

describe('STARTTLS', { timeout: 20_000 }, () => {
  it('takes a mail over TLS, and tells so', async () => {
    await using given = await startTestServer({ tls })
    const client = await given.connect()
    await client.replies(1)
    assert.deepEqual(await client.say('EHLO x', 'STARTTLS'), ['250', '220 2.0.0'])
    const secured = await client.secure()
    assert.equal(secured.getPeerCertificate().subject.CN, 'mx.mayfly.test')
    assert.deepEqual(await client.say('EHLO x', ...MAIL), ['250', '250 2.1.0', '250 2.1.5', '354'])
    client.send(`${'x'.repeat(200_000)}\r\n.\r\n`)
    assert.equal(await client.reply(), '250 2.0.0')
    assert.deepEqual(await client.say('STARTTLS', 'QUIT'), ['503 5.5.1', '221 2.0.0'])
    await client.closed()
    assert.equal(given.mails[0]?.envelope.tls, 'TLSv1.3')
    assert.equal(given.mails[0]?.protocol, 'ESMTPS')
    assert.equal(given.mails[0]?.raw.length, 200_002)
  })

  it('forgets what somebody slipped in before it', async () => {
    await using given = await startTestServer({ tls })
    const client = await given.connect()
    await client.replies(1)
    await client.say('EHLO x')
    client.send('STARTTLS\r\nEHLO evil\r\nMAIL FROM:<evil@example.com>\r\nRSET\r\n')
    assert.equal(await client.reply(), '220 2.0.0')
    await client.secure()
    assert.deepEqual(await client.say(MAIL[0] ?? '', 'EHLO good', 'NOOP'), [
      ...['503 5.5.1', '250', '250 2.0.0'],
    ])
    await client.say(...MAIL)
    client.send('.\r\n')
    assert.equal(await client.reply(), '250 2.0.0')
    assert.equal(given.mails[0]?.envelope.helo, 'good')
  })

  it('closes on a client that speaks something else', async () => {
    await using given = await startTestServer({ tls })
    const client = await given.connect()
    await client.replies(1)
    await client.say('EHLO x', 'STARTTLS')
    client.send('MAIL FROM:<evil@example.com>\r\n')
    await client.closed()
    assert.equal(given.server.connectionCount(), 0)
  })

  it('refuses a client that begins the handshake anew: each takes time of ours', async () => {
    await using given = await startTestServer({ tls })
    const client = await given.connect()
    await client.replies(1)
    await client.say('EHLO x', 'STARTTLS')
    const secured = await client.secure({ maxVersion: 'TLSv1.2' })
    const failure = await new Promise<Error | null>((resolve) => {
      secured.once('error', resolve)
      secured.renegotiate({}, resolve)
      client.send('NOOP\r\n')
    })
    assert.match(String(failure), /no.renegotiation/i)
    secured.destroy()
    await until(() => given.server.connectionCount() === 0)
  })

  it('closes on a client that does not begin within 30 seconds', async () => {
    await using given = await startTestServer({ tls })
    const client = await given.connect()
    await client.replies(1)
    await client.say('EHLO x', 'STARTTLS')
    given.pass(29_999)
    await given.serveOne()
    assert.equal(client.isClosed, false)
    given.pass(1)
    await client.closed()
  })

  it('survives a reset during and after the handshake', async () => {
    await using given = await startTestServer({ tls })
    const early = await given.connect()
    await early.replies(1)
    await early.say('EHLO x', 'STARTTLS')
    early.send('\x16\x03\x01')
    early.socket.resetAndDestroy()
    const late = await given.connect()
    await late.replies(1)
    await late.say('EHLO x', 'STARTTLS')
    await late.secure()
    await late.say('EHLO x', ...MAIL)
    late.send('half')
    late.socket.destroy()
    await until(() => given.server.connectionCount() === 0)
    assert.deepEqual(
      given.rejected.map(({ reason }) => reason),
      ['connection_lost'],
    )
  })

  const FAILURES: readonly (readonly [string, (client: TestClient) => unknown, RegExp])[] = [
    ['no TLS', (client) => client.send('MAIL FROM:<a@example.com>\r\n'), /wrong version number/],
    ['a reset', (client) => client.socket.resetAndDestroy(), LEFT],
    [
      'a client that leaves when it has seen the certificate',
      async (client) => (await client.secure()).destroy(),
      LEFT,
    ],
    [
      'a client that leaves after it',
      async (client) => {
        const secured = await client.secure()
        // The server's session tickets: its side of the handshake is complete.
        await once(secured, 'session')
        secured.end()
      },
      LEFT,
    ],
  ]
  for (const [name, fail, reason] of FAILURES) {
    it(`tells of a handshake that failed: ${name}`, async () => {
      await using given = await startTestServer({ tls })
      const client = await given.connect()
      await client.replies(1)
      await client.say('EHLO app.example', 'STARTTLS')
      await fail(client)
      await until(() => given.handshakes.length === 1)
      const [failed] = given.handshakes
      assert.deepEqual([failed?.remoteAddress, failed?.helo], ['127.0.0.1', 'app.example'])
      assert.match(String(failed?.reason), reason)
      await until(() => given.server.connectionCount() === 0)
      assert.deepEqual(given.rejected, [])
    })
  }

  it('tells the alert that a client sends', async () => {
    await using given = await startTestServer({ tls })
    const args = ['s_client', '-starttls', 'smtp', '-verify_return_error', '-connect']
    const client = spawn('openssl', [...args, `127.0.0.1:${given.server.port}`], {
      stdio: 'ignore',
    })
    const [code] = await once(client, 'exit')
    assert.notEqual(code, 0)
    await until(() => given.handshakes.length === 1)
    assert.equal(given.handshakes[0]?.reason, 'the client sent the TLS alert "unknown ca"')
  })

  it('tells of it for the recipients that were named before', async () => {
    await using given = await startTestServer({ tls })
    const client = await given.connect()
    await client.replies(1)
    await client.say('EHLO x', ...MAIL.slice(0, 2), 'STARTTLS')
    client.send('NOOP\r\n')
    await until(() => given.rejected.length === 1)
    const [rejected] = given.rejected
    assert.deepEqual(rejected?.recipients, [{ address: 'b@mayfly.test' }])
    assert.equal(rejected.reason, 'tls_failed')
    assert.match(rejected.reply, /^454 4\.7\.0 TLS handshake failed: wrong version number$/)
  })

  it('tells nothing of clients that use it, or that a stop ends', async () => {
    await using given = await startTestServer({ tls })
    const [shaking, silent, used] = [
      await given.connect(),
      await given.connect(),
      await given.connect(),
    ]
    for (const client of [shaking, silent, used]) {
      await client.replies(1)
      await client.say('EHLO x', 'STARTTLS')
    }
    await silent.secure()
    await used.secure()
    await used.say('EHLO x')
    used.destroy()
    await until(() => given.server.connectionCount() === 2)
    await given.server.stop(5000)
    assert.deepEqual(given.handshakes, [])
  })

  it('ends with the server, during the handshake and after it', async () => {
    await using given = await startTestServer({ tls })
    const [shaking, idle] = [await given.connect(), await given.connect()]
    for (const client of [shaking, idle]) {
      await client.replies(1)
      await client.say('EHLO x', 'STARTTLS')
    }
    await idle.secure()
    await idle.say('EHLO x')
    const stopped = given.server.stop(5000)
    assert.equal(await idle.reply(), '421 4.3.2')
    await shaking.closed()
    await stopped
  })
})
