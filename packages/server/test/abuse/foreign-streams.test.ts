import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startService } from '../testing-start-service.ts'
import { openSocket } from './testing-raw-socket.ts'

const UPGRADE =
  'connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n'

/** What browsers send with requests of pages that the service did not serve. */
const FOREIGN = [
  'origin: https://evil.example',
  'origin: http://localhost:3000',
  'origin: null',
  'sec-fetch-site: cross-site',
  'sec-fetch-site: same-site',
]

describe('streams for pages of other sites', () => {
  it('are refused without catch-all, also with the password that the browser adds', async () => {
    // On every address the WebSocket goes by Origin; only programs of this machine reach others.
    for (const host of ['127.0.0.1', '0.0.0.0']) {
      await using service = await startService({ env: { MAYFLY_HTTP_HOST: host } })
      const dev = await service.register()
      const port = Number(new URL(service.httpUrl).port)
      const basic = Buffer.from(`x:${dev.key}`).toString('base64')
      const ask = async (path: string, fields: string) => {
        using client = await openSocket(port)
        client.send(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${fields}\r\n`)
        return Number((await client.received(/^HTTP\/1\.1 \d{3} /)).slice(9, 12))
      }
      const auth = `authorization: Basic ${basic}\r\n`
      assert.equal(await ask('/api/events', UPGRADE + auth), 101)
      for (const foreign of FOREIGN) {
        const fields = `${UPGRADE}${auth}${foreign}\r\n`
        assert.equal(await ask('/api/events', fields), 403, `${host} ${foreign}`)
        // The stream of the API takes no password that a browser adds.
        assert.ok([401, 403].includes(await ask('/v1/events', `${auth}${foreign}\r\n`)), foreign)
      }
    }
  })
})
