import { signal } from '@preact/signals'
import { navigate, openMessageId, route } from '../route.ts'
import { listRouteOf, type Tab } from '../routes.ts'
import { inboxIdOf, shownRows } from './rows.ts'

/** The row at the keyboard cursor: the Tab key returns to it. */
export const cursorId = signal<string | null>(null)

/** The row that shall come into view and have the focus; taken by the list that has it. */
export const focusWanted = signal<string | null>(null)

/** Moves to the row so many below; the focus goes along, nothing is opened. */
export function moveCursor(by: number): void {
  const target = neighbour(cursorId.value, by) ?? shownRows.value[0]?.id
  if (target === undefined) return
  cursorId.value = target
  focusWanted.value = target
}

/** The message so many below the open one; null at either end. */
export function neighbourOfOpen(by: number): string | null {
  return openMessageId.value === null ? null : neighbour(openMessageId.value, by)
}

/** Opens the message so many below the open one, at the same tab. */
export function openNeighbour(by: number, tab: Tab | null): void {
  const row = shownRows.value.find(({ id }) => id === neighbourOfOpen(by))
  if (row === undefined || route.value.page !== 'message') return
  cursorId.value = row.id
  navigate({ ...route.value, inboxId: inboxIdOf(row), messageId: row.id, tab }, { replace: true })
}

/** Goes back from a message to its row in the list. */
export function leaveMessage(): void {
  if (route.value.page !== 'message') return
  const { messageId } = route.value
  navigate(listRouteOf(route.value))
  cursorId.value = messageId
  focusWanted.value = messageId
}

function neighbour(id: string | null, by: number): string | null {
  const messages = shownRows.value
  const index = messages.findIndex((message) => message.id === id)
  return index < 0 ? null : (messages[index + by]?.id ?? null)
}
