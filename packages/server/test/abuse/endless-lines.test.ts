import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startService } from '../testing-start-service.ts'
import { openSocket } from './testing-raw-socket.ts'

/** Far more than any line may have; all of it must never be kept. */
const ENDLESS = 'x'.repeat(1024 * 1024)

describe('a line without end', { timeout: 120_000 }, () => {
  for (const [name, before, ready] of [
    ['command', '', /^220 /],
    ['EHLO', 'EHLO ', /^220 /],
    ['BDAT size', 'EHLO a\r\nMAIL FROM:<a@b.example>\r\nBDAT ', /^220 /],
    ['AUTH answer', 'EHLO a\r\nAUTH LOGIN\r\n', /^334 /m],
  ] as const) {
    it(`ends an SMTP session: ${name}`, async () => {
      await using service = await startService()
      using client = await openSocket(service.smtpPort)
      client.send(before)
      await client.received(ready)
      client.send(ENDLESS)
      assert.match(await client.ended(), /\r\n(?:421|500) [^\r\n]*\r\n$/)
    })
  }

  it('ends an SMTP connection: PROXY header', async () => {
    const env = { MAYFLY_SMTP_PROXY_PROTOCOL: 'true', MAYFLY_TRUSTED_PROXIES: '127.0.0.0/8' }
    await using service = await startService({ env })
    for (const start of ['PROXY TCP4 ', '\r\n\r\n\0\r\nQUIT\n\x21\x11\xff\xff']) {
      using client = await openSocket(service.smtpPort)
      client.send(Buffer.from(start + ENDLESS, 'latin1'))
      assert.doesNotMatch(await client.ended(), /^250/m)
    }
  })

  it('ends a POP3 session', async () => {
    await using service = await startService({ env: { MAYFLY_POP3_PORT: '0' } })
    for (const start of ['', 'USER ', 'AUTH PLAIN\r\n']) {
      using client = await openSocket(Number(service.pop3Port))
      await client.received(/^\+OK /)
      client.send(start + ENDLESS)
      assert.match(await client.ended(), /-ERR [^\r\n]*\r\n$/)
    }
  })

  for (const [name, head] of [
    ['request line', 'GET /'],
    ['header', 'GET / HTTP/1.1\r\nhost: localhost\r\nx: '],
    ['headers', `GET / HTTP/1.1\r\nhost: localhost\r\n${'x: y\r\n'.repeat(20_000)}`],
    [
      'chunk extension',
      'POST /v1/accounts HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n1;a=',
    ],
    [
      'chunk size',
      'POST /v1/accounts HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n0',
    ],
    [
      'trailer',
      'POST /v1/accounts HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n0\r\na: ',
    ],
  ] as const) {
    it(`ends an HTTP request: ${name}`, async () => {
      await using service = await startService()
      using client = await openSocket(Number(new URL(service.httpUrl).port))
      client.send(head + ENDLESS)
      assert.match(await client.ended(), /^HTTP\/1\.1 4\d\d /)
    })
  }
})
