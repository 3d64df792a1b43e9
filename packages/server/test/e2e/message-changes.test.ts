import assert from 'node:assert/strict'
import { it } from 'node:test'
import { openStore } from '../../src/store/open.ts'
import type { ApiClient } from '../testing-api-client.ts'
import { onEachDatabase } from '../testing-databases.ts'
import { openEvents } from '../testing-event-stream.ts'
import { sharedService, startService } from '../testing-start-service.ts'
import { startTcpProxy } from '../testing-tcp-proxy.ts'

const JSON_TYPE = { 'content-type': 'application/json' }

const WITH_ATTACHMENT =
  'Subject: with a file\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nhi\r\n' +
  '--b\r\nContent-Disposition: attachment; filename=a.txt\r\n\r\nx\r\n--b--\r\n'

const mark = (dev: ApiClient, path: string, body: unknown) =>
  dev.send('PATCH', path, { rawBody: JSON.stringify(body), headers: JSON_TYPE })

onEachDatabase('changing messages', (create, database) => {
  const shared = sharedService(create)

  it('marks a message as read and as unread again', async () => {
    const service = await shared()
    const dev = await service.register()
    const { inbox } = (await dev.post('/v1/inboxes')).body
    await service.sendMail({ to: inbox.emailAddress, subject: 'one' })
    await service.sendMail({ to: inbox.emailAddress, subject: 'two' })
    const path = `/v1/inboxes/${inbox.id}`
    const list = async () => (await dev.get(`${path}/messages`)).body.messages
    const [, first] = await list()
    assert.equal(first.read, false)

    const target = `${path}/messages/${first.id}`
    assert.equal((await dev.get(target)).body.read, false, 'reading does not mark')
    const marked = await mark(dev, target, { read: true })
    assert.equal(marked.status, 200)
    assert.deepEqual(marked.body, { ...first, read: true })
    assert.deepEqual((await mark(dev, target, { read: true })).body, marked.body)
    assert.equal((await dev.get(target)).body.read, true)
    assert.deepEqual(
      (await list()).map((one: { subject: string; read: boolean }) => [one.subject, one.read]),
      [
        ['two', false],
        ['one', true],
      ],
    )
    assert.equal((await dev.get(path)).body.unreadCount, 1)
    await mark(dev, target, { read: false })
    assert.equal((await dev.get(path)).body.unreadCount, 2)

    assert.equal((await mark(dev, target, {})).status, 400)
    assert.equal((await mark(dev, target, { read: 1 })).status, 400)
    assert.equal((await mark(dev, target, { read: true, flag: true })).status, 400)
  })

  it('deletes a message for lists, waits, raw bytes and attachments', async () => {
    const service = await shared()
    const dev = await service.register()
    const { inbox } = (await dev.post('/v1/inboxes')).body
    await service.sendMail({ to: inbox.emailAddress, raw: WITH_ATTACHMENT })
    const path = `/v1/inboxes/${inbox.id}`
    const [message] = (await dev.get(`${path}/messages`)).body.messages
    const target = `${path}/messages/${message.id}`
    const [attachment] = (await dev.get(target)).body.attachments
    await mark(dev, target, { read: true })

    assert.equal((await dev.delete(target)).status, 204)
    const again = await dev.delete(target)
    assert.deepEqual([again.status, again.body.error.code], [404, 'message_not_found'])
    for (const gone of ['', '/raw', '/transcript', '/otp', `/attachments/${attachment.id}`]) {
      const answer = await dev.get(`${target}${gone}`)
      assert.deepEqual([answer.status, answer.body.error.code], [404, 'message_not_found'], gone)
    }
    assert.deepEqual((await dev.get(`${path}/messages`)).body.messages, [])
    assert.equal((await dev.get(`${path}/wait?timeoutSeconds=0`)).status, 408)
    const { messageCount, unreadCount, watermark } = (await dev.get(path)).body
    assert.deepEqual([messageCount, unreadCount, watermark], [0, 0, '1'])

    // The number of the deleted message is not used again: a wait after it finds the next one.
    await service.sendMail({ to: inbox.emailAddress, subject: 'next' })
    const found = await dev.get(`${path}/wait?timeoutSeconds=0&after=${watermark}`)
    assert.equal(found.body.message.subject, 'next')
    assert.equal((await dev.get(path)).body.watermark, '2')
  })

  it('keeps a mail for its other recipients, and leaves none behind without any', async () => {
    await using database = await create()
    await using service = await startService({ database })
    const dev = await service.register()
    const one = (await dev.post('/v1/inboxes')).body.inbox
    const two = (await dev.post('/v1/inboxes')).body.inbox
    await service.sendMail({ to: [one.emailAddress, two.emailAddress], subject: 'shared' })
    const idIn = async (inboxId: string) =>
      (await dev.get(`/v1/inboxes/${inboxId}/messages`)).body.messages[0].id
    const ofTwo = await idIn(two.id)
    await dev.delete(`/v1/inboxes/${one.id}/messages/${await idIn(one.id)}`)
    const left = await dev.get(`/v1/inboxes/${two.id}/messages/${ofTwo}`)
    assert.equal(left.body.subject, 'shared')
    assert.match((await dev.get(`/v1/inboxes/${two.id}/messages/${ofTwo}/raw`)).text, /Received:/)

    await using opened = new AsyncDisposableStack()
    const store = await openStore({ url: database.url, exclusive: false })
    opened.defer(() => store.close())
    const page = { after: '', until: Number.MAX_SAFE_INTEGER, limit: 10 }
    const before = await store.mails.listUnshared(page)
    assert.notEqual(before.last, null)
    await dev.delete(`/v1/inboxes/${two.id}/messages/${ofTwo}`)
    assert.deepEqual(await store.mails.listUnshared(page), { mails: [], last: null })
  })

  it('deletes all messages of an inbox, and of no other', async () => {
    const service = await shared()
    const dev = await service.register()
    const one = (await dev.post('/v1/inboxes')).body.inbox
    const two = (await dev.post('/v1/inboxes')).body.inbox
    for (const subject of ['a', 'b', 'c']) {
      await service.sendMail({ to: [one.emailAddress, two.emailAddress], subject })
    }
    assert.equal((await dev.delete(`/v1/inboxes/${one.id}/messages`)).status, 204)
    assert.equal((await dev.delete(`/v1/inboxes/${one.id}/messages`)).status, 204, 'empty already')
    assert.deepEqual((await dev.get(`/v1/inboxes/${one.id}/messages`)).body.messages, [])
    assert.equal((await dev.get(`/v1/inboxes/${one.id}`)).body.messageCount, 0)
    assert.equal((await dev.get(`/v1/inboxes/${two.id}/messages`)).body.messages.length, 3)
    const unknown = await dev.delete('/v1/inboxes/inb_unknown/messages')
    assert.deepEqual([unknown.status, unknown.body.error.code], [404, 'inbox_not_found'])
  })

  if (database !== 'PostgreSQL') return

  it('tells of a deletion whose mails are left, because the storage failed by then', async () => {
    await using direct = await create()
    await using proxy = await startTcpProxy(direct.url)
    await using service = await startService({ database: { ...direct, url: proxy.url } })
    const dev = await service.register()
    const { inbox } = (await dev.post('/v1/inboxes')).body
    const path = `/v1/inboxes/${inbox.id}`
    await service.sendMail({ to: inbox.emailAddress, subject: 'one' })
    await service.sendMail({ to: inbox.emailAddress, subject: 'two' })
    const [message] = (await dev.get(`${path}/messages`)).body.messages
    await using stream = await openEvents(dev)
    for (const target of [`${path}/messages/${message.id}`, path]) {
      const failed = proxy.failAt('delete from "mail"', 'cut', 'before')
      assert.equal((await dev.delete(target)).status, 204)
      await failed
    }
    assert.deepEqual((await stream.next('message.deleted')).data.messageIds, [message.id])
    assert.equal((await stream.next('inbox.deleted')).data.inboxId, inbox.id)
    const told = service.logged.filter((line) => line.includes('the retention sweep tries again'))
    assert.equal(told.length, 2)
  })
})
