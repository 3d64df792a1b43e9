import type { Message } from '@mayfly/client'
import { signal } from '@preact/signals'
import { type ErrorText, errorText } from '../error-text.ts'
import { messagesOf } from '../session.ts'
import { markRead } from './messages.ts'

/** The message that is open, as far as it was read. */
export type OpenMessage = {
  readonly messageId: string
  readonly message: Message | null
  readonly error: ErrorText | null
}

/** The message that is open; null without one. */
export const openMessage = signal<OpenMessage | null>(null)

/** Reads a message that the reader opened, and marks it as read; null closes the open one. */
export async function showMessage(inboxId: string, messageId: string | null): Promise<void> {
  const message = await readOpenMessage(inboxId, messageId)
  if (message !== null) await markRead(inboxId, message, true)
}

/** Reads a message to show it, and returns it unless another one was opened meanwhile. */
export async function readOpenMessage(
  inboxId: string,
  messageId: string | null,
): Promise<Message | null> {
  if (messageId === null) {
    openMessage.value = null
    return null
  }
  if (openMessage.value?.messageId !== messageId) {
    openMessage.value = { messageId, message: null, error: null }
  }
  try {
    const message = await messagesOf(inboxId).read(messageId)
    if (openMessage.value?.messageId !== messageId) return null
    openMessage.value = { messageId, message, error: null }
    return message
  } catch (error) {
    if (openMessage.value?.messageId !== messageId) return null
    openMessage.value = { messageId, message: null, error: errorText(error) }
    return null
  }
}
