import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { errorResponse } from './testing-fake-http.ts'
import { startFakeMayfly } from './testing-fake-mayfly.ts'

describe('an inbox', () => {
  it('is deleted at the end of its block, once', async () => {
    await using mayfly = await startFakeMayfly()
    {
      await using inbox = await mayfly.connect().inboxes.create()
      assert.equal(inbox.emailAddress, 'qa@mayfly.test')
    }
    const last = mayfly.calls.at(-1)
    assert.equal(`${last?.method} ${last?.path}`, 'DELETE /v1/inboxes/inb_1')
    const gone = mayfly.connect().inboxes.get('inb_1')
    await assert.rejects(gone, { code: 'inbox_not_found' })
  })

  it('may be gone already at the end of its block; other failures are told', async () => {
    await using mayfly = await startFakeMayfly()
    const inbox = await mayfly.connect().inboxes.create()
    await inbox.delete()
    await inbox[Symbol.asyncDispose]()
    mayfly.script.push(errorResponse(401, 'invalid_api_key'))
    await assert.rejects(inbox[Symbol.asyncDispose](), { code: 'invalid_api_key' })
  })

  it('need not be read for its messages, when its id is known', async () => {
    await using mayfly = await startFakeMayfly()
    const { id } = await mayfly.connect().inboxes.create()
    mayfly.inbox.deliver({ subject: 'Hello' })
    const callsBefore = mayfly.calls.length
    const { messages } = await mayfly.connect().internal.messages(id).list()
    assert.deepEqual(
      messages.map(({ subject }) => subject),
      ['Hello'],
    )
    assert.equal(mayfly.calls.length, callsBefore + 1)
  })

  it('tells its fields as they were when it was read', async () => {
    await using mayfly = await startFakeMayfly()
    const inbox = await mayfly.connect().inboxes.create()
    mayfly.inbox.deliver({}, {}, {})
    assert.equal(inbox.messageCount, 0)
    assert.equal((await inbox.refresh()).messageCount, 3)
    assert.deepEqual(JSON.parse(JSON.stringify(inbox)), {
      id: 'inb_1',
      emailAddress: 'qa@mayfly.test',
      createdAt: '2026-01-31T09:00:00.000Z',
      expiresAt: '2026-02-01T09:00:00.000Z',
      messageCount: 0,
      unreadCount: 0,
      state: 'active',
      environment: 'test',
      watermark: '0',
      catchAll: false,
      keepMessages: null,
    })
  })

  it('lists and reads its messages', async () => {
    await using mayfly = await startFakeMayfly()
    const inbox = await mayfly.connect().inboxes.create()
    mayfly.inbox.deliver({ subject: 'One' }, { subject: 'Two' }, { subject: 'Three' })
    const first = await inbox.listMessages({ limit: 2 })
    assert.deepEqual(
      first.messages.map(({ subject }) => subject),
      ['Three', 'Two'],
    )
    const second = await inbox.listMessages({ cursor: String(first.nextCursor) })
    assert.equal(second.nextCursor, null)
    assert.equal((await inbox.readMessage(second.messages[0]?.id ?? '')).subject, 'One')
    const all = await Array.fromAsync(inbox.listMessages(), ({ subject }) => subject)
    assert.deepEqual(all, ['Three', 'Two', 'One'])
  })

  it('gives attachments and raw mail as bytes', async () => {
    await using mayfly = await startFakeMayfly()
    const inbox = await mayfly.connect().inboxes.create()
    const headers = { 'content-type': 'application/octet-stream' }
    mayfly.script.push({ status: 200, body: 'abc', headers }, { status: 200, body: 'raw', headers })
    const bytes = await inbox.downloadAttachment('msg_1', 'att/1')
    assert.deepEqual(bytes, new Uint8Array([97, 98, 99]))
    assert.equal(Buffer.from(await inbox.readRaw('msg_1')).toString(), 'raw')
    assert.deepEqual(
      mayfly.calls.slice(1).map(({ path }) => path),
      [
        '/v1/inboxes/inb_1/messages/msg_1/attachments/att%2F1',
        '/v1/inboxes/inb_1/messages/msg_1/raw',
      ],
    )
  })
})
