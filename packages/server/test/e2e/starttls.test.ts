import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { readService } from '@mayfly/client/internal'
import { createTransport } from 'nodemailer'
import { parseConfig } from '../../src/config/config.ts'
import { createAuthority } from '../testing-certificates.ts'
import { first } from '../testing-first.ts'
import { startService, type TestService } from '../testing-start-service.ts'
import { until } from '../testing-until.ts'

/** Sends with nodemailer, which upgrades to TLS whenever that is offered; the stored envelope. */
async function envelopeOfMail(service: TestService, tls: { readonly ca?: string } = {}) {
  const dev = await service.register()
  const inbox = await dev.inboxes.create()
  const transport = createTransport({ host: '127.0.0.1', port: service.smtpPort, tls })
  await transport.sendMail({ from: 'app@example.com', to: inbox.emailAddress, text: 'hello' })
  const { id } = first((await inbox.listMessages()).messages)
  return (await inbox.readMessage(id)).envelope
}

describe('STARTTLS', () => {
  it('is not offered by default, so that clients which verify certificates can send', async () => {
    await using service = await startService()
    assert.equal((await envelopeOfMail(service)).tls, null)
  })

  it('is offered with a self-signed certificate on request, which clients refuse', async () => {
    await using service = await startService({ env: { MAYFLY_SMTP_TLS: 'self-signed' } })
    await assert.rejects(envelopeOfMail(service), /self.signed certificate/i)
  })

  it('that fails is told to the local account, and not to others', async () => {
    const env = { MAYFLY_SMTP_TLS: 'self-signed' }
    await using service = await startService({ env, hasLocalAccount: true })
    const { localKeyFile } = await readService({ baseUrl: service.httpUrl })
    const local = service.account((await readFile(String(localKeyFile), 'utf8')).trim())
    const inbox = await local.inboxes.create()
    const others = await (await service.register()).inboxes.create()
    const transport = createTransport({ host: '127.0.0.1', port: service.smtpPort, name: 'app' })
    const mail = { from: 'app@example.com', to: inbox.emailAddress, text: 'hello' }
    // More than are announced one by one.
    const sends = Array.from({ length: 3 }, () =>
      assert.rejects(transport.sendMail(mail), /self.signed certificate/i),
    )
    await Promise.all(sends)
    const told = await until(async () => {
      const { nextSteps } = await inbox.diagnose()
      return nextSteps.find((step) => step.includes('It is one of 3 since the start.')) ?? null
    })
    assert.match(
      told,
      /^The TLS handshake .* at 127\.0\.0\.1 \(app\) failed (?:just now|\d s ago): the client closed the connection/,
    )
    await assert.rejects(inbox.waitForMessage({ timeoutSeconds: 0 }), /TLS handshake/)
    const { nextSteps } = await others.diagnose()
    assert.doesNotMatch(nextSteps.join(), /TLS handshake/)
  })

  it('that fails is told in the inbox that was named before', async () => {
    await using service = await startService({ env: { MAYFLY_SMTP_TLS: 'self-signed' } })
    const inbox = await (await service.register()).inboxes.create()
    const socket = connect(service.smtpPort, '127.0.0.1').setEncoding('latin1')
    let replies = ''
    socket.on('data', (text) => {
      replies += text
    })
    const recipient = `RCPT TO:<${inbox.emailAddress}>`
    const lines = ['EHLO app', 'MAIL FROM:<app@example.com>', recipient, 'STARTTLS']
    socket.write(lines.map((line) => `${line}\r\n`).join(''))
    await until(async () => replies.includes('Ready to start TLS') || null)
    socket.end('NOOP\r\n')
    const event = await until(async () => {
      const { events } = await inbox.diagnose()
      return events.find(({ stage }) => stage === 'smtp.refused') ?? null
    })
    assert.match(
      String(event.detail),
      /^454 .*wrong version number \(.*from <app@example\.com> at 127/,
    )
  })

  it('is offered with the configured certificate, which clients verify', async () => {
    const authority = createAuthority()
    const issued = authority.issue(['127.0.0.1'])
    const folder = await mkdtemp(join(tmpdir(), 'mayfly-tls-'))
    try {
      const env = {
        MAYFLY_SMTP_TLS_CERT: join(folder, 'cert.pem'),
        MAYFLY_SMTP_TLS_KEY: join(folder, 'key.pem'),
      }
      await writeFile(env.MAYFLY_SMTP_TLS_CERT, issued.cert)
      await writeFile(env.MAYFLY_SMTP_TLS_KEY, issued.key)
      await using service = await startService({ env })
      assert.equal((await envelopeOfMail(service, { ca: authority.pem })).tls, 'TLSv1.3')
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })

  it('takes no other value', () => {
    assert.throws(() => parseConfig({ MAYFLY_SMTP_TLS: 'yes' }), /MAYFLY_SMTP_TLS must be self-s/)
  })

  it('takes a certificate or self-signed, not both', async () => {
    const env = {
      MAYFLY_SMTP_TLS: 'self-signed',
      MAYFLY_SMTP_TLS_CERT: '/dev/null',
      MAYFLY_SMTP_TLS_KEY: '/dev/null',
    }
    await assert.rejects(startService({ env }), /not both/)
  })
})
