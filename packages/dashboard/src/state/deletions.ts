// A deleted message leaves the list at once, and the service a few seconds later:
//
//   shown → deletedIds → (the notice ends, or the page closes) → deleted in the service
//         ← (undo)

import { countMessages, inboxOf, refreshInbox } from './inboxes.ts'
import { deletedIds, forgetMessages } from './messages.ts'
import { showError, showInfo, TOAST_MS } from './toasts.ts'

type Deletion = {
  readonly inboxId: string
  readonly messageId: string
  readonly isUnread: boolean
  readonly timer: ReturnType<typeof setTimeout>
}

const pending = new Map<string, Deletion>()

/** Deletes a message; the notice has a button that takes it back. */
export function deleteMessage(
  inboxId: string,
  message: { readonly id: string; readonly read: boolean },
): void {
  const { id: messageId } = message
  const isUnread = !message.read
  deletedIds.value = new Set([...deletedIds.value, messageId])
  countMessages(inboxId, { messages: -1, unread: isUnread ? -1 : 0 })
  const timer = setTimeout(() => void commit(messageId), TOAST_MS)
  pending.set(messageId, { inboxId, messageId, isUnread, timer })
  showInfo('Message deleted', { label: 'Undo', run: () => undo(messageId) })
}

/** Deletes all messages of an inbox at once. */
export async function deleteAllMessages(inboxId: string): Promise<void> {
  const inbox = await inboxOf(inboxId)
  await inbox.deleteMessages()
  forgetMessages(inboxId, null)
  countMessages(inboxId, { messages: -Infinity, unread: -Infinity })
}

/** Deletes at once what waits to be deleted: the page is about to close. */
export function commitDeletions(): void {
  for (const messageId of [...pending.keys()]) void commit(messageId)
}

function undo(messageId: string): void {
  const deletion = pending.get(messageId)
  if (deletion === undefined) return
  clearTimeout(deletion.timer)
  pending.delete(messageId)
  restore(deletion)
}

async function commit(messageId: string): Promise<void> {
  const deletion = pending.get(messageId)
  if (deletion === undefined) return
  clearTimeout(deletion.timer)
  pending.delete(messageId)
  try {
    const inbox = await inboxOf(deletion.inboxId)
    await inbox.deleteMessage(messageId)
    forgetMessages(deletion.inboxId, new Set([messageId]))
    show(messageId)
    refreshInbox(deletion.inboxId)
  } catch (error) {
    restore(deletion)
    showError(error)
  }
}

function restore({ inboxId, messageId, isUnread }: Deletion): void {
  show(messageId)
  countMessages(inboxId, { messages: 1, unread: isUnread ? 1 : 0 })
}

function show(messageId: string): void {
  const left = new Set(deletedIds.value)
  left.delete(messageId)
  deletedIds.value = left
}
