import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startCatchAll } from '../compat/testing-catch-all.ts'
import { first } from '../testing-first.ts'
import { startService } from '../testing-start-service.ts'
import { startTcpServer } from '../testing-tcp-server.ts'

/** Spellings of addresses of this machine and its network; names of cloud metadata services. */
const HOSTS = [
  ...['127.0.0.1', '127.1', '127.0.1', '2130706433', '0x7f000001', '0177.0.0.1', '0x7f.1'],
  ...['0', '0.0.0.0', '１２７.0.0.1', '127。0。0。1', '127.0.0.1.', 'localhost', 'localhost.'],
  ...['a.localhost', 'LOCALHOST', '[::]', '[::1]', '[0:0:0:0:0:0:0:1]', '[::ffff:127.0.0.1]'],
  ...['[::ffff:7f00:1]', '[::127.0.0.1]', '[64:ff9b::7f00:1]', '[2002:7f00:1::]', '[fe80::1]'],
  ...['169.254.169.254', '[fd00:ec2::254]', '100.100.100.200', '192.0.0.192', '168.63.129.16'],
  ...['metadata.google.internal', 'metadata', 'instance-data', 'host.docker.internal'],
]

/** A page whose links, images and style sheets are at these addresses. */
function pageOf(port: number): string {
  return HOSTS.map((host) => {
    const url = `http://${host}:${port}/x`
    return `<a href="${url}">a</a><img src="${url}"><link rel=stylesheet href="${url}"><style>p{background:url(${url})}</style>`
  }).join('')
}

const mailOf = (html: string) =>
  `Subject: hi\r\nContent-Type: text/html; charset=utf-8\r\n\r\n${html}`

describe('requests to inner addresses', { timeout: 120_000 }, () => {
  it('are sent by nothing that reads a mail, for an account of a server', async () => {
    await using inner = await startTcpServer()
    await using service = await startService()
    const dev = await service.register()
    const inbox = await dev.inboxes.create()
    const refused: unknown[] = []
    // A check tries ten links: each address in a mail of its own.
    for (const host of HOSTS) {
      const html = `<a href="http://${host}:${inner.port}/x">a</a>`
      await service.sendMail({ to: inbox.emailAddress, raw: mailOf(html) })
      const { watermark } = await inbox.refresh()
      const { status, body } = await dev.post(`/v1/inboxes/${inbox.id}/assert`, {
        assertions: [{ type: 'linkResponds' }],
        timeoutSeconds: 0,
        after: String(Number(watermark) - 1),
      })
      assert.equal(status, 200, host)
      refused.push(body.results[0].passed)
    }
    assert.deepEqual(new Set(refused), new Set([false]))

    await service.sendMail({ to: inbox.emailAddress, raw: mailOf(pageOf(inner.port)) })
    const { id } = first((await inbox.listMessages()).messages)
    const path = `/v1/inboxes/${inbox.id}/messages/${id}`
    for (const url of [path, `${path}?remoteImages=allow`, `${path}/html-check`]) {
      assert.equal((await dev.get(url)).status, 200, url)
    }
    const frame = await dev.post(`${path}/frame`, { remoteImages: 'allow' })
    assert.equal((await service.anonymous.get(frame.body.url)).status, 200)
    for (const host of HOSTS) {
      const url = `https://${host}:${inner.port}/x`
      const { status } = await dev.post('/v1/webhooks', { url })
      assert.ok(status === 400 || status === 201, `${url}: ${status}`)
    }
    await service.sendMail({ to: inbox.emailAddress })
    const { body } = await dev.get('/v1/webhooks/deliveries')
    assert.ok(body.deliveries.length > 0)
    for (const { id: delivery } of body.deliveries) {
      await dev.post(`/v1/webhooks/deliveries/${delivery}/replay`)
    }
    assert.equal(inner.connections(), 0)
  })

  it('are sent by no mail that is released', async () => {
    await using inner = await startTcpServer()
    await using service = await startCatchAll()
    await service.sendMail({ to: 'jane@example.com', subject: 'hi' })
    for (const host of HOSTS) {
      const relay = {
        name: host,
        host: `${host.replace(/[[\]]/g, '')}:${inner.port}`,
        email: 'a@b.example',
      }
      const { ID } = (await service.anonymous.get('/api/v1/messages')).body.messages[0]
      const { status } = await service.anonymous.post(`/api/v1/messages/${ID}/release`, relay)
      assert.ok(status >= 400, `${host}: ${status}`)
    }
    assert.equal(inner.connections(), 0)
  })
})
