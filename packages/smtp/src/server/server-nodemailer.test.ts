import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createTransport } from 'nodemailer'
import { startTestServer } from '../../test/testing-server.ts'
import { REFUSAL_REPLIES } from './handler.ts'
import { makeSelfSignedCertificate } from './self-signed.ts'

const tls = makeSelfSignedCertificate(['mx.mayfly.test'], new Date())
const FROM = 'a@example.com'
const TO = 'b@mayfly.test'

describe('nodemailer', { timeout: 30_000 }, () => {
  it('delivers over STARTTLS, byte by byte what it was given', async () => {
    await using given = await startTestServer({ tls })
    const transport = createTransport({
      host: '127.0.0.1',
      port: given.server.port,
      requireTLS: true,
      tls: { ca: tls.cert, servername: 'mx.mayfly.test' },
    })
    const raw = 'Subject: dots\r\n\r\n.\r\n..\r\n...three\r\n.\r\n\r\nend\r\n'
    await transport.sendMail({ envelope: { from: FROM, to: [TO, 'c@mayfly.test'] }, raw })
    transport.close()
    assert.equal(given.mails[0]?.raw.toString(), raw)
    assert.equal(given.mails[0]?.protocol, 'ESMTPS')
    assert.deepEqual(given.mails[0]?.recipients, [{ address: TO }, { address: 'c@mayfly.test' }])
  })

  it('delivers from a pool, with authentication, attachments and UTF-8', async () => {
    await using given = await startTestServer(
      {},
      { authenticate: async ({ username }) => ({ state: 'accepted', identity: username }) },
    )
    const transport = createTransport({
      host: '127.0.0.1',
      port: given.server.port,
      pool: true,
      maxConnections: 5,
      auth: { user: 'anybody', pass: 'anything' },
    })
    const content = Buffer.alloc(300_000, 'attachment')
    const sends = Array.from({ length: 40 }, (_, index) =>
      transport.sendMail({
        from: FROM,
        to: 'jõgeva@mayfly.test',
        subject: `mail ${index}`,
        attachments: [{ filename: 'a.bin', content }],
      }),
    )
    await Promise.all(sends)
    transport.close()
    assert.equal(given.mails.length, 40)
    const subjects = given.mails.map(({ raw }) => /^Subject: (.*)\r$/m.exec(raw.toString())?.[1])
    assert.equal(new Set(subjects).size, 40)
    for (const mail of given.mails) {
      assert.equal(mail.protocol, 'UTF8SMTPA')
      assert.deepEqual(mail.recipients, [{ address: 'jõgeva@mayfly.test' }])
      assert.ok(mail.raw.length > 400_000)
    }
  })

  it('gets the reply of a refusal', async () => {
    await using given = await startTestServer({ limits: { messageBytesMax: 1000 } })
    const transport = createTransport({ host: '127.0.0.1', port: given.server.port })
    const text = 'x'.repeat(2000)
    await assert.rejects(transport.sendMail({ from: FROM, to: 'unknown@mayfly.test', text }), {
      responseCode: 550,
      response: REFUSAL_REPLIES.unknown,
    })
    await assert.rejects(transport.sendMail({ from: FROM, to: TO, text }), { responseCode: 552 })
    transport.close()
    assert.equal(given.mails.length, 0)
  })
})
