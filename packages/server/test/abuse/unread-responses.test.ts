import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { startCatchAll } from '../compat/testing-catch-all.ts'
import type { TestAccount } from '../testing-account.ts'
import { first } from '../testing-first.ts'
import { startService, type TestService } from '../testing-start-service.ts'
import { until } from '../testing-until.ts'

const MiB = 1024 * 1024

/** More than the buffers of a connection take. */
const MAIL_BYTES = 12 * MiB

const LINE = `${'x'.repeat(998)}\r\n`

/** A mail with a text and a large attachment. */
const RAW = [
  'Subject: large',
  'Content-Type: multipart/mixed; boundary=part',
  '',
  '--part',
  'Content-Type: text/plain',
  '',
  LINE.repeat(200),
  '--part',
  'Content-Type: application/octet-stream; name=a.bin',
  '',
  LINE.repeat(MAIL_BYTES / 1000),
  '--part--',
  '',
].join('\r\n')

/** Enough for the raw mail, and for no other response beside it. */
const unreadBytes = { bytesMax: 64 * MiB, accountBytesMax: RAW.length + 64 * 1024 }

/** The path of the mail, in a new inbox. */
async function givenMail(service: TestService, dev: TestAccount) {
  const inbox = await dev.inboxes.create()
  await service.sendMail({ to: inbox.emailAddress, raw: RAW })
  const { id } = first((await inbox.listMessages()).messages)
  return { inbox: `/v1/inboxes/${inbox.id}`, mail: `/v1/inboxes/${inbox.id}/messages/${id}` }
}

/** Asks for something, and reads no more than the status. */
async function ask(service: TestService, path: string, key: string | null) {
  const client = connect(Number(new URL(service.httpUrl).port), '127.0.0.1')
  client.on('error', () => {})
  const authorization = key === null ? '' : `authorization: Bearer ${key}\r\n`
  client.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n${authorization}\r\n`)
  await once(client, 'readable')
  const status = Number(/^HTTP\/1\.1 (\d+) /.exec(String(client.read(13)))?.[1])
  return { status, client }
}

/** A request whose response is not read until it is disposed of. */
async function unreadResponse(service: TestService, path: string, key: string | null) {
  const { status, client } = await ask(service, path, key)
  assert.equal(status, 200)
  return { [Symbol.dispose]: () => void client.destroy() }
}

describe('responses that nobody reads', () => {
  it('take a bounded amount of memory for an account, which is free when they end', async () => {
    await using service = await startService({ unreadBytes })
    const dev = await service.register()
    const { inbox, mail } = await givenMail(service, dev)
    const { attachments } = (await dev.get(mail)).body
    const paths = [
      `${mail}/raw`,
      `${mail}/attachments/${first<{ id: string }>(attachments).id}`,
      mail,
      `${inbox}/wait`,
    ]
    const unread = await unreadResponse(service, `${mail}/raw`, dev.key)
    for (const path of paths) {
      const { status, headers, body } = await dev.get(path)
      assert.deepEqual([path, status, body.error?.code], [path, 503, 'content_unavailable'])
      assert.equal(headers['retry-after'], '2')
      assert.equal(headers['content-disposition'], undefined)
    }

    const other = await service.register()
    const others = await givenMail(service, other)
    assert.equal((await other.get(`${others.mail}/raw`)).status, 200)

    unread[Symbol.dispose]()
    for (const path of paths) {
      await until(async () => ((await dev.get(path)).status === 200 ? true : null))
    }
  })

  it('are counted in the APIs of other mail catchers, too', async () => {
    await using service = await startCatchAll({ unreadBytes })
    await service.sendMail({ to: 'jane@example.com', raw: RAW })
    const paths = [
      '/api/v1/message/latest/raw',
      '/api/v1/message/latest',
      '/api/v1/message/latest/part/2',
      '/view/latest.txt',
      '/api/v2/messages',
      '/email',
    ]
    for (const path of paths) assert.equal((await service.anonymous.get(path)).status, 200, path)
    using _ = await unreadResponse(service, first(paths), null)
    for (const path of paths) {
      assert.equal((await service.anonymous.get(path)).status, 503, path)
    }
  })

  it('are counted for the frames of an account', async () => {
    await using service = await startService({ unreadBytes })
    const dev = await service.register()
    const { mail } = await givenMail(service, dev)
    const { status, body } = await dev.post(`${mail}/frame`)
    assert.equal(status, 201)
    using _ = await unreadResponse(service, `${mail}/raw`, dev.key)
    assert.equal((await service.anonymous.get(body.url)).status, 503)
  })
})
