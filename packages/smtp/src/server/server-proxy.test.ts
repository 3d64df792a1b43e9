import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startTestServer } from '../../test/testing-server.ts'

const HEADER = 'PROXY TCP4 192.0.2.7 198.51.100.1 51000 25\r\n'
const BEHIND_PROXY = { isProxy: (address: string) => address === '127.0.0.1' }
const MAIL = 'EHLO x\r\nMAIL FROM:<a@example.com>\r\nRCPT TO:<b@mayfly.test>\r\nDATA\r\n'

describe('an SMTP server behind a proxy', { timeout: 20_000 }, () => {
  for (const [name, parts] of [
    ['in one piece with the dialogue', [`${HEADER}${MAIL}`]],
    ['alone', [HEADER, MAIL]],
    ['byte by byte', [...HEADER, MAIL]],
  ] as const) {
    it(`knows the client by a header that comes ${name}`, async () => {
      await using given = await startTestServer(BEHIND_PROXY)
      const client = await given.connect()
      for (const part of parts) {
        await new Promise((sent) => client.socket.write(part, 'latin1', sent))
      }
      assert.deepEqual(await client.replies(5), ['220', '250', '250 2.1.0', '250 2.1.5', '354'])
      client.send('x\r\n.\r\n')
      assert.equal(await client.reply(), '250 2.0.0')
      assert.equal(given.mails[0]?.envelope.remoteAddress, '192.0.2.7')
    })
  }

  it('counts connections by client, not by proxy', async () => {
    await using given = await startTestServer({
      ...BEHIND_PROXY,
      limits: { connectionsPerAddressMax: 1 },
    })
    const connectFrom = async (address: string) => {
      const client = await given.connect()
      client.send(`PROXY TCP4 ${address} 198.51.100.1 51000 25\r\n`)
      return client
    }
    assert.equal(await (await connectFrom('192.0.2.7')).reply(), '220')
    assert.equal(await (await connectFrom('192.0.2.8')).reply(), '220')
    assert.equal(await (await connectFrom('192.0.2.7')).reply(), '421 4.7.0')
  })

  it('sends nothing to a proxy without a header, and closes it after five seconds', async () => {
    await using given = await startTestServer(BEHIND_PROXY)
    const silent = await given.connect()
    const talking = await given.connect()
    talking.send(MAIL)
    assert.deepEqual(await talking.lastReplies(), [])
    given.pass(4_999)
    assert.equal(silent.isClosed, false)
    given.pass(1)
    assert.deepEqual(await silent.lastReplies(), [])
  })

  it('does not wait for such a connection when it stops', async () => {
    await using given = await startTestServer(BEHIND_PROXY)
    const silent = await given.connect()
    // It is accepted by now: a later client is served.
    const served = await given.connect()
    served.send(HEADER)
    assert.equal(await served.reply(), '220')
    served.destroy()
    await given.server.stop(0)
    await silent.closed()
  })

  it('treats any other client as a client, whatever it sends', async () => {
    await using given = await startTestServer({ isProxy: () => false })
    const client = await given.connect()
    assert.equal(await client.reply(), '220')
    assert.deepEqual(await client.say(HEADER.trimEnd()), ['500 5.5.1'])
  })
})
