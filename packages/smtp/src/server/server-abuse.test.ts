import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startTestServer, type TestClient, until } from '../../test/testing-server.ts'
import type { ReceiveResult } from './handler.ts'

const MAIL = ['MAIL FROM:<a@example.com>', 'RCPT TO:<b@mayfly.test>', 'DATA']
const SECOND = 1000
const MINUTE = 60 * SECOND

describe('an abusive client', { timeout: 30_000 }, () => {
  it('that sends one byte and then nothing is disconnected after five minutes', async () => {
    await using given = await startTestServer()
    const client = await given.connect()
    await client.replies(1)
    client.send('E')
    await given.serveOne()
    given.pass(5 * MINUTE - 1)
    await given.serveOne()
    assert.equal(client.isClosed, false)
    given.pass(1)
    assert.equal(await client.reply(), '421 4.4.2')
    await client.closed()
  })

  it('that sends a byte every 30 s is cut off after ten minutes', async () => {
    await using given = await startTestServer()
    const client = await given.connect()
    await client.replies(1)
    for (let second = 0; second < 600; second += 30) {
      assert.deepEqual(await client.say('NOOP'), ['250 2.0.0'])
      given.pass(30 * SECOND)
    }
    assert.equal(await client.reply(), '421 4.4.2')
    await client.closed()
  })

  it('that sends DATA a byte at a time is cut off within a minute', async () => {
    await using given = await startTestServer()
    const client = await given.connect()
    await client.replies(1)
    await client.say('EHLO x', ...MAIL)
    for (let second = 0; second < 30; second += 10) {
      client.send('x')
      given.pass(10 * SECOND)
    }
    given.pass(SECOND)
    assert.equal(await client.reply(), '421 4.4.2')
    await client.closed()
    assert.deepEqual(
      given.rejected.map(({ reason }) => reason),
      ['too_slow'],
    )
  })

  it('that says QUIT and does not close is closed at once', async () => {
    await using given = await startTestServer()
    const client = await given.connect({ allowHalfOpen: true })
    await client.replies(1)
    assert.deepEqual(await client.say('QUIT'), ['221 2.0.0'])
    await until(() => given.server.connectionCount() === 0)
  })

  it('that goes on after QUIT and does not close is closed after five seconds', async () => {
    await using given = await startTestServer()
    const client = await given.connect({ allowHalfOpen: true })
    await client.replies(1)
    client.send('QUIT\r\nNOOP\r\n')
    assert.equal(await client.reply(), '221 2.0.0')
    given.pass(5 * SECOND - 1)
    assert.equal(given.server.connectionCount(), 1)
    given.pass(1)
    await until(() => given.server.connectionCount() === 0)
  })

  it('that sends 16,000 commands ahead gets 16,000 answers', async () => {
    await using given = await startTestServer()
    const client = await given.connect()
    await client.replies(1)
    client.send('NOOP\r\n'.repeat(16_000))
    const codes = await client.replies(16_000)
    assert.ok(codes.every((code) => code === '250 2.0.0'))
  })

  it('that never reads is not read from either, and others are served', async () => {
    await using given = await startTestServer()
    const [abusive, normal] = [await given.connect(), await given.connect()]
    await abusive.replies(1)
    await normal.replies(1)
    abusive.socket.pause()
    abusive.send('HELP\r\n'.repeat(2_000_000))
    await untilStuck(abusive, normal)
    const unsentBytes = abusive.socket.writableLength
    assert.ok(unsentBytes > 0)

    given.pass(5 * MINUTE)
    given.pass(5 * SECOND)
    await until(() => given.server.connectionCount() === 0)
  })

  it('that closes its side only still gets every reply', async () => {
    await using given = await startTestServer()
    const client = await given.connect({ allowHalfOpen: true })
    client.send(`EHLO x\r\n${MAIL.join('\r\n')}\r\nhello\r\n.\r\nNOOP\r\n`)
    client.socket.end()
    const codes = await client.replies(8)
    assert.deepEqual(codes.slice(4), ['354', '250 2.0.0', '250 2.0.0', '221 2.0.0'])
    await client.closed()
    assert.equal(given.mails.length, 1)
  })

  it('that closes its side before its mail is stored still gets its reply', async () => {
    const stored = Promise.withResolvers<ReceiveResult>()
    await using given = await startTestServer({
      handler: {
        admit: (address) => ({ state: 'accepted', recipient: { address } }),
        receive: () => stored.promise,
        rejected: () => undefined,
      },
    })
    const client = await given.connect({ allowHalfOpen: true })
    client.send(`EHLO x\r\n${MAIL.join('\r\n')}\r\nhello\r\n.\r\n`)
    client.socket.end()
    await client.replies(5)
    await given.serveOne()
    stored.resolve('stored')
    assert.deepEqual(await client.replies(2), ['250 2.0.0', '221 2.0.0'])
  })

  const phases: readonly [name: string, reach: (client: TestClient) => Promise<unknown>][] = [
    ['before the greeting', async () => undefined],
    ['after the greeting', (client) => client.reply()],
    ['after EHLO', (client) => client.say('EHLO x')],
    ['after MAIL', (client) => client.say('EHLO x', MAIL[0] ?? '')],
    ['after RCPT', (client) => client.say('EHLO x', ...MAIL.slice(0, 2))],
    ['after DATA', (client) => client.say('EHLO x', ...MAIL)],
    ['in DATA', (client) => client.say('EHLO x', ...MAIL).then(() => client.send('half'))],
    [
      'in a chunk',
      (client) => client.say('EHLO x', ...MAIL.slice(0, 2)).then(() => client.send('BDAT 9\r\nx')),
    ],
    [
      'while its mail is stored',
      (client) => client.say('EHLO x', ...MAIL).then(() => client.send('.\r\n')),
    ],
    ['after QUIT', (client) => client.say('QUIT')],
  ]
  for (const [name, reach] of phases) {
    it(`that resets ${name} leaves nothing behind`, async () => {
      await using given = await startTestServer()
      const client = await given.connect()
      await reach(client)
      client.socket.resetAndDestroy()
      await until(() => given.server.connectionCount() === 0)

      const next = await given.connect()
      assert.equal(await next.reply(), '220')
    })
  }

  it('that guesses recipients is slowed, then cut off', async () => {
    await using given = await startTestServer({ isExempt: () => false })
    const client = await given.connect()
    await client.replies(1)
    await client.say('EHLO x', MAIL[0] ?? '')
    client.send('RCPT TO:<unknown@mayfly.test>\r\n'.repeat(6))
    assert.deepEqual(await client.replies(2), ['550 5.1.1', '550 5.1.1'])
    given.pass(5 * SECOND)
    assert.equal(await client.reply(), '550 5.1.1')
    given.pass(5 * SECOND)
    assert.deepEqual(await client.replies(2), ['550 5.1.1', '421 4.7.0'])
    await client.closed()
  })
})

/** Waits until `abusive` can send nothing more, while `normal` is served all the time. */
async function untilStuck(abusive: TestClient, normal: TestClient): Promise<void> {
  for (let before = -1; before !== abusive.socket.writableLength; ) {
    before = abusive.socket.writableLength
    for (let count = 0; count < 100; count++) await normal.say('NOOP')
  }
}
