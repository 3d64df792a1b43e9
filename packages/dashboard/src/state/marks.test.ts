import '../testing-browser.ts'
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { navigate } from '../route.ts'
import { openPage, settled, untilTrue } from '../testing-page.ts'
import { Refusal, TestService } from '../testing-service.ts'
import { openInbox } from './inboxes.ts'
import { markRead, messageList } from './messages.ts'
import { openMessage } from './open-message.ts'
import { toasts } from './toasts.ts'

const INBOX = 'inb_1'
const ROUTE = { page: 'message', inboxId: INBOX, messageId: 'msg_1', tab: null } as const

function givenService() {
  const service = new TestService()
  service.inboxes.set(INBOX, [{ id: 'msg_1', subject: 'Hello', read: false }])
  const isRead = () => service.inboxes.get(INBOX)?.find(({ id }) => id === 'msg_1')?.read
  const reads = () => service.calls.filter((call) => call === `GET ${path}`).length
  return { service, isRead, reads }
}

const path = `/v1/inboxes/${INBOX}/messages/msg_1`

describe('a message', () => {
  it('is marked as read when it is opened', async (t) => {
    const { service, isRead } = givenService()
    await openPage(t, service, { page: 'inbox', inboxId: INBOX })
    navigate(ROUTE)
    await untilTrue(() => isRead() === true)
    await untilTrue(() => openMessage.value?.message?.read === true)
    assert.equal(messageList.value?.messages[0]?.read, true)
    assert.equal(openInbox.value?.unreadCount, 0)
  })

  it('stays unread that the reader marks so, though its event makes the page read it', async (t) => {
    const { service, isRead, reads } = givenService()
    await openPage(t, service, { page: 'inbox', inboxId: INBOX })
    navigate(ROUTE)
    await untilTrue(() => isRead() === true && reads() >= 2)
    const before = reads()
    const message = openMessage.value?.message ?? assert.fail('nothing is open')
    await markRead(INBOX, message, false)
    await untilTrue(() => reads() > before)
    service.receive(INBOX, { id: 'msg_2', subject: 'Later', read: false })
    await untilTrue(() => messageList.value?.messages.length === 2)
    await settled()
    assert.equal(isRead(), false)
    assert.deepEqual(
      messageList.value?.messages.map(({ read }) => read),
      [false, false],
    )
    assert.deepEqual([openInbox.value?.messageCount, openInbox.value?.unreadCount], [2, 2])
  })

  it('is as it was when the service refuses the mark, which the page says', async (t) => {
    const { service } = givenService()
    await openPage(t, service, { page: 'inbox', inboxId: INBOX })
    service.when(/^PATCH /, () => new Refusal(403, 'forbidden'))
    await markRead(INBOX, { id: 'msg_1', read: false }, true)
    assert.equal(messageList.value?.messages[0]?.read, false)
    assert.deepEqual(
      toasts.value.map(({ kind }) => kind),
      ['error'],
    )
  })

  it('is read again when it changes, though its list leaves it out', async (t) => {
    const { service, isRead } = givenService()
    service.when(/^GET .*\/messages$/, () => ({ messages: [], nextCursor: null }))
    await openPage(t, service, { page: 'inbox', inboxId: INBOX, q: 'nothing' })
    navigate({ ...ROUTE, q: 'nothing' })
    await untilTrue(() => isRead() === true)
    await untilTrue(() => openMessage.value?.message?.read === true)
    await settled()
    service.mark(INBOX, 'msg_1', false)
    await untilTrue(() => openMessage.value?.message?.read === false)
    assert.deepEqual(messageList.value?.messages, [])
  })
})
