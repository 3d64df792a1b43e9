import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import { createTransport } from 'nodemailer'
import { first } from '../testing-first.ts'
import { sharedService } from '../testing-start-service.ts'

const EICAR = 'X5O!P%@AP[4\\PZX54(P^)7CC)7}$' + 'EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'

const PDF = Buffer.from('%PDF-1.7\n'.padEnd(50_000, 'x'))

/** A mail with a file of each kind. */
async function sendFiles(port: number, to: string): Promise<void> {
  const transport = createTransport({
    host: '127.0.0.1',
    port: port,
    secure: false,
    ignoreTLS: true,
  })
  await transport.sendMail({
    from: 'app@example.com',
    to: to,
    subject: 'files',
    html: '<p>Logo: <img src="cid:logo"> <img src="https://track.example/p.gif"></p><script>1</script>',
    attachments: [
      { filename: 'Größe "1".pdf', content: PDF, contentType: 'application/pdf' },
      {
        filename: 'logo.png',
        cid: 'logo',
        content: Buffer.from('89504e470d0a1a0a', 'hex'),
        contentType: 'image/png',
      },
      { filename: 'page.html', content: '<script>alert(1)</script>', contentType: 'text/html' },
      { filename: 'setup.exe', content: 'MZ\x90\x00' },
      { filename: 'notes.txt', content: EICAR },
    ],
  })
  transport.close()
}

describe('attachments', () => {
  const shared = sharedService()

  it('are listed, downloaded with safe headers, blocked and quarantined', async () => {
    const service = await shared()
    const dev = await service.register()
    const inbox = await dev.inboxes.create()
    await sendFiles(service.smtpPort, inbox.emailAddress)
    const summary = first((await inbox.listMessages()).messages)
    assert.equal(summary.hasAttachments, true)
    const path = `/v1/inboxes/${inbox.id}/messages/${summary.id}`
    const { attachments, html } = await inbox.readMessage(summary.id)
    const by = (name: string) => first(attachments.filter(({ filename }) => filename === name))

    const document = by('Größe "1".pdf')
    assert.equal(document.sizeBytes, PDF.length)
    assert.equal(document.sha256, createHash('sha256').update(PDF).digest('hex'))
    const download = await dev.get(`${path}/attachments/${document.id}`)
    assert.equal(download.status, 200)
    assert.equal(download.text, PDF.toString())
    assert.equal(download.headers['content-type'], 'application/pdf')
    assert.equal(
      download.headers['content-disposition'],
      `attachment; filename="Gr__e _1_.pdf"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%221%22.pdf`,
    )
    assert.equal(download.headers['x-content-type-options'], 'nosniff')
    assert.match(String(download.headers['content-security-policy']), /sandbox/)
    const page = await dev.get(`${path}/attachments/${by('page.html').id}`)
    assert.equal(
      page.headers['content-type'] ?? 'application/octet-stream',
      'application/octet-stream',
    )

    for (const [name, status, code] of [
      ['setup.exe', 'blocked', 'attachment_blocked'],
      ['notes.txt', 'quarantined', 'attachment_quarantined'],
    ] as const) {
      assert.equal(by(name).status, status)
      assert.ok((by(name).reason ?? '').length > 3)
      const refused = await dev.get(`${path}/attachments/${by(name).id}`)
      assert.deepEqual([refused.status, refused.body.error.code], [403, code])
      assert.match(refused.body.error.message, /[^.]\.$/)
    }
    const logo = by('logo.png')
    assert.ok(html !== null)
    assert.ok(html.includes(`${service.httpUrl}${path}/attachments/${logo.id}`), html)
    assert.ok(!html.includes('track.example') && !html.includes('script'), html)
    const withImages = await inbox.readMessage(summary.id, { remoteImages: 'allow' })
    assert.ok(withImages.html?.includes('https://track.example/p.gif'))
    const unknown = inbox.downloadAttachment(summary.id, 'att_nothing')
    await assert.rejects(unknown, { status: 404, code: 'attachment_not_found' })
  })
})
