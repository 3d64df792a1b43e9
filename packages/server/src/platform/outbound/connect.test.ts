import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { createSecureContext } from 'node:tls'
import { assertNoSockets, startTcpServer } from '../../../test/testing-tcp-server.ts'
import { readAddressRules } from './address-rules.ts'
import { openSocket } from './connect.ts'

/** A target as it would be if the check before had failed. */
function unchecked(url: string, address: string) {
  const parsed = new URL(url)
  return { url: parsed, port: Number(parsed.port), host: parsed.hostname, addresses: [address] }
}

const OPTIONS = {
  rules: readAddressRules({ allowPrivate: false, allow: ['127.0.0.2'] }),
  secureContext: () => createSecureContext(),
  connectTimeoutMs: 5_000,
  signal: new AbortController().signal,
}

describe('openSocket', () => {
  afterEach(assertNoSockets)

  for (const scheme of ['http', 'https']) {
    it(`checks the peer before a byte is sent over ${scheme}`, async () => {
      await using server = await startTcpServer()
      const target = unchecked(`${scheme}://name.example:${server.port}/`, '127.0.0.1')
      await assert.rejects(openSocket(target, OPTIONS), { kind: 'refused' })
      assert.equal(server.received(), '')
    })
  }

  it('connects to the given address whatever the name is', async () => {
    await using server = await startTcpServer({ host: '127.0.0.2' })
    const target = unchecked(`http://name.example:${server.port}/`, '127.0.0.2')
    const socket = await openSocket(target, OPTIONS)
    assert.equal(socket.remoteAddress, '127.0.0.2')
    socket.destroy()
  })

  it('is not opened when the request is already aborted', async () => {
    await using server = await startTcpServer({ host: '127.0.0.2' })
    const target = unchecked(`http://name.example:${server.port}/`, '127.0.0.2')
    const signal = AbortSignal.abort()
    await assert.rejects(openSocket(target, { ...OPTIONS, signal }), { name: 'AbortError' })
    assert.equal(server.connections(), 0)
  })
})
