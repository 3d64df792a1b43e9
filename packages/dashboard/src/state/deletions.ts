// A deleted message leaves the list and the counts at once, and the service a few seconds later:
//
//   shown → pending → (the notice ends, or the page closes) → deleted in the service
//         ← (undo, or the service refuses)

import { ApiError } from '@mayfly/client'
import { batch } from '@preact/signals'
import { messagesOf } from '../session.ts'
import { setCounts, subtractDeleted } from './inboxes.ts'
import { forgetMessages } from './messages.ts'
import { forgetPending, pendingDeletions } from './pending-deletions.ts'
import { showError, showInfo } from './toasts.ts'

/** Deletes a message; the notice has a button that undoes it. */
export function deleteMessage(
  inboxId: string,
  message: { readonly id: string; readonly read: boolean },
): void {
  const { id: messageId, read } = message
  // Bound now: the deletion also happens after signing out.
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
    batch(() => {
      // Unless the event came first, with the numbers.
      if (pendingDeletions.value.has(messageId)) subtractDeleted(inboxId, !read)
      settleDeletions(inboxId, new Set([messageId]))
    })
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
    setCounts(inboxId, { messageCount: 0, unreadCount: 0 })
  })
}

/** Sends pending deletions at once: the page is about to close. */
export function commitDeletions(): void {
  for (const { commit } of pendingDeletions.value.values()) void commit()
}

/** Removes deleted messages from all lists, after the response or the event. */
export function settleDeletions(inboxId: string, messageIds: ReadonlySet<string>): void {
  batch(() => {
    forgetPending((id) => messageIds.has(id))
    forgetMessages(inboxId, messageIds)
  })
}
