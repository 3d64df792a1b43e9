import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { startService } from '../testing-start-service.ts'

const HEADER = 'PROXY TCP4 192.0.2.7 198.51.100.1 51000 25\r\n'

/** Sends one mail in one piece, with this before it; resolves when the server has closed. */
async function sendMail(port: number, to: string, first: string): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  const commands = `EHLO x\r\nMAIL FROM:<a@example.com>\r\nRCPT TO:<${to}>\r\nDATA\r\n`
  socket.end(`${first}${commands}Subject: x\r\n\r\nx\r\n.\r\nQUIT\r\n`)
  socket.on('error', () => undefined)
  socket.resume()
  await once(socket, 'close')
}

describe('SMTP behind a proxy', { timeout: 60_000 }, () => {
  for (const [networks, first, remoteAddress] of [
    ['192.168.0.0/16,127.0.0.1', HEADER, '192.0.2.7'],
    ['10.0.0.0/8', '', '127.0.0.1'],
  ] as const) {
    it(`has the address of the client, ${remoteAddress}, with proxies ${networks}`, async () => {
      await using service = await startService({
        env: { MAYFLY_SMTP_PROXY_PROTOCOL: 'true', MAYFLY_TRUSTED_PROXIES: networks },
      })
      const inbox = await (await service.register()).inboxes.create()
      await sendMail(service.smtpPort, inbox.emailAddress, first)
      assert.equal((await inbox.waitForMessage()).envelope.remoteAddress, remoteAddress)
    })
  }

  it('takes nothing from a proxy without a header', async () => {
    await using service = await startService({
      env: { MAYFLY_SMTP_PROXY_PROTOCOL: 'true', MAYFLY_TRUSTED_PROXIES: '127.0.0.0/8' },
    })
    const inbox = await (await service.register()).inboxes.create()
    await sendMail(service.smtpPort, inbox.emailAddress, '')
    assert.deepEqual((await inbox.listMessages()).messages, [])
  })

  it('does not start without the addresses of proxies', async () => {
    const env = { MAYFLY_SMTP_PROXY_PROTOCOL: 'true' }
    await assert.rejects(startService({ env }), /needs MAYFLY_TRUSTED_PROXIES/)
  })
})
