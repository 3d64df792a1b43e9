import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { createSecureContext } from 'node:tls'
import { assertNoSockets, startTcpServer } from '../../../test/testing-tcp-server.ts'
import { readAddressRules } from './address-rules.ts'
import { openSocket } from './connect.ts'

/** A target as it would be if judging had gone wrong. */
function misjudged(url: string, address: string) {
  const parsed = new URL(url)
  return { url: parsed, port: Number(parsed.port), host: parsed.hostname, addresses: [address] }
}

const OPTIONS = {
  rules: readAddressRules({ allowPrivate: false, allow: ['127.0.0.2'] }),
  secureContext: () => createSecureContext(),
  connectTimeoutMs: 5_000,
  signal: new AbortController().signal,
}

describe('the socket of an outbound request', () => {
  afterEach(assertNoSockets)

  for (const scheme of ['http', 'https']) {
    it(`is judged by its peer before a byte is sent over ${scheme}`, async () => {
      await using server = await startTcpServer()
      const target = misjudged(`${scheme}://name.example:${server.port}/`, '127.0.0.1')
      await assert.rejects(openSocket(target, OPTIONS), { kind: 'refused' })
      assert.equal(server.received(), '')
    })
  }

  it('goes to the judged address whatever the name is', async () => {
    await using server = await startTcpServer({ host: '127.0.0.2' })
    const target = misjudged(`http://name.example:${server.port}/`, '127.0.0.2')
    const socket = await openSocket(target, OPTIONS)
    assert.equal(socket.remoteAddress, '127.0.0.2')
    socket.destroy()
  })

  it('is not opened when the request is given up already', async () => {
    await using server = await startTcpServer({ host: '127.0.0.2' })
    const target = misjudged(`http://name.example:${server.port}/`, '127.0.0.2')
    const signal = AbortSignal.abort()
    await assert.rejects(openSocket(target, { ...OPTIONS, signal }), { name: 'AbortError' })
    assert.equal(server.connections(), 0)
  })
})
