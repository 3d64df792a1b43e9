import type { MessageSummary } from '@mayfly/client'
import type { FoundMessage } from '@mayfly/client/internal'
import { signal } from '@preact/signals'
import { type ErrorText, errorText } from '../error-text.ts'
import { signedInClient } from '../session.ts'
import { asMarked } from './marks.ts'
import { showError } from './toasts.ts'

/** A search over all inboxes, as far as it was read. */
export type Search = {
  readonly q: string
  readonly state: 'loading' | 'ready' | 'failed'
  /** Newest first. */
  readonly messages: readonly FoundMessage[]
  /** The cursor of the next page; null at the end. */
  readonly nextCursor: string | null
  /** The time of the request, in milliseconds. */
  readonly at: number
  /** Messages received before are all in the service's index. */
  readonly indexedUntil: string | null
  /** Mails that have arrived in the account since. */
  readonly arrived: number
  readonly error: ErrorText | null
}

/** The search that is shown; null without one. */
export const search = signal<Search | null>(null)

const PAGE_SIZE = 50

/** Pages without a match that are read in a row; then the reader decides. */
const EMPTY_PAGES_MAX = 5

let isReading = false

/** Searches all inboxes; null or an empty query shows nothing. */
export async function runSearch(q: string | null): Promise<void> {
  if (q === null || q.trim() === '') {
    search.value = null
    return
  }
  const started: Search = {
    q,
    state: 'loading',
    messages: [],
    nextCursor: null,
    at: Date.now(),
    indexedUntil: null,
    arrived: 0,
    error: null,
  }
  search.value = started
  try {
    await readPages(started.at)
  } catch (error) {
    if (search.value?.at !== started.at) return
    search.value = { ...search.value, state: 'failed', error: errorText(error) }
  }
}

/** Reads on, if there is more. */
export async function searchOn(): Promise<void> {
  const current = search.value
  if (current === null || current.nextCursor === null || isReading) return
  isReading = true
  try {
    await readPages(current.at)
  } catch (error) {
    showError(error)
  } finally {
    isReading = false
  }
}

/** Reads pages until one has a match, or many had none. */
async function readPages(at: number): Promise<void> {
  for (let read = 0; read < EMPTY_PAGES_MAX; read += 1) {
    const { q, nextCursor } = search.value ?? { q: '', nextCursor: null }
    const cursor = nextCursor === null ? {} : { cursor: nextCursor }
    const page = await signedInClient().search(q, { limit: PAGE_SIZE, ...cursor })
    const known = search.value
    if (known?.at !== at) return
    search.value = {
      ...known,
      state: 'ready',
      messages: [...known.messages, ...page.messages.map(asMarked)],
      nextCursor: page.nextCursor,
      indexedUntil: known.indexedUntil ?? page.indexedUntil,
    }
    if (page.messages.length > 0 || page.nextCursor === null) return
  }
}

/** Counts mails that have arrived since the search. */
export function countArrivals(count: number): void {
  const known = search.value
  if (known !== null && count > 0) search.value = { ...known, arrived: known.arrived + count }
}

/** Changes a found message. */
export function changeFound(messageId: string, changes: Partial<MessageSummary>): void {
  const known = search.value
  if (known === null) return
  const messages = known.messages.map((message) =>
    message.id === messageId ? { ...message, ...changes } : message,
  )
  search.value = { ...known, messages }
}

/** Removes messages of an inbox from the results; all without ids. */
export function forgetFound(inboxId: string, messageIds: ReadonlySet<string> | null): void {
  const known = search.value
  if (known === null) return
  const messages = known.messages.filter(
    (message) => message.inboxId !== inboxId || messageIds?.has(message.id) === false,
  )
  search.value = { ...known, messages }
}
