import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startTestServer, type TestClient, type TestServer } from '../../test/testing-server.ts'
import { SMTP_LIMITS } from '../server/limits.ts'

const MAIL = ['EHLO x', 'MAIL FROM:<a@example.com>', 'RCPT TO:<b@mayfly.test>', 'DATA']

/** A server whose clients say from which address they come. */
async function startFullServer(limits: Partial<typeof SMTP_LIMITS> = {}) {
  const given = await startTestServer({ isProxy: () => true, limits })
  return { given, connectFrom: (address: string) => connectFrom(given, address) }
}

async function connectFrom(given: TestServer, address: string): Promise<TestClient> {
  // It does not close when the server does.
  const client = await given.connect({ allowHalfOpen: true })
  const [family, own] = address.includes(':') ? ['TCP6', '2001:db8::1'] : ['TCP4', '198.51.100.1']
  client.send(`PROXY ${family} ${address} ${own} 51000 25\r\n`)
  return client
}

async function assertGreeted(clients: readonly TestClient[]): Promise<void> {
  for (const client of clients) assert.equal(await client.reply(), '220')
}

describe('a full server', { timeout: 60_000 }, () => {
  it('has room for others when 100 addresses hold all connections and renew them', async () => {
    const { given, connectFrom } = await startFullServer()
    await using _ = given
    const attackers = Array.from({ length: 100 }, (_, index) => `203.0.113.${index}`)
    for (const address of attackers) {
      for (let count = 0; count < 20; count += 1) await assertGreeted([await connectFrom(address)])
    }
    assert.equal(given.server.connectionCount(), SMTP_LIMITS.connectionsMax)

    const others: TestClient[] = []
    for (let second = 0; second < 15; second += 1) {
      const refused = await Promise.all(attackers.map(connectFrom))
      for (const client of refused) assert.match(await client.reply(), /^(421 4\.7\.0|220)$/)
      const other = await connectFrom(`192.0.2.${second}`)
      await assertGreeted([other])
      others.push(other)
      given.pass(1000)
    }
    for (const other of others) {
      await other.say(...MAIL)
      assert.deepEqual(await other.say('hello\r\n.'), ['250 2.0.0'])
    }
    assert.equal(given.server.connectionCount(), SMTP_LIMITS.connectionsMax)
  })

  it('counts the IPv6 addresses of one customer together', async () => {
    const { given, connectFrom } = await startFullServer({ connectionsMax: 4 })
    await using _ = given
    const subnets = [1, 2, 3, 4, 5].map((subnet) => `2001:db8:1:${subnet}::1`)
    await assertGreeted(await Promise.all(subnets.slice(0, 4).map(connectFrom)))
    assert.equal(await (await connectFrom(subnets[4] ?? '')).reply(), '421 4.7.0')
    await assertGreeted([await connectFrom('2001:db8:2::1')])
  })

  it('closes no idle client for an address with more connections', async () => {
    const { given, connectFrom } = await startFullServer({ connectionsMax: 3 })
    await using _ = given
    const idle = await connectFrom('192.0.2.1')
    await assertGreeted([idle])
    given.pass(60_000)
    const [older, newer] = [await connectFrom('192.0.2.2'), await connectFrom('192.0.2.2')]
    await assertGreeted([older, newer])
    assert.equal(await (await connectFrom('192.0.2.2')).reply(), '421 4.7.0')
    await assertGreeted([await connectFrom('192.0.2.3')])
    assert.equal(await older.reply(), '421 4.3.2')
    assert.deepEqual(await idle.say('NOOP'), ['250 2.0.0'])
    assert.deepEqual(await newer.say('NOOP'), ['250 2.0.0'])
  })

  it('closes clients that have had their last reply', async () => {
    const { given, connectFrom } = await startFullServer({ connectionsMax: 2 })
    await using _ = given
    const ended = [await connectFrom('192.0.2.1'), await connectFrom('192.0.2.1')]
    await assertGreeted(ended)
    for (const client of ended) {
      client.send('QUIT\r\nNOOP\r\n')
      assert.equal(await client.reply(), '221 2.0.0')
    }
    assert.equal(given.server.connectionCount(), 2)
    await assertGreeted([await connectFrom('192.0.2.2')])
  })
})
