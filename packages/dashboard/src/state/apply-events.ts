import type { AccountEvent } from '@mayfly/client'
import { batch } from '@preact/signals'
import { leaveInbox, openInboxId, openMessageId } from '../route.ts'
import { leaveMessage } from './cursor.ts'
import { settleDeletions } from './deletions.ts'
import { forgetInbox, inboxes, refreshInbox, setCounts } from './inboxes.ts'
import { settleMark } from './marks.ts'
import { addArrivals, changeMessage } from './messages.ts'
import { readOpenMessage } from './open-message.ts'
import { deliveriesRevision, diagnosticsRevision } from './revisions.ts'
import { addFound, forgetFound } from './search.ts'
import { showInfo } from './toasts.ts'
import { setWait } from './waits.ts'

type Arrival = Extract<AccountEvent, { type: 'message.received' }>
type InboxCounts = Arrival['inbox']
type Update = Extract<AccountEvent, { type: 'message.updated' }>

/** Updates the state of the page, in one step for all events of a frame. */
export function applyEvents(events: readonly AccountEvent[]): void {
  batch(() => {
    applyArrivals(events.filter((event) => event.type === 'message.received'))
    for (const event of events) applyEvent(event)
    const counts = new Map<string, InboxCounts>()
    for (const event of events) {
      if ('inboxId' in event && 'inbox' in event) counts.set(event.inboxId, event.inbox)
    }
    for (const [inboxId, newest] of counts) setCounts(inboxId, newest)
  })
}

function applyArrivals(arrivals: readonly Arrival[]): void {
  addFound(arrivals.map(({ inboxId, message }) => ({ ...message, inboxId })))
  for (const [inboxId, ofInbox] of Map.groupBy(arrivals, ({ inboxId }) => inboxId)) {
    addArrivals(inboxId, ofInbox.map(({ message }) => message).reverse())
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
      if (event.inboxId === openInboxId.value) diagnosticsRevision.value += 1
      break
    case 'delivery.updated':
      deliveriesRevision.value += 1
      break
    case 'wait.started':
    case 'wait.ended':
      setWait(event.wait, event.type === 'wait.started')
  }
}

function leaveDeletedInbox(inboxId: string): void {
  forgetInbox(inboxId)
  forgetFound(inboxId, null)
  if (leaveInbox(inboxId)) showInfo('This inbox was deleted')
}

function applyUpdate({ inboxId, message: announced }: Update): void {
  const message = settleMark(announced)
  // It was marked, or its sender or an attachment was checked.
  if (openMessageId.value === message.id) void readOpenMessage(inboxId, message.id)
  changeMessage(message.id, message)
}

function isListed(inboxId: string): boolean {
  return inboxes.value?.some(({ inbox }) => inbox.id === inboxId) === true
}
