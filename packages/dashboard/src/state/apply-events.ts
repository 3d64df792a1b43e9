import type { AccountEvent } from '@mayfly/client'
import { leaveInbox, openInboxId, openMessageId } from '../route.ts'
import { leaveMessage } from './cursor.ts'
import { settleDeletions } from './deletions.ts'
import { countMessages, forgetInbox, inboxes, refreshInbox } from './inboxes.ts'
import { settleMark } from './marks.ts'
import { addArrivals, changeMessage, messageList } from './messages.ts'
import { readOpenMessage } from './open-message.ts'
import { changeFound, countArrivals } from './search.ts'
import { showInfo } from './toasts.ts'
import { deliveriesTurn, diagnosticsTurn } from './turns.ts'
import { setWait } from './waits.ts'

type Arrival = Extract<AccountEvent, { type: 'message.received' }>
type Update = Extract<AccountEvent, { type: 'message.updated' }>

/** Brings what the page shows up to date, in one step for all events of a frame. */
export function applyEvents(events: readonly AccountEvent[]): void {
  applyArrivals(events.filter((event) => event.type === 'message.received'))
  for (const event of events) applyEvent(event)
}

function applyArrivals(arrivals: readonly Arrival[]): void {
  countArrivals(arrivals.length)
  for (const [inboxId, ofInbox] of Map.groupBy(arrivals, ({ inboxId }) => inboxId)) {
    const messages = ofInbox.map(({ message }) => message).reverse()
    const known = new Set(
      messageList.value?.inboxId === inboxId ? messageList.value.messages.map(({ id }) => id) : [],
    )
    const fresh = messages.filter(({ id }) => !known.has(id))
    addArrivals(inboxId, fresh)
    countMessages(inboxId, {
      messages: fresh.length,
      unread: fresh.filter(({ read }) => !read).length,
    })
  }
}

function applyEvent(event: AccountEvent): void {
  switch (event.type) {
    case 'message.updated':
      applyUpdate(event)
      break
    case 'message.deleted':
      settleDeletions(event.inboxId, new Set(event.messageIds))
      if (event.messageIds.includes(openMessageId.value ?? '')) {
        leaveMessage()
        showInfo('This message was deleted')
      }
      break
    case 'inbox.created':
      if (!isListed(event.inbox.id)) refreshInbox(event.inbox.id)
      break
    case 'inbox.expired':
      refreshInbox(event.inboxId)
      break
    case 'inbox.deleted':
      leaveDeletedInbox(event.inboxId)
      break
    case 'diagnostics':
      if (event.inboxId === openInboxId.value) diagnosticsTurn.value += 1
      break
    case 'delivery.updated':
      deliveriesTurn.value += 1
      break
    case 'wait.started':
    case 'wait.ended':
      setWait(event.wait, event.type === 'wait.started')
  }
}

function leaveDeletedInbox(inboxId: string): void {
  forgetInbox(inboxId)
  if (leaveInbox(inboxId)) showInfo('This inbox was deleted')
}

function applyUpdate({ inboxId, message: announced }: Update): void {
  const message = settleMark(announced)
  changeFound(message.id, message)
  // It was marked, or its sender or an attachment was checked.
  if (openMessageId.value === message.id) void readOpenMessage(inboxId, message.id)
  const listed =
    messageList.value?.inboxId === inboxId
      ? messageList.value.messages.find(({ id }) => id === message.id)
      : undefined
  if (listed === undefined) {
    refreshInbox(inboxId)
    return
  }
  if (listed.read !== message.read) countMessages(inboxId, { unread: message.read ? -1 : 1 })
  changeMessage(message.id, message)
}

function isListed(inboxId: string): boolean {
  return inboxes.value?.some(({ inbox }) => inbox.id === inboxId) === true
}
