import type { MessageId } from '@mayfly/contract'
import { QueriedMail } from '@mayfly/mail'
import type { Clock } from '../../platform/clock.ts'
import type { Ids } from '../../platform/ids.ts'
import type { Store } from '../../store/open.ts'
import type { UnindexedMessage } from '../../store/tables/search.ts'
import { indexedText } from './indexed-text.ts'

export type FillDeps = {
  readonly store: Store
  readonly clock: Clock
  readonly ids: Pick<Ids, 'at'>
  /** Identifies this node. */
  readonly node: string
}

/** Messages added in one transaction at most: while it runs, receiving on SQLite waits. */
const BATCH = 20

/** Messages listed at once, for many transactions: listing them reads all recent ones. */
const LIST_MAX = 1_000

/** Bytes of the mails that are read for one transaction, unless the first has more. */
const BYTES_MAX = 1024 * 1024

/** Different pieces of texts that one transaction adds, unless the first mail has more. */
const TRANSACTION_PIECES = 5_000

/**
 * Age at which a message is surely committed or not at all: it gets its id just before. Until then
 * the index does not count as complete up to it.
 */
const SETTLED_MS = 60_000

/** How long a node keeps the others from adding the same messages. */
const LEASE_MS = 10_000

/** Messages that were not in the index when they were listed. */
export class ListedMessages {
  /** The remaining ones, oldest first. */
  messages: readonly UnindexedMessage[] = []
  /** Whether these were all. */
  areAll = false
  /** The id up to which all were committed when they were listed. */
  settled = ''
}

/** What remains to be added: nothing, more, or only messages that are being deleted. */
export type Remaining = 'nothing' | 'more' | 'locked'

/**
 * Adds some messages to the index; nothing remains for this node when another one adds them.
 *
 * Messages are found by their ids, which begin with the time. After the clock was set back, new
 * ones are in the range that the index counted as complete: it is read again from there.
 *
 * A message that is being deleted is not added, and the index does not count as complete up to it:
 * it is listed again if its deletion is rolled back.
 */
export async function fillIndex(deps: FillDeps, listed = new ListedMessages()): Promise<Remaining> {
  const { store, clock, node } = deps
  const now = clock.now()
  if (store.isShared && !(await store.search.lease(node, now, now + LEASE_MS))) return 'nothing'
  if (listed.messages.length === 0) await list(deps, listed, now)
  const messages = listed.messages.slice(0, BATCH)
  const entries = await readEntries(store, messages)
  const added = await store.transaction(async (tx) => {
    const added = await tx.search.add(entries)
    const complete = completeOf(messages, added)
    const isLast = listed.areAll && complete.length === listed.messages.length
    const last = complete.at(-1)?.id ?? ''
    await tx.search.setIndexedTo(isLast || last > listed.settled ? listed.settled : last)
    return added
  })
  // A message that was read and not added may be deleted: all are listed again.
  const isChanged = entries.some(({ message }) => !added.has(message.id))
  listed.messages = isChanged ? [] : listed.messages.slice(completeOf(messages, added).length)
  if (!isChanged && listed.messages.length === 0 && listed.areAll) return 'nothing'
  return added.size > 0 ? 'more' : 'locked'
}

/** These messages up to the first one that was not added. */
function completeOf(
  messages: readonly UnindexedMessage[],
  added: ReadonlySet<MessageId>,
): readonly UnindexedMessage[] {
  const missing = messages.findIndex(({ id }) => !added.has(id))
  return missing === -1 ? messages : messages.slice(0, missing)
}

async function list({ store, ids }: FillDeps, listed: ListedMessages, now: number): Promise<void> {
  listed.settled = ids.at('message', now - SETTLED_MS)
  if ((await store.search.indexedTo()) > listed.settled) {
    await store.search.goBackTo(listed.settled)
  }
  listed.messages = await store.search.listUnindexed(LIST_MAX)
  listed.areAll = listed.messages.length < LIST_MAX
}

type Entry = { readonly message: UnindexedMessage; readonly text: string }

/** The first of these messages with their texts: as many as one transaction adds, at least one. */
async function readEntries(
  store: Store,
  messages: readonly UnindexedMessage[],
): Promise<readonly Entry[]> {
  const small = takeUpTo(BYTES_MAX, messages, ({ sizeBytes }) => sizeBytes)
  const texts = await readTexts(store, small)
  const entries = small.map((message) => ({
    message,
    ...indexedText(texts.get(message.id) ?? ''),
  }))
  return takeUpTo(TRANSACTION_PIECES, entries, ({ pieces }) => pieces)
}

/** The first of these whose sizes make at most so much together, at least one. */
function takeUpTo<T>(max: number, all: readonly T[], sizeOf: (one: T) => number): readonly T[] {
  let total = 0
  const end = all.findIndex((one, place) => {
    total += sizeOf(one)
    return place > 0 && total > max
  })
  return end === -1 ? all : all.slice(0, end)
}

/** The text that a search for words reads; none for messages that were deleted in the meantime. */
async function readTexts(
  store: Store,
  messages: readonly UnindexedMessage[],
): Promise<ReadonlyMap<MessageId, string>> {
  const texts = new Map<MessageId, string>()
  for (const [owner, own] of Map.groupBy(messages, ({ accountId }) => accountId)) {
    const ids = own.map(({ id }) => id)
    const contents = await store.messages.listQueried(owner, ids)
    for (const summary of await store.candidates.listByIds(owner, ids)) {
      const content = contents.get(summary.id)
      if (content === undefined) continue
      texts.set(summary.id, new QueriedMail(summary, content).searchText())
    }
  }
  return texts
}
