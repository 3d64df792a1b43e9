import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { createTransport } from 'nodemailer'
import { parseConfig } from '../../src/config/config.ts'
import { createAuthority } from '../testing-certificates.ts'
import { first } from '../testing-first.ts'
import { startService, type TestService } from '../testing-start-service.ts'

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
