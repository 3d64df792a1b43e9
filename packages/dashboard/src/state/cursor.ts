import { signal } from '@preact/signals'
import { focusRow } from '../components/virtual-list.tsx'
import { navigate, openMessageId } from '../route.ts'
import type { Tab } from '../routes.ts'
import { messageList, shownMessages } from './messages.ts'

/** The row that the keyboard is at: the Tab key comes back to it. */
export const cursorId = signal<string | null>(null)

/** Moves to the row so many below; the focus goes along, nothing is opened. */
export function moveCursor(by: number): void {
  const target = neighbour(cursorId.value, by) ?? shownMessages.value[0]?.id
  if (target === undefined) return
  cursorId.value = target
  focusRow(target)
}

/** The message so many below the open one; null at either end. */
export function neighbourOfOpen(by: number): string | null {
  return openMessageId.value === null ? null : neighbour(openMessageId.value, by)
}

/** Opens the message so many below the open one, at the same tab. */
export function openNeighbour(by: number, tab: Tab | null): void {
  const messageId = neighbourOfOpen(by)
  const inboxId = messageList.value?.inboxId
  if (messageId === null || inboxId === undefined) return
  cursorId.value = messageId
  navigate({ page: 'message', inboxId, messageId, tab }, { replace: true })
}

/** Goes back from a message to its row in the list. */
export function leaveMessage(): void {
  const inboxId = messageList.value?.inboxId
  const messageId = openMessageId.value
  if (inboxId === undefined || messageId === null) return
  navigate({ page: 'inbox', inboxId })
  cursorId.value = messageId
  focusRow(messageId)
}

function neighbour(id: string | null, by: number): string | null {
  const messages = shownMessages.value
  const index = messages.findIndex((message) => message.id === id)
  return index < 0 ? null : (messages[index + by]?.id ?? null)
}
