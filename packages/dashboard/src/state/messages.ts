import type { MessagePage, MessageSummary } from '@mayfly/client'
import { computed, signal } from '@preact/signals'
import { countMessages, inboxOf } from './inboxes.ts'
import { showError } from './toasts.ts'

/** The messages of the open inbox as far as they were read, newest first. */
export type MessageList = {
  readonly inboxId: string
  readonly state: 'loading' | 'ready' | 'failed'
  readonly messages: readonly MessageSummary[]
  /** Where the next page begins; null when all are here. */
  readonly nextCursor: string | null
}

/** The list of the open inbox; null without one. */
export const messageList = signal<MessageList | null>(null)

/** Only messages that contain this text are shown. */
export const filterText = signal('')

/** Messages that are about to be deleted, unless the reader takes it back. */
export const deletedIds = signal<ReadonlySet<string>>(new Set())

/** What the list shows. */
export const shownMessages = computed<readonly MessageSummary[]>(() => {
  const wanted = filterText.value.trim().toLowerCase()
  const deleted = deletedIds.value
  const all = messageList.value?.messages ?? []
  if (wanted === '' && deleted.size === 0) return all
  return all.filter((message) => !deleted.has(message.id) && contains(message, wanted))
})

/** The largest that the service gives: a burst or a long list then takes few calls. */
const PAGE_SIZE = 100

let isLoadingMore = false

/** Reads the first page of an inbox. */
export async function loadMessages(inboxId: string): Promise<void> {
  if (messageList.value?.inboxId !== inboxId) {
    filterText.value = ''
    messageList.value = { inboxId, state: 'loading', messages: [], nextCursor: null }
  }
  try {
    const inbox = await inboxOf(inboxId)
    const page = await inbox.listMessages({ limit: PAGE_SIZE })
    const known = messageList.value
    if (known?.inboxId !== inboxId) return
    messageList.value = { inboxId, state: 'ready', ...joined(page, known) }
  } catch (error) {
    if (messageList.value?.inboxId !== inboxId) return
    messageList.value = { inboxId, state: 'failed', messages: [], nextCursor: null }
    showError(error)
  }
}

/** The first page, read again, and what was read of those after it: the reader may be there. */
function joined(page: MessagePage, known: MessageList): Omit<MessageList, 'inboxId' | 'state'> {
  const lastId = page.messages.at(-1)?.id
  const last = known.messages.findIndex(({ id }) => id === lastId)
  if (last < 0) return page
  const messages = [...page.messages, ...known.messages.slice(last + 1)]
  return { messages, nextCursor: known.nextCursor }
}

/** Reads the next page, if there is one. */
export async function loadMoreMessages(): Promise<void> {
  const list = messageList.value
  if (list === null || list.nextCursor === null || isLoadingMore) return
  isLoadingMore = true
  try {
    const inbox = await inboxOf(list.inboxId)
    const page = await inbox.listMessages({ limit: PAGE_SIZE, cursor: list.nextCursor })
    if (messageList.value?.inboxId !== list.inboxId) return
    const known = new Set(messageList.value.messages.map(({ id }) => id))
    const further = page.messages.filter(({ id }) => !known.has(id))
    messageList.value = {
      ...messageList.value,
      messages: [...messageList.value.messages, ...further],
      nextCursor: page.nextCursor,
    }
  } catch (error) {
    showError(error)
  } finally {
    isLoadingMore = false
  }
}

/** Adds messages that have just arrived, newest first. */
export function addArrivals(inboxId: string, arrived: readonly MessageSummary[]): void {
  const list = messageList.value
  if (list?.inboxId !== inboxId || list.state !== 'ready') return
  const known = new Set(list.messages.map(({ id }) => id))
  const added = arrived.filter(({ id }) => !known.has(id))
  if (added.length > 0) messageList.value = { ...list, messages: [...added, ...list.messages] }
}

/** Changes a message of the list. */
export function changeMessage(messageId: string, changes: Partial<MessageSummary>): void {
  const list = messageList.value
  if (list === null) return
  const messages = list.messages.map((message) =>
    message.id === messageId ? { ...message, ...changes } : message,
  )
  messageList.value = { ...list, messages }
}

/** Takes messages out of the list; all without ids. */
export function forgetMessages(inboxId: string, messageIds: ReadonlySet<string> | null): void {
  const list = messageList.value
  if (list?.inboxId !== inboxId) return
  const messages = messageIds === null ? [] : list.messages.filter(({ id }) => !messageIds.has(id))
  messageList.value = { ...list, messages, ...(messageIds === null ? { nextCursor: null } : {}) }
}

/** Marks a message of the open inbox as read or unread. */
export async function markRead(message: MessageSummary, read: boolean): Promise<void> {
  const list = messageList.value
  if (list === null || message.read === read) return
  const { inboxId } = list
  const apply = (value: boolean) => {
    changeMessage(message.id, { read: value })
    countMessages(inboxId, { unread: value ? -1 : 1 })
  }
  apply(read)
  try {
    const inbox = await inboxOf(inboxId)
    await inbox.markRead(message.id, read)
  } catch (error) {
    apply(!read)
    showError(error)
  }
}

function contains({ subject, from, preview }: MessageSummary, wanted: string): boolean {
  return [subject, from.name, from.address, preview].some(
    (text) => text?.toLowerCase().includes(wanted) === true,
  )
}
