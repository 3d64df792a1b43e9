import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { first } from '../testing-first.ts'
import { createReceivers } from '../testing-receiver.ts'
import { startService } from '../testing-start-service.ts'
import { until } from '../testing-until.ts'
import { openSocket } from './testing-raw-socket.ts'

const EVIL = 'a\r\nBcc: evil@example.com\r\n\r\n<b>\0\x1b[2J'

const encoded = (text: string) => `=?utf-8?B?${Buffer.from(text).toString('base64')}?=`

/** Line ends in each name that a sender chooses. */
const RAW = [
  `From: ${encoded(EVIL)} <"x${encoded(EVIL)}"@example.com>`,
  `To: ${encoded(EVIL)} <to@example.com>`,
  `Subject: ${encoded(EVIL)}`,
  `Message-ID: <${encoded(EVIL)}@example.com>`,
  'Content-Type: multipart/mixed; boundary=part',
  '',
  '--part',
  'Content-Type: text/plain',
  '',
  'text',
  '--part',
  `Content-Type: text/plain; name="${encoded(EVIL)}"`,
  `Content-Disposition: attachment; filename*=utf-8''${encodeURIComponent(EVIL)}`,
  '',
  'x',
  '--part--',
  '',
].join('\r\n')

describe('line ends and NUL in names', { timeout: 120_000 }, () => {
  it('end no header, line or reply, wherever a name is shown', async () => {
    await using receivers = await createReceivers()
    const requests: string[] = []
    const receiver = await receivers.open(({ body, headers }, response) => {
      requests.push(body)
      for (const value of Object.values(headers)) assert.doesNotMatch(String(value), /[\r\n\0]/)
      response.writeHead(200).end()
    })
    await using service = await startService({
      env: { ...receivers.env, MAYFLY_LOG_LEVEL: 'debug', MAYFLY_POP3_PORT: '0' },
    })
    const dev = await service.register()
    const inbox = await dev.inboxes.create()
    await dev.post('/v1/webhooks', { url: receiver.url })
    await service.sendMail({ to: inbox.emailAddress, raw: RAW })
    const { id } = first((await inbox.listMessages()).messages)
    const path = `/v1/inboxes/${inbox.id}/messages/${id}`

    const { attachments } = (await dev.get(path)).body
    const download = await dev.get(`${path}/attachments/${attachments[0].id}`)
    assert.equal(download.status, 200)
    assert.match(
      String(download.headers['content-disposition']),
      /^attachment; filename="[^"\r\n]*"(?:; filename\*=UTF-8''[\w.%~-]*)?$/,
    )
    assert.equal(download.headers['bcc'], undefined)

    await until(async () => requests.length > 0 || null)
    assert.equal(JSON.parse(first(requests)).data.message.id, id)

    using pop = await openSocket(Number(service.pop3Port))
    await pop.received(/^\+OK /)
    pop.send(`USER ${inbox.emailAddress}\r\nPASS ${dev.key}\r\nLIST\r\nUIDL\r\nQUIT\r\n`)
    const replies = await pop.ended()
    assert.doesNotMatch(replies, /Bcc/)

    for (const line of service.logged) {
      assert.doesNotMatch(line.trimEnd(), /[\r\n\0\x1b]/)
      JSON.parse(line)
    }
  })

  it('are refused in the envelope, and run no command', async () => {
    await using service = await startService()
    const dev = await service.register()
    const inbox = await dev.inboxes.create()
    const evil = [
      'MAIL FROM:<a\0b@example.com>',
      'MAIL FROM:<a\rb@example.com>',
      'MAIL FROM:<"a\rRCPT TO:<x@y>"@example.com>',
      'MAIL FROM:<a@exa\x1bmple.com>',
      'MAIL FROM:<a@b.example> ORCPT=rfc822;x\0y',
    ]
    for (const command of evil) {
      using client = await openSocket(service.smtpPort)
      client.send(`EHLO a\r\n${command}\r\nQUIT\r\n`)
      const replies = (await client.ended()).split('\r\n')
      assert.match(replies.at(-3) ?? '', /^5\d\d /, JSON.stringify(command))
    }
    for (const rcpt of [`RCPT TO:<${inbox.emailAddress}\0>`, `RCPT TO:<a\r@mayfly.test>`]) {
      using client = await openSocket(service.smtpPort)
      client.send(`EHLO a\r\nMAIL FROM:<a@b.example>\r\n${rcpt}\r\nQUIT\r\n`)
      assert.match(
        (await client.ended()).split('\r\n').at(-3) ?? '',
        /^5\d\d /,
        JSON.stringify(rcpt),
      )
    }
    assert.deepEqual((await inbox.listMessages()).messages, [])
  })
})
