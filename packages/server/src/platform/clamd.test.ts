import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startTcpServer } from '../../test/testing-tcp-server.ts'
import { scanWithClamd } from './clamd.ts'

describe('clamd', () => {
  it('is not waited for past the deadline of a scan, whatever it sends until then', async () => {
    const intervals: NodeJS.Timeout[] = []
    await using server = await startTcpServer({
      onConnection: (socket) => {
        intervals.push(setInterval(() => socket.write('x'), 5))
      },
    })
    const options = {
      address: `127.0.0.1:${server.port}`,
      signal: new AbortController().signal,
      scanMsMax: { fixed: 100, perMiB: 0 },
    }
    await assert.rejects(scanWithClamd(options, Buffer.from('a')), /did not respond in time/)
    for (const interval of intervals) clearInterval(interval)
  })
})
