// A deleted message leaves the list and the counts at once, and the service a few seconds later:
//
//   shown → pending → (the notice ends, or the page closes) → deleted in the service
//         ← (undo, or the service refuses)

import { ApiError } from '@mayfly/client'
import { batch } from '@preact/signals'
import { messagesOf } from '../session.ts'
import { countMessages, refreshInbox } from './inboxes.ts'
import { forgetMessages, messageList } from './messages.ts'
import { forgetPending, pendingDeletions } from './pending-deletions.ts'
import { showError, showInfo } from './toasts.ts'

/** Deletes a message; the notice has a button that takes it back. */
export function deleteMessage(
  inboxId: string,
  message: { readonly id: string; readonly read: boolean },
): void {
  const { id: messageId, read } = message
  // Bound now: who signs out meanwhile has deleted it as well.
  const messages = messagesOf(inboxId)
  const takeBack = () => forgetPending((id) => id === messageId)
  const commit = async () => {
    if (!pendingDeletions.value.has(messageId)) return
    try {
      await messages.delete(messageId)
    } catch (error) {
      // It may have been deleted elsewhere.
      if (!(error instanceof ApiError && error.status === 404)) {
        takeBack()
        showError(error)
        return
      }
    }
    settleDeletions(inboxId, new Set([messageId]))
  }
  const pending = { inboxId, isUnread: !read, commit }
  pendingDeletions.value = new Map(pendingDeletions.value).set(messageId, pending)
  showInfo('Message deleted', { label: 'Undo', run: takeBack }, commit)
}

/** Deletes all messages of an inbox at once. */
export async function deleteAllMessages(inboxId: string): Promise<void> {
  await messagesOf(inboxId).deleteAll()
  batch(() => {
    forgetPending((_, of) => of === inboxId)
    forgetMessages(inboxId, null)
    countMessages(inboxId, { messages: -Infinity, unread: -Infinity })
  })
}

/** Deletes at once what waits to be deleted: the page is about to close. */
export function commitDeletions(): void {
  for (const { commit } of pendingDeletions.value.values()) void commit()
}

/** Takes what the service has deleted out of lists and counts, whether it or an event says so. */
export function settleDeletions(inboxId: string, messageIds: ReadonlySet<string>): void {
  const list = messageList.value
  const listed = list?.inboxId === inboxId ? list.messages : []
  // What a search has found and the list has not is known here when this page deletes it.
  const known = new Map<string, boolean>()
  for (const [id, { isUnread }] of pendingDeletions.value) known.set(id, isUnread)
  for (const { id, read } of listed) known.set(id, !read)
  const deleted = [...known].filter(([id]) => messageIds.has(id))
  batch(() => {
    forgetPending((id) => messageIds.has(id))
    forgetMessages(inboxId, messageIds)
    countMessages(inboxId, {
      messages: -deleted.length,
      unread: -deleted.filter(([, isUnread]) => isUnread).length,
    })
  })
  // Whether the others were unread is not known here: a project inbox drops its oldest.
  if (deleted.length < messageIds.size) refreshInbox(inboxId)
}
