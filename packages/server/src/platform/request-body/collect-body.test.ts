import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { collectBody } from './collect-body.ts'

const BYTES_MAX = 300_000

/** What is collected of a request by HTTP, and the error code if it fails. */
async function collected(
  headers: Record<string, string>,
  write: (asked: ReturnType<typeof request>) => void,
): Promise<{ readonly code: string | null; readonly body: Buffer | undefined }> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    // A server that listens on TCP.
    const { port } = server.address() as AddressInfo
    const received = once(server, 'request')
    const asked = request({ port, method: 'POST', headers })
    asked.on('error', () => {})
    asked.flushHeaders()
    const [payload]: IncomingMessage[] = await received
    assert.ok(payload !== undefined)
    const body = collectBody(payload, BYTES_MAX)
    write(asked)
    return await body.then(
      (whole) => ({ code: null, body: whole }),
      ({ code }) => ({ code, body: undefined }),
    )
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

describe('a body that is collected', () => {
  const bytes = Buffer.from(Array.from({ length: BYTES_MAX }, (_, i) => i % 251))
  for (const length of [0, 1, 65_536, 65_537, BYTES_MAX]) {
    it(`is whole, with and without a declared length: ${length} bytes`, async () => {
      const sent = bytes.subarray(0, length)
      for (const headers of [{ 'content-length': String(length) }, {}]) {
        const { code, body } = await collected(headers, (asked) => {
          for (let at = 0; at < length; at += 10_000) asked.write(sent.subarray(at, at + 10_000))
          asked.end()
        })
        assert.equal(code, null)
        assert.ok(body?.equals(sent.subarray(0, length)))
      }
    })
  }

  it('is refused when it declares or has more than it may', async () => {
    const declared = { 'content-length': String(BYTES_MAX + 1) }
    assert.equal((await collected(declared, () => {})).code, 'body_too_large')
    const more = await collected({}, (asked) => {
      asked.write(bytes)
      asked.write('x')
    })
    assert.equal(more.code, 'body_too_large')
  })

  it('is malformed when its client goes before its end', async () => {
    const { code } = await collected({ 'content-length': '100' }, (asked) => {
      asked.write('x', () => asked.destroy())
    })
    assert.equal(code, 'malformed_request')
  })
})
