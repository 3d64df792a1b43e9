import assert from 'node:assert/strict'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { connect, createServer } from 'node:tls'
import { makeSelfSignedCertificate } from './self-signed.ts'

const HOSTS = ['mx.mayfly.test', 'mayfly.test', '127.0.0.1', '::1', '2001:db8::ffff:1.2.3.4']

describe('a self-signed certificate', () => {
  it('names its hosts and addresses, and is signed by its own key', () => {
    const { cert, key } = makeSelfSignedCertificate(HOSTS, new Date('2026-03-01T00:00:00Z'))
    const parsed = new X509Certificate(cert)

    assert.equal(parsed.subject, 'CN=mx.mayfly.test')
    assert.equal(parsed.issuer, parsed.subject)
    assert.equal(
      parsed.subjectAltName,
      'DNS:mx.mayfly.test, DNS:mayfly.test, IP Address:127.0.0.1, ' +
        'IP Address:0:0:0:0:0:0:0:1, IP Address:2001:DB8:0:0:0:FFFF:102:304',
    )
    assert.equal(parsed.checkHost('mayfly.test'), 'mayfly.test')
    assert.equal(parsed.checkHost('other.test'), undefined)
    assert.equal(parsed.checkIP('127.0.0.1'), '127.0.0.1')
    assert.equal(parsed.ca, false)
    assert.equal(parsed.verify(parsed.publicKey), true)
    assert.equal(parsed.checkPrivateKey(createPrivateKey(key)), true)
    assert.deepEqual(parsed.keyUsage, ['1.3.6.1.5.5.7.3.1'])
  })

  const validities = [
    {
      from: '2026-03-01T12:34:56.789Z',
      first: 'Mar  1 12:34:56 2026 GMT',
      last: 'Mar  1 12:34:56 2027 GMT',
    },
    {
      from: '2049-06-01T00:00:00Z',
      first: 'Jun  1 00:00:00 2049 GMT',
      last: 'Jun  1 00:00:00 2050 GMT',
    },
  ]
  for (const { from, first, last } of validities) {
    it(`is valid for a year from ${from}`, () => {
      const { cert } = makeSelfSignedCertificate(['a.test'], new Date(from))
      const parsed = new X509Certificate(cert)
      assert.equal(parsed.validFrom, first)
      assert.equal(parsed.validTo, last)
    })
  }

  it('gives each certificate a serial number and a key of its own', () => {
    const [one, two] = [1, 2].map(() => {
      return new X509Certificate(makeSelfSignedCertificate(['a.test'], new Date(0)).cert)
    })
    assert.notEqual(one?.serialNumber, two?.serialNumber)
    assert.notEqual(one?.fingerprint256, two?.fingerprint256)
  })

  it('serves a handshake with a client that trusts it', async () => {
    const pair = makeSelfSignedCertificate(HOSTS, new Date(Date.now() - 60_000))
    const server = createServer(pair, (socket) => socket.end('hello'))
    await once(server.listen(0, '127.0.0.1'), 'listening')
    // A server that listens on a port has an AddressInfo.
    const { port } = server.address() as AddressInfo

    const client = connect({ port, host: '127.0.0.1', servername: 'mayfly.test', ca: pair.cert })
    const [chunk] = await once(client, 'data')
    assert.equal(client.authorized, true)
    assert.equal(String(chunk), 'hello')

    client.destroy()
    await once(server.close(), 'close')
  })
})
