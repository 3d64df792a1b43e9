import type { MessageSummary } from '@mayfly/client'
import type { FoundMessage } from '@mayfly/client/internal'
import { signal } from '@preact/signals'
import { type ErrorText, errorText } from '../error-text.ts'
import { signedInClient } from '../session.ts'
import { asMarked } from './marks.ts'
import { showError } from './toasts.ts'

/** A search over all inboxes, or their newest mail, as far as it was read. */
export type Search = {
  /** Empty: every message, and arrivals are added. */
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

/** What every message matches. */
const ANY = 'larger:0'

/** Pages without a match that are read in a row; then the reader decides. */
const EMPTY_PAGES_MAX = 5

let isReading = false

/** Mail that arrived while the newest was read, which may not have it. */
let arrivedMeanwhile: readonly FoundMessage[] = []

/** Searches all inboxes; an empty query lists every message, null none. */
export async function runSearch(q: string | null): Promise<void> {
  if (q === null) {
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
  const known = search.value
  // Mail that is listed already stays while the list is read again.
  const isReread = q === '' && known?.q === q && known.state === 'ready'
  arrivedMeanwhile = []
  search.value = isReread ? { ...known, at: started.at } : started
  try {
    await readPages(started.at, null)
  } catch (error) {
    if (search.value?.at !== started.at || isReread) return
    search.value = { ...search.value, state: 'failed', error: errorText(error) }
  }
}

/** Reads on, if there is more. */
export async function searchOn(): Promise<void> {
  const current = search.value
  if (current === null || current.nextCursor === null || isReading) return
  isReading = true
  try {
    await readPages(current.at, current.nextCursor)
  } catch (error) {
    showError(error)
  } finally {
    isReading = false
  }
}

/** Reads pages until one has a match, or many had none. */
async function readPages(at: number, from: string | null): Promise<void> {
  let after = from
  for (let read = 0; read < EMPTY_PAGES_MAX; read += 1) {
    const cursor = after === null ? {} : { cursor: after }
    const q = search.value?.q || ANY
    const page = await signedInClient().search(q, { limit: PAGE_SIZE, ...cursor })
    const known = search.value
    if (known?.at !== at) return
    const read = page.messages.map(asMarked)
    const lastId = read.at(-1)?.id ?? ''
    // Read again from its start, a list keeps its end, and loses what was deleted meanwhile.
    const kept = after === null ? known.messages.filter(({ id }) => id < lastId) : known.messages
    const isInside = after === null && kept.length > 0
    const messages = joined([...kept, ...arrivedMeanwhile], read)
    search.value = {
      ...known,
      state: 'ready',
      messages,
      nextCursor: isInside ? known.nextCursor : page.nextCursor,
      indexedUntil: known.indexedUntil ?? page.indexedUntil,
    }
    arrivedMeanwhile = []
    after = page.nextCursor
    if (page.messages.length > 0 || after === null) return
  }
}

/** Messages of two lists, each once, newest first. Ids sort by arrival. */
function joined(some: readonly FoundMessage[], more: readonly FoundMessage[]) {
  const byId = new Map([...some, ...more].map((message) => [message.id, message]))
  return [...byId.values()].sort((a, b) => (a.id < b.id ? 1 : -1))
}

/** Adds mails that have just arrived to the newest, and counts them in a search. */
export function addFound(arrivals: readonly FoundMessage[]): void {
  const known = search.value
  if (known === null || arrivals.length === 0) return
  if (known.q !== '') {
    search.value = { ...known, arrived: known.arrived + arrivals.length }
    return
  }
  arrivedMeanwhile = [...arrivedMeanwhile, ...arrivals]
  search.value = { ...known, messages: joined(known.messages, arrivals) }
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
  const isLeft = (message: FoundMessage) =>
    message.inboxId !== inboxId || messageIds?.has(message.id) === false
  arrivedMeanwhile = arrivedMeanwhile.filter(isLeft)
  const messages = known.messages.filter(isLeft)
  search.value = { ...known, messages }
}
