import { ApiError, type MessageSummary } from '@mayfly/client'
import type { MessagePage } from '@mayfly/client/internal'
import { signal } from '@preact/signals'
import { errorText } from '../error-text.ts'
import { messagesOf } from '../session.ts'
import { asMarked, keepMark } from './marks.ts'
import { changeFound, forgetFound } from './search.ts'
import { showError } from './toasts.ts'

/** The messages of the open inbox as far as they were read, newest first. */
export type MessageList = {
  readonly inboxId: string
  /** The query that they match; empty: all. */
  readonly q: string
  readonly state: 'loading' | 'ready' | 'failed'
  readonly messages: readonly MessageSummary[]
  /** Where the next page begins; null when all are here. */
  readonly nextCursor: string | null
}

/** The list of the open inbox; null without one. */
export const messageList = signal<MessageList | null>(null)

/** The service's error for the query of the list; null when it is valid. */
export const filterProblem = signal<string | null>(null)

/** The largest page of the service: a burst or a long list then takes few calls. */
const PAGE_SIZE = 100

/** How long further arrivals are awaited before a filtered list is read again. */
const ARRIVALS_MS = 300

let isLoadingMore = false
let lastLoad = 0
let isAwaitingArrivals = false

/** Messages that arrived while a first page was read, which may not have them; null otherwise. */
let arrivedMeanwhile: readonly MessageSummary[] | null = null

/** The last reading of a first page. */
let reading: Promise<void> = Promise.resolve()

/** Reads the first page of an inbox, or of those of its messages that match a query. */
export function loadMessages(inboxId: string, q: string): Promise<void> {
  reading = readFirstPage(inboxId, q)
  return reading
}

/** Resolves when the last reading of a first page has ended. */
export function messagesRead(): Promise<void> {
  return reading
}

async function readFirstPage(inboxId: string, q: string): Promise<void> {
  lastLoad += 1
  const load = lastLoad
  arrivedMeanwhile = []
  if (messageList.value?.inboxId !== inboxId) {
    messageList.value = { inboxId, q, state: 'loading', messages: [], nextCursor: null }
  }
  try {
    const page = await readPage(inboxId, q)
    const known = messageList.value
    // The reader has typed on, or has gone.
    if (load !== lastLoad || known?.inboxId !== inboxId) return
    filterProblem.value = null
    const read = known.q === q ? joined(page, known) : page
    messageList.value = { inboxId, q, state: 'ready', ...read }
    const arrived = arrivedMeanwhile ?? []
    arrivedMeanwhile = null
    addArrivals(inboxId, arrived)
  } catch (error) {
    if (load !== lastLoad || messageList.value?.inboxId !== inboxId) return
    arrivedMeanwhile = null
    const isQuery = q !== '' && error instanceof ApiError && error.status === 400
    filterProblem.value = isQuery ? errorText(error).text : null
    // The list stays: this only reloaded it, which the next connection repeats.
    if (!isQuery && messageList.value.state === 'ready' && messageList.value.q === q) return
    const state = isQuery ? 'ready' : 'failed'
    messageList.value = { inboxId, q, state, messages: [], nextCursor: null }
    if (!isQuery) showError(error)
  }
}

/** The first page, read again, and the loaded pages after it: the reader may be there. */
function joined(page: MessagePage, known: MessageList): MessagePage {
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
    const { q, nextCursor: cursor } = list
    const page = await readPage(list.inboxId, q, { cursor })
    if (messageList.value?.inboxId !== list.inboxId || messageList.value.q !== q) return
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

async function readPage(
  inboxId: string,
  q: string,
  from: { readonly cursor?: string } = {},
): Promise<MessagePage> {
  const query = q === '' ? {} : { q }
  const page = await messagesOf(inboxId).list({ limit: PAGE_SIZE, ...from, ...query })
  return { ...page, messages: page.messages.map(asMarked) }
}

/** Adds messages that have just arrived, newest first. */
export function addArrivals(inboxId: string, arrived: readonly MessageSummary[]): void {
  const list = messageList.value
  if (list?.inboxId !== inboxId || arrived.length === 0) return
  if (arrivedMeanwhile !== null) arrivedMeanwhile = [...arrived, ...arrivedMeanwhile]
  if (list.state !== 'ready') return
  if (list.q !== '') {
    loadFilteredSoon()
    return
  }
  const known = new Set(list.messages.map(({ id }) => id))
  const added = arrived.filter(({ id }) => !known.has(id))
  if (added.length > 0) messageList.value = { ...list, messages: [...added, ...list.messages] }
}

/** Only the service can match arrivals against a query. */
function loadFilteredSoon(): void {
  if (isAwaitingArrivals) return
  isAwaitingArrivals = true
  setTimeout(() => {
    isAwaitingArrivals = false
    const list = messageList.value
    if (list !== null && list.q !== '') void loadMessages(list.inboxId, list.q)
  }, ARRIVALS_MS)
}

/** Changes a message wherever it is listed. */
export function changeMessage(messageId: string, changes: Partial<MessageSummary>): void {
  changeFound(messageId, changes)
  const list = messageList.value
  if (list === null) return
  const messages = list.messages.map((message) =>
    message.id === messageId ? { ...message, ...changes } : message,
  )
  messageList.value = { ...list, messages }
}

/** Removes messages from all lists; all of an inbox without ids. */
export function forgetMessages(inboxId: string, messageIds: ReadonlySet<string> | null): void {
  forgetFound(inboxId, messageIds)
  const list = messageList.value
  if (list?.inboxId !== inboxId) return
  const messages = messageIds === null ? [] : list.messages.filter(({ id }) => !messageIds.has(id))
  messageList.value = { ...list, messages, ...(messageIds === null ? { nextCursor: null } : {}) }
}

/** Marks a message as read or unread. */
export async function markRead(
  inboxId: string,
  message: Pick<MessageSummary, 'id' | 'read'>,
  read: boolean,
): Promise<void> {
  if (message.read === read) return
  changeMessage(message.id, { read })
  try {
    await keepMark({ id: message.id, read }, messagesOf(inboxId).mark(message.id, { read }))
  } catch (error) {
    changeMessage(message.id, { read: !read })
    showError(error)
  }
}
