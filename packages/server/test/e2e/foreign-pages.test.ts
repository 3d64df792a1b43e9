import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startService } from '../testing-start-service.ts'

const ROUTES: readonly (readonly ['GET' | 'POST', string])[] = [
  ['GET', '/healthz'],
  ['GET', '/docs'],
  ['GET', '/openapi.json'],
  ['GET', '/no/such/path'],
  ['GET', '/v1/account'],
  ['GET', '/v1/events'],
  ['GET', '/v1/account/connection/callback?state=x'],
  ['POST', '/v1/accounts'],
  ['POST', '/mcp'],
]

describe('pages of other sites', () => {
  it('reach no route of a service on loopback', async () => {
    await using service = await startService({ env: { MAYFLY_BASE_URL: 'https://mail.example' } })
    const { port } = new URL(service.httpUrl)
    const foreign: readonly Record<string, string>[] = [
      { host: 'evil.example' },
      { host: `evil.example:${port}` },
      { host: 'localhost.evil.example' },
      { host: '127.0.0.1.evil.example' },
      { origin: 'http://evil.example' },
      { origin: 'https://mail.example.evil.example' },
      { origin: 'null' },
      { origin: 'file://' },
    ]
    for (const [method, path] of ROUTES) {
      for (const headers of foreign) {
        const answer = await service.anonymous.send(method, path, { headers })
        assert.equal(answer.status, 403, `${path} ${JSON.stringify(headers)}: ${answer.text}`)
      }
    }
  })

  it('are told from programs and pages of this machine', async () => {
    await using service = await startService({ env: { MAYFLY_BASE_URL: 'https://mail.example' } })
    const own: readonly Record<string, string>[] = [
      {},
      { host: 'localhost:9000' },
      { host: '127.3.2.1' },
      { host: '[::1]:8025' },
      { host: 'mail.example' },
      { origin: 'https://mail.example' },
      { origin: 'http://localhost:3000' },
      { origin: 'http://127.0.0.1:8025' },
    ]
    for (const headers of own) {
      const answer = await service.anonymous.get('/healthz', { headers })
      assert.equal(answer.status, 200, `${JSON.stringify(headers)}: ${answer.text}`)
    }
  })

  it('are left to the network where the service listens on all addresses', async () => {
    await using service = await startService({ env: { MAYFLY_HTTP_HOST: '0.0.0.0' } })
    const headers = { host: 'mail.example', origin: 'https://app.example' }
    assert.equal((await service.anonymous.get('/healthz', { headers })).status, 200)
  })
})
