import { signal } from '@preact/signals'
import { copyText } from './copy.ts'
import { deleteOpenMessage } from './message/delete-open-message.ts'
import { filterText, navigate, openInboxId, openMessageId, route, searchText } from './route.ts'
import { TABS } from './routes.ts'
import { messagesOf } from './session.ts'
import { cursorId, leaveMessage, moveCursor, openNeighbour } from './state/cursor.ts'
import { markRead } from './state/messages.ts'
import { openMessage } from './state/open-message.ts'
import { preferences } from './state/preferences.ts'
import { inboxIdOf, rowOf } from './state/rows.ts'
import { showError, showInfo } from './state/toasts.ts'

/** The keys and their actions, for the list that `?` shows. */
export const SHORTCUTS: readonly (readonly [keys: string, text: string])[] = [
  ['j k', 'Next and previous message'],
  ['↓ ↑', 'The same, in the list'],
  ['Enter', 'Open the message'],
  ['Esc', 'Back to the list'],
  ['c', 'Copy the code'],
  ['u', 'Mark as read or unread'],
  ['#', 'Delete the message'],
  ['1 – 8', 'The tabs of a message'],
  ['/', 'Search the open inbox; elsewhere, all inboxes'],
  ['s', 'Search all inboxes'],
  ['?', 'Show these keys'],
]

/** Whether the list of keys is shown. */
export const isHelpShown = signal(false)

/** The action of a key without a modifier, anywhere but in a field. */
const ACTIONS: Readonly<Record<string, () => unknown>> = {
  j: () => move(1),
  k: () => move(-1),
  c: copyCode,
  u: toggleRead,
  '#': deleteCurrent,
  Delete: deleteCurrent,
  '/': searchHere,
  s: searchAll,
  '?': () => {
    isHelpShown.value = true
  },
}

/** Listens for keys on the whole page. */
export function listenForKeys(): void {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
    if (document.querySelector('dialog[open]') !== null) return
    if (event.key === 'Escape') {
      goBack(event)
      return
    }
    if (!preferences.value.hasShortcuts || isTyping(event.target)) return
    const action = actionOf(event)
    if (action === null) return
    event.preventDefault()
    Promise.resolve(action()).catch(showError)
  })
}

function actionOf(event: KeyboardEvent): (() => unknown) | null {
  const isInList = event.target instanceof Element && event.target.closest('.virtual') !== null
  // Elsewhere the arrows scroll, as they always do.
  if (isInList && event.key === 'ArrowDown') return () => moveCursor(1)
  if (isInList && event.key === 'ArrowUp') return () => moveCursor(-1)
  const tab = TABS[Number(event.key) - 1]
  if (tab !== undefined && route.value.page === 'message') {
    const to = { ...route.value, tab }
    return () => navigate(to, { replace: true })
  }
  return ACTIONS[event.key] ?? null
}

function goBack(event: KeyboardEvent): void {
  if (event.target instanceof HTMLElement && ['filter', 'search'].includes(event.target.id)) {
    // A browser would only empty the field, and not the list.
    event.preventDefault()
    event.target.blur()
    moveCursor(0)
  } else if (openMessageId.value !== null) leaveMessage()
  else if (openInboxId.value !== null || searchText.value !== null) navigate({ page: 'inboxes' })
}

/** On a phone an open message hides its list: then all inboxes are searched. */
function searchHere(): void {
  const field = document.getElementById(searchText.value === null ? 'filter' : 'search')
  if (field?.checkVisibility() === true) field.focus()
  else searchAll()
}

function searchAll(): void {
  const field = document.getElementById('search')
  if (field?.checkVisibility() === true) field.focus()
  // Without a query the field takes the focus when it appears.
  else navigate({ page: 'search', q: searchText.value ?? filterText.value })
}

function move(by: number): void {
  if (openMessageId.value === null) moveCursor(by)
  else openNeighbour(by, route.value.page === 'message' ? route.value.tab : null)
}

async function copyCode(): Promise<void> {
  const current = rowOf(cursorId.value)
  if (current === null) return
  const known = openMessage.value?.message
  const message =
    known?.id === current.id ? known : await messagesOf(inboxIdOf(current)).read(current.id)
  if (message.otp === null) showInfo('This mail has no code')
  else await copyText(message.otp.value, 'Code')
}

function toggleRead(): unknown {
  const current = rowOf(cursorId.value)
  return current === null ? null : markRead(inboxIdOf(current), current, !current.read)
}

function deleteCurrent(): void {
  const current = rowOf(cursorId.value)
  if (current !== null) deleteOpenMessage(inboxIdOf(current), current)
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, textarea, select') !== null
}
