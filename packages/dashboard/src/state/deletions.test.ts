import '../testing-browser.ts'
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { openMessageId } from '../route.ts'
import { openPage, settled, untilTrue } from '../testing-page.ts'
import { Refusal, TestService } from '../testing-service.ts'
import { commitDeletions, deleteMessage } from './deletions.ts'
import { openInbox, unreadTotal } from './inboxes.ts'
import { markRead, messageList } from './messages.ts'
import { openMessage } from './open-message.ts'
import { rowOf, shownRows } from './rows.ts'
import { toasts } from './toasts.ts'

const INBOX = 'inb_1'
const NOTICE_MS = 6_000
const REFRESH_MS = 300

const unread = (id: string) => ({ id, subject: id, read: false })

/** A page with an inbox of these unread messages, newest first. */
async function open(t: TestContext, ...ids: string[]) {
  const service = new TestService()
  service.inboxes.set(INBOX, ids.map(unread))
  await openPage(t, service, { page: 'inbox', inboxId: INBOX })
  return service
}

const rows = () => shownRows.value.map(({ id }) => id)
const counts = () => [openInbox.value?.messageCount, openInbox.value?.unreadCount]
const kept = (service: TestService) => service.inboxes.get(INBOX)?.map(({ id }) => id)

describe('deletions', () => {
  it('leave the list and the counts at once, and the service when the notice ends', async (t) => {
    const service = await open(t, 'msg_2', 'msg_1')
    deleteMessage(INBOX, unread('msg_2'))
    assert.deepEqual([rows(), counts(), unreadTotal.value], [['msg_1'], [1, 1], 1])
    t.mock.timers.tick(NOTICE_MS - 1)
    await settled()
    assert.deepEqual(kept(service), ['msg_2', 'msg_1'])
    t.mock.timers.tick(1)
    await untilTrue(() => kept(service)?.length === 1)
    await settled()
    assert.deepEqual([rows(), counts()], [['msg_1'], [1, 1]])
  })

  it('are undone when the reader takes them back', async (t) => {
    const service = await open(t, 'msg_2', 'msg_1')
    deleteMessage(INBOX, unread('msg_2'))
    toasts.value[0]?.action?.run()
    assert.deepEqual(
      [rows(), counts()],
      [
        ['msg_2', 'msg_1'],
        [2, 2],
      ],
    )
    t.mock.timers.tick(NOTICE_MS)
    await settled()
    assert.deepEqual(kept(service), ['msg_2', 'msg_1'])
  })

  it('are undone when the service refuses them, which the page says', async (t) => {
    const service = await open(t, 'msg_2', 'msg_1')
    service.when(/^DELETE /, () => new Refusal(403, 'forbidden'))
    deleteMessage(INBOX, unread('msg_2'))
    t.mock.timers.tick(NOTICE_MS)
    await untilTrue(() => toasts.value.some(({ kind }) => kind === 'error'))
    assert.deepEqual(
      [rows(), counts()],
      [
        ['msg_2', 'msg_1'],
        [2, 2],
      ],
    )
  })

  it('are sent when the page closes', async (t) => {
    const service = await open(t, 'msg_2', 'msg_1')
    deleteMessage(INBOX, unread('msg_2'))
    commitDeletions()
    await untilTrue(() => kept(service)?.length === 1)
  })

  it('stay out of the counts while others are marked and arrive', async (t) => {
    const service = await open(t, 'msg_3', 'msg_2', 'msg_1')
    deleteMessage(INBOX, unread('msg_2'))
    await markRead(INBOX, unread('msg_3'), true)
    service.receive(INBOX, unread('msg_4'))
    await untilTrue(() => rows().includes('msg_4'))
    t.mock.timers.tick(REFRESH_MS)
    await settled()
    assert.deepEqual(rows(), ['msg_4', 'msg_3', 'msg_1'])
    assert.deepEqual([counts(), unreadTotal.value], [[3, 2], 2])
    assert.deepEqual(kept(service), ['msg_4', 'msg_3', 'msg_2', 'msg_1'])
  })

  it('by a catch-all inbox leave the list and the counts', async (t) => {
    const service = await open(t, 'msg_2', 'msg_1')
    service.receive(INBOX, unread('msg_3'))
    service.delete(INBOX, 'msg_1')
    await untilTrue(() => rows().includes('msg_3') && !rows().includes('msg_1'))
    // It may have been dropped before it was listed.
    service.delete(INBOX, 'msg_0')
    await settled()
    t.mock.timers.tick(REFRESH_MS)
    await settled()
    assert.deepEqual(
      [rows(), counts()],
      [
        ['msg_3', 'msg_2'],
        [2, 2],
      ],
    )
  })

  it('elsewhere of the open message lead back to the list', async (t) => {
    const service = new TestService()
    service.inboxes.set(INBOX, [unread('msg_2'), unread('msg_1')])
    const route = { page: 'message', inboxId: INBOX, messageId: 'msg_2', tab: null } as const
    await openPage(t, service, route)
    await untilTrue(() => openMessage.value?.message !== null)
    service.delete(INBOX, 'msg_2')
    await untilTrue(() => openMessageId.value === null)
    await settled()
    assert.deepEqual([openMessage.value, rows()], [null, ['msg_1']])
    assert.deepEqual(
      toasts.value.map(({ text }) => text),
      ['This message was deleted'],
    )
  })

  it('and marks are of the open message, listed or not', async (t) => {
    const service = new TestService()
    service.inboxes.set(INBOX, [{ ...unread('msg_1'), read: true }])
    service.when(/^GET .*\/messages$/, () => ({ messages: [], nextCursor: null }))
    const route = { page: 'message', inboxId: INBOX, messageId: 'msg_1', tab: null } as const
    await openPage(t, service, route)
    await untilTrue(() => openMessage.value?.message?.read === true)
    assert.deepEqual(messageList.value?.messages, [])
    const open = () => rowOf(null) ?? assert.fail('nothing is open')
    await markRead(INBOX, open(), false)
    await untilTrue(() => openMessage.value?.message?.read === false)
    deleteMessage(INBOX, open())
    t.mock.timers.tick(NOTICE_MS)
    await untilTrue(() => kept(service)?.length === 0)
  })
})
