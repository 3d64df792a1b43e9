import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { startService } from '../../server/test/testing-start-service.ts'
import { openShell } from './testing-run-command.ts'

describe('mayfly healthcheck', () => {
  it('passes when the service of the same environment is ready', async () => {
    await using service = await startService()
    const { port } = new URL(service.httpUrl)
    for (const host of ['', '0.0.0.0', 'localhost']) {
      const env = { MAYFLY_HTTP_PORT: port, MAYFLY_HTTP_HOST: host }
      await using shell = await openShell({ env })
      assert.deepEqual((await shell.run('healthcheck')).code, 0, host)
    }
  })

  it('fails and says why when the service is not ready, or not there', async () => {
    const notReady = createServer((_request, response) => {
      response.writeHead(503).end('{"checks":{"storage":"the disk is full"}}')
    })
    await once(notReady.listen(0, '127.0.0.1'), 'listening')
    // A listener on a TCP port has such an address.
    const { port } = notReady.address() as AddressInfo
    await using shell = await openShell({ env: { MAYFLY_HTTP_PORT: String(port) } })
    const refused = await shell.run('healthcheck')
    assert.equal(refused.code, 1)
    assert.match(refused.err, /is not ready \(503\): .*the disk is full/)

    notReady.close()
    await once(notReady, 'close')
    const missing = await shell.run('healthcheck')
    assert.equal(missing.code, 1)
    assert.match(missing.err, /^mayfly: http:\/\/127\.0\.0\.1:\d+\/readyz: connect ECONNREFUSED/)
  })
})
