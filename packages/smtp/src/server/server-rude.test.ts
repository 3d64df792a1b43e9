import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startTestServer, type TestClient, until } from '../../test/testing-server.ts'
import type { Receipt } from './handler.ts'

const MAIL = ['MAIL FROM:<a@example.com>', 'RCPT TO:<b@mayfly.test>', 'DATA']
const SECOND = 1000
const MINUTE = 60 * SECOND

describe('a rude client', { timeout: 30_000 }, () => {
  it('that sends one byte and then nothing is told so after five minutes', async () => {
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
      given.turnedAway.map(({ reason }) => reason),
      ['too_slow'],
    )
  })

  it('that says QUIT and does not close is closed after five seconds', async () => {
    await using given = await startTestServer()
    const client = await given.connect({ allowHalfOpen: true })
    await client.replies(1)
    await client.say('QUIT')
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
    const [rude, polite] = [await given.connect(), await given.connect()]
    await rude.replies(1)
    await polite.replies(1)
    rude.socket.pause()
    rude.send('HELP\r\n'.repeat(2_000_000))
    await untilStuck(rude, polite)
    const unsentBytes = rude.socket.writableLength
    assert.ok(unsentBytes > 0)

    given.pass(5 * MINUTE)
    given.pass(5 * SECOND)
    await until(() => given.server.connectionCount() === 0)
  })

  it('that closes its side only still hears every answer', async () => {
    await using given = await startTestServer()
    const client = await given.connect({ allowHalfOpen: true })
    client.send(`EHLO x\r\n${MAIL.join('\r\n')}\r\nhello\r\n.\r\nNOOP\r\n`)
    client.socket.end()
    const codes = await client.replies(8)
    assert.deepEqual(codes.slice(4), ['354', '250 2.0.0', '250 2.0.0', '221 2.0.0'])
    await client.closed()
    assert.equal(given.mails.length, 1)
  })

  it('that closes its side before its mail is stored hears of it still', async () => {
    const stored = Promise.withResolvers<Receipt>()
    await using given = await startTestServer({
      handler: {
        admit: (address) => ({ state: 'accepted', recipient: { address } }),
        receive: () => stored.promise,
        turnedAway: () => undefined,
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

/** Waits until nothing more goes out of `rude`, while `polite` is answered all the time. */
async function untilStuck(rude: TestClient, polite: TestClient): Promise<void> {
  for (let before = -1; before !== rude.socket.writableLength; ) {
    before = rude.socket.writableLength
    for (let count = 0; count < 100; count++) await polite.say('NOOP')
  }
}
