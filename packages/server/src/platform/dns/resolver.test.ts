import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { spf } from 'mailauth/lib/spf/index.js'
import { type DnsServer, startDnsServer } from '../../../test/testing-dns-server.ts'
import { DnsUnavailable } from './dns-unavailable.ts'
import { createResolver } from './resolver.ts'

describe('look-ups at a name server', () => {
  let server: DnsServer
  before(async () => {
    server = await startDnsServer()
    server.set('both.example', { A: ['192.0.2.1', '192.0.2.2'], AAAA: ['2001:db8::1'] })
    server.set('four.example', { A: ['192.0.2.4'] })
    server.set('six.example', { AAAA: ['2001:db8::6', '::ffff:192.0.2.6'] })
    server.set('text.example', { TXT: ['v=spf1 -all', `v=DKIM1; p=${'x'.repeat(600)}`] })
    server.set('mail.example', {
      MX: [
        { priority: 20, exchange: 'second.mail.example' },
        { priority: 10, exchange: 'first.mail.example' },
      ],
    })
    server.set('broken.example', { fails: 'SERVFAIL' })
    server.set('refused.example', { fails: 'REFUSED' })
    server.set('silent.example', { fails: 'silence' })
  })
  after(() => server[Symbol.asyncDispose]())

  const open = (timeoutMs = 5_000) =>
    createResolver({ servers: [server.address], timeoutMs, tries: 1 })

  it('finds all addresses of both families', async () => {
    const { addresses } = open()
    assert.deepEqual(await addresses('both.example'), ['192.0.2.1', '192.0.2.2', '2001:db8::1'])
    assert.deepEqual(await addresses('FOUR.example'), ['192.0.2.4'])
    assert.deepEqual(await addresses('six.example'), ['2001:db8::6', '::ffff:192.0.2.6'])
  })

  it('joins the strings of a TXT record, and sorts MX by preference', async () => {
    const { txt, mx } = open()
    assert.deepEqual((await txt('text.example')).toSorted(), [
      `v=DKIM1; p=${'x'.repeat(600)}`,
      'v=spf1 -all',
    ])
    assert.deepEqual(await mx('mail.example'), [
      { priority: 10, exchange: 'first.mail.example' },
      { priority: 20, exchange: 'second.mail.example' },
    ])
  })

  for (const name of ['unknown.example', 'text.example', 'a..b']) {
    it(`finds nothing at ${name}, and says so with an empty list`, async () => {
      assert.deepEqual(await open().addresses(name), [])
      assert.deepEqual(await open().mx(name), [])
    })
  }

  it('finds no text where there are addresses alone', async () => {
    assert.deepEqual(await open().txt('four.example'), [])
  })

  const FAILURES = {
    'broken.example': 'ESERVFAIL',
    'refused.example': 'EREFUSED',
    'silent.example': 'ETIMEOUT',
  }
  for (const [name, code] of Object.entries(FAILURES)) {
    it(`throws ${code} for ${name}, whatever is asked`, async () => {
      const resolver = open(code === 'ETIMEOUT' ? 50 : undefined)
      const failure = new DnsUnavailable(code)
      await assert.rejects(resolver.addresses(name), failure)
      await assert.rejects(resolver.txt(name), failure)
      await assert.rejects(resolver.mx(name), failure)
    })
  }

  it('forgives the failure of one family when the other answers', async () => {
    server.set('half.example', { A: ['192.0.2.5'], fails: 'SERVFAIL', failsFor: 'AAAA' })
    assert.deepEqual(await open().addresses('half.example'), ['192.0.2.5'])
    server.set('none.example', { fails: 'SERVFAIL', failsFor: 'AAAA' })
    await assert.rejects(open().addresses('none.example'), new DnsUnavailable('ESERVFAIL'))
  })

  it('asks as often as configured', async () => {
    const { txt } = createResolver({ servers: [server.address], timeoutMs: 50, tries: 3 })
    server.set('thrice.example', { fails: 'silence' })
    await assert.rejects(txt('thrice.example'), DnsUnavailable)
    const asked = server.questions.filter((question) => question === 'TXT thrice.example')
    assert.equal(asked.length, 3)
  })

  it('asks the next server when one is silent', async () => {
    await using silent = await startDnsServer()
    silent.set('four.example', { fails: 'silence' })
    const { txt, addresses } = createResolver({
      servers: [silent.address, server.address],
      timeoutMs: 200,
      tries: 3,
    })
    assert.deepEqual(await addresses('four.example'), ['192.0.2.4'])
    assert.deepEqual(await txt('four.example'), [])
  })

  it('gives up when it is closed', async () => {
    const resolver = createResolver({ servers: [server.address], timeoutMs: 60_000, tries: 1 })
    const asked = resolver.txt('silent.example')
    resolver.close()
    await assert.rejects(asked, new DnsUnavailable('ECANCELLED'))
  })

  it('answers mailauth as Node does, errors included', async () => {
    const { resolver } = open()
    assert.deepEqual(await resolver('four.example', 'A'), ['192.0.2.4'])
    assert.deepEqual(await resolver('both.example', 'AAAA'), ['2001:db8::1'])
    assert.equal((await resolver('text.example', 'TXT')).length, 2)
    assert.deepEqual(await resolver('mail.example', 'MX'), [
      { priority: 20, exchange: 'second.mail.example', type: 'MX' },
      { priority: 10, exchange: 'first.mail.example', type: 'MX' },
    ])
    await assert.rejects(resolver('unknown.example', 'TXT'), { code: 'ENOTFOUND' })
    await assert.rejects(resolver('four.example', 'TXT'), { code: 'ENODATA' })
    await assert.rejects(resolver('broken.example', 'TXT'), { code: 'ESERVFAIL' })
  })

  it('serves mailauth for a real check', async () => {
    server.set('sender.example', {
      TXT: ['v=spf1 mx -all'],
      MX: [{ priority: 1, exchange: 'mx.sender.example' }],
    })
    server.set('mx.sender.example', { A: ['192.0.2.25'] })
    const { resolver } = open()
    const check = async (ip: string, domain: string) => {
      const { status } = await spf({ ip, sender: `a@${domain}`, helo: domain, mta: 'mx', resolver })
      return status.result
    }
    assert.equal(await check('192.0.2.25', 'sender.example'), 'pass')
    assert.equal(await check('192.0.2.26', 'sender.example'), 'fail')
    assert.equal(await check('192.0.2.25', 'unknown.example'), 'none')
    assert.equal(await check('192.0.2.25', 'broken.example'), 'temperror')
  })

  it('does not start with a server that is no address', () => {
    for (const address of ['name:53', '127.0.0.1:99999', '']) {
      assert.throws(() => createResolver({ servers: [address], timeoutMs: 1, tries: 1 }))
    }
  })
})

describe('look-ups with the system', () => {
  it('knows the hosts file', async () => {
    const { addresses } = createResolver({ servers: [], timeoutMs: 2_000, tries: 1 })
    const found = await addresses('localhost')
    assert.ok(found.includes('127.0.0.1') || found.includes('::1'), found.join())
  })

  it('finds nothing at a name that no server is asked about', async () => {
    const { addresses } = createResolver({ servers: [], timeoutMs: 2_000, tries: 1 })
    assert.deepEqual(await addresses('a..b'), [])
  })
})
