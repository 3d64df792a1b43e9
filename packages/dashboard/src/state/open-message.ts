import type { Message } from '@mayfly/client'
import { signal } from '@preact/signals'
import { type ErrorText, errorText } from '../error-text.ts'
import { inboxOf } from './inboxes.ts'
import { markRead, messageList } from './messages.ts'

/** The message that is open, as far as it was read. */
export type OpenMessage = {
  readonly messageId: string
  readonly message: Message | null
  readonly error: ErrorText | null
}

/** The message that is open; null without one. */
export const openMessage = signal<OpenMessage | null>(null)

/** Reads a message and marks it as read; null closes the one that was open. */
export async function showMessage(inboxId: string, messageId: string | null): Promise<void> {
  if (messageId === null) {
    openMessage.value = null
    return
  }
  if (openMessage.value?.messageId !== messageId) {
    openMessage.value = { messageId, message: null, error: null }
  }
  try {
    const inbox = await inboxOf(inboxId)
    const message = await inbox.readMessage(messageId)
    if (openMessage.value?.messageId !== messageId) return
    openMessage.value = { messageId, message, error: null }
    const listed = messageList.value?.messages.find(({ id }) => id === messageId)
    await markRead(listed ?? message, true)
  } catch (error) {
    if (openMessage.value?.messageId !== messageId) return
    openMessage.value = { messageId, message: null, error: errorText(error) }
  }
}
