import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startTestServer, until } from '../../test/testing-server.ts'
import { createUsageMemory } from '../listener/shared-usage.ts'
import type { ReceiveResult } from './handler.ts'

const MAIL = ['MAIL FROM:<a@example.com>', 'RCPT TO:<b@mayfly.test>', 'DATA']

describe('an SMTP server', { timeout: 20_000 }, () => {
  it('takes mail after mail on one connection', async () => {
    await using given = await startTestServer()
    const client = await given.connect()
    assert.equal(await client.reply(), '220')
    assert.deepEqual(await client.say('EHLO x'), ['250'])
    for (const content of ['one', 'two', 'three']) {
      assert.deepEqual(await client.say(...MAIL), ['250 2.1.0', '250 2.1.5', '354'])
      client.send(`${content}\r\n.\r\n`)
      assert.equal(await client.reply(), '250 2.0.0')
    }
    assert.deepEqual(await client.say('QUIT'), ['221 2.0.0'])
    await client.closed()
    const contents = given.mails.map(({ raw }) => raw.toString())
    assert.deepEqual(contents, ['one\r\n', 'two\r\n', 'three\r\n'])
    assert.equal(given.mails[0]?.envelope.remoteAddress, '127.0.0.1')
  })

  it('takes a mail of many megabytes, and refuses one that is too large', async () => {
    await using given = await startTestServer({ limits: { messageBytesMax: 8 * 2 ** 20 } })
    const client = await given.connect()
    const line = `${'x'.repeat(998)}\r\n`
    await client.replies(1)
    await client.say('EHLO x', ...MAIL)
    client.send(`${line.repeat(8000)}.\r\n`)
    assert.equal(await client.reply(), '250 2.0.0')
    assert.equal(given.mails[0]?.raw.length, 8_000_000)

    await client.say(...MAIL)
    client.send(`${line.repeat(12_000)}.\r\n`)
    assert.equal(await client.reply(), '552 5.3.4')
    assert.deepEqual(await client.say('NOOP'), ['250 2.0.0'])
    assert.deepEqual(
      given.rejected.map(({ reason }) => reason),
      ['too_large'],
    )
  })

  it('takes mail by chunks', async () => {
    await using given = await startTestServer()
    const client = await given.connect()
    await client.replies(1)
    await client.say('EHLO x', ...MAIL.slice(0, 2))
    const chunk = 'x'.repeat(200_000)
    client.send(`BDAT 200000\r\n${chunk}BDAT 200000\r\n${chunk}BDAT 0 LAST\r\n`)
    assert.deepEqual(await client.replies(3), ['250 2.0.0', '250 2.0.0', '250 2.0.0'])
    assert.equal(given.mails[0]?.raw.length, 400_000)
  })

  it('accepts a hundred recipients, and asks for the rest in another mail', async () => {
    await using given = await startTestServer()
    const client = await given.connect()
    await client.replies(1)
    await client.say('EHLO x', MAIL[0] ?? '')
    const recipients = Array.from({ length: 101 }, (_, index) => `RCPT TO:<r${index}@mayfly.test>`)
    const codes = await client.say(...recipients)
    assert.deepEqual(codes, [...Array<string>(100).fill('250 2.1.5'), '452 4.5.3'])
    assert.deepEqual(await client.say('DATA'), ['354'])
    client.send('.\r\n')
    assert.equal(await client.reply(), '250 2.0.0')
    assert.equal(given.mails[0]?.recipients.length, 100)
  })

  it('shares its port with another one where asked to', {
    skip: process.platform !== 'linux',
  }, async () => {
    await using one = await startTestServer({ reusePort: true })
    await using two = await startTestServer({ reusePort: true, port: one.server.port })
    assert.equal(two.server.port, one.server.port)
    await assert.rejects(startTestServer({ port: one.server.port }), { code: 'EADDRINUSE' })
  })
})

describe('caps on connections', { timeout: 20_000 }, () => {
  it('twenty for one address, and one more when one has left', async () => {
    await using given = await startTestServer({ isExempt: () => false })
    const clients = await Promise.all(Array.from({ length: 20 }, () => given.connect()))
    for (const client of clients) assert.equal(await client.reply(), '220')

    const refused = await given.connect()
    assert.equal(await refused.reply(), '421 4.7.0')
    await refused.closed()

    clients[0]?.destroy()
    await until(() => given.server.connectionCount() === 19)
    assert.equal(await (await given.connect()).reply(), '220')
  })

  it('none for an address on this machine', async () => {
    await using given = await startTestServer()
    const clients = await Promise.all(Array.from({ length: 30 }, () => given.connect()))
    for (const client of clients) assert.equal(await client.reply(), '220')
  })

  it('a number in all, also for this machine', async () => {
    await using given = await startTestServer({ limits: { connectionsMax: 2 } })
    const clients = [await given.connect(), await given.connect(), await given.connect()]
    const replies = await Promise.all(clients.map((client) => client.reply()))
    assert.deepEqual(replies, ['220', '220', '421 4.7.0'])
  })

  it('a number in all, of several servers that share their counts', async () => {
    const shared = { usageMemory: createUsageMemory(), limits: { connectionsMax: 2 } }
    await using one = await startTestServer(shared)
    await using two = await startTestServer(shared)
    const clients = [await one.connect(), await two.connect()]
    for (const client of clients) assert.equal(await client.reply(), '220')
    for (const given of [one, two]) {
      assert.equal(await (await given.connect()).reply(), '421 4.7.0')
    }
    clients[0]?.destroy()
    await until(() => one.server.connectionCount() === 0)
    assert.equal(await (await two.connect()).reply(), '220')
  })

  it('close idle connections of another thread for a new client', async () => {
    const shared = { usageMemory: createUsageMemory(), limits: { connectionsMax: 2 } }
    await using full = await startTestServer(shared)
    await using empty = await startTestServer(shared)
    const [older, newer] = [await full.connect(), await full.connect()]
    for (const client of [older, newer]) assert.equal(await client.reply(), '220')
    const tryToConnect = async () => (await empty.connect()).reply()
    assert.equal(await tryToConnect(), '421 4.7.0')
    full.pass(9_999)
    assert.equal(older.isClosed || newer.isClosed, false)
    full.pass(1)
    assert.equal(await older.reply(), '421 4.3.2')
    await older.closed()
    assert.equal(newer.isClosed, false)
    await until(() => full.server.connectionCount() === 1)
    assert.equal(await tryToConnect(), '220')
    // Nobody asks any more.
    full.pass(60_000)
    assert.equal(newer.isClosed, false)
    newer.destroy()
    await until(() => full.server.connectionCount() === 0)
  })

  it('idle clients first: one that waits gives its place to a new one', async () => {
    await using given = await startTestServer({ limits: { connectionsMax: 3 } })
    const [busy, waiting, chatty] = [
      await given.connect(),
      await given.connect(),
      await given.connect(),
    ]
    for (const client of [busy, waiting, chatty]) assert.equal(await client.reply(), '220')
    given.pass(9_999)
    assert.equal(await (await given.connect()).reply(), '421 4.7.0')
    await busy.say('EHLO x', 'MAIL FROM:<a@b.example>', 'RCPT TO:<x@mayfly.test>', 'DATA')
    await busy.say('x\r\n.')
    given.pass(1)
    for (const idle of [waiting, chatty]) {
      // NOOP does not count as progress.
      if (!chatty.isClosed) assert.deepEqual(await chatty.say('NOOP'), ['250 2.0.0'])
      assert.equal(await (await given.connect()).reply(), '220')
      assert.equal(await idle.reply(), '421 4.3.2')
      await idle.closed()
    }
    assert.equal(busy.isClosed, false)
    assert.equal(await (await given.connect()).reply(), '421 4.7.0')
  })

  it('a refused client that does not close is closed', async () => {
    await using given = await startTestServer({ limits: { connectionsMax: 0 } })
    const client = await given.connect({ allowHalfOpen: true })
    assert.equal(await client.reply(), '421 4.7.0')
    given.pass(4999)
    assert.equal(await (await given.connect()).reply(), '421 4.7.0')
    await until(() => openSockets() === 2)
    given.pass(1)
    await until(() => openSockets() === 1)
  })
})

describe('a server that stops', { timeout: 20_000 }, () => {
  it('says 421 to those who wait, and lets a mail finish', async () => {
    await using given = await startTestServer()
    const [idle, busy] = [await given.connect(), await given.connect()]
    await idle.replies(1)
    await busy.replies(1)
    await busy.say('EHLO x', ...MAIL)
    busy.send('half')
    const stopped = given.server.stop(5000)
    assert.equal(await idle.reply(), '421 4.3.2')
    await idle.closed()

    busy.send(' and whole\r\n.\r\n')
    assert.deepEqual(await busy.replies(2), ['250 2.0.0', '421 4.3.2'])
    await stopped
    assert.equal(given.mails[0]?.raw.toString(), 'half and whole\r\n')
  })

  it('waits for the handler, and tells the client', async () => {
    const stored = Promise.withResolvers<ReceiveResult>()
    const admit = (address: string) => ({ state: 'accepted', recipient: { address } }) as const
    await using given = await startTestServer({
      handler: { admit, receive: () => stored.promise, rejected: () => undefined },
    })
    const client = await given.connect()
    await client.replies(1)
    await client.say('EHLO x', ...MAIL)
    client.send('.\r\n')
    const stopped = given.server.stop(5000)
    stored.resolve('stored')
    assert.deepEqual(await client.replies(2), ['250 2.0.0', '421 4.3.2'])
    await stopped
  })

  it('waits no longer than the grace period', async () => {
    await using given = await startTestServer()
    const client = await given.connect()
    await client.replies(1)
    await client.say('EHLO x', ...MAIL)
    const stopped = given.server.stop(5000)
    given.pass(4999)
    client.send('half')
    given.pass(1)
    assert.equal(await client.reply(), '421 4.3.2')
    await stopped
    assert.deepEqual(
      given.rejected.map(({ reason }) => reason),
      ['shutting_down'],
    )
  })

  it('drops a client that does not close even then', async () => {
    await using given = await startTestServer()
    const client = await given.connect({ allowHalfOpen: true })
    await client.replies(1)
    await client.say('EHLO x', ...MAIL)
    const stopped = given.server.stop(5000)
    given.pass(5000)
    assert.equal(await client.reply(), '421 4.3.2')
    given.pass(1000)
    await stopped
  })
})

function openSockets(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length
}
