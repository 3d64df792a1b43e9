import type { MessageId } from '@mayfly/contract'
import { QueriedMail } from '@mayfly/mail'
import type { Clock } from '../../platform/clock.ts'
import type { Ids } from '../../platform/ids.ts'
import type { Store } from '../../store/open.ts'
import type { UnindexedMessage } from '../../store/tables/search.ts'

/** What adding to the index needs. */
export type FillDeps = {
  readonly store: Store
  readonly clock: Clock
  readonly ids: Pick<Ids, 'at'>
  /** Identifies this node. */
  readonly node: string
}

/** Messages added in one transaction: while it runs, receiving on SQLite waits. */
const BATCH = 20

/**
 * Age at which a message is surely committed or not at all: it gets its id just before. Until then
 * the index does not count as complete up to it.
 */
const SETTLED_MS = 60_000

/** How long a node keeps the others from adding the same messages. */
const LEASE_MS = 10_000

/** Adds some messages to the index; false when there are none left, or another node adds them. */
export async function fillIndex(deps: FillDeps): Promise<boolean> {
  const { store, clock, ids, node } = deps
  const now = clock.now()
  if (store.isShared && !(await store.search.lease(node, now, now + LEASE_MS))) return false
  const messages = await store.search.listUnindexed(BATCH)
  const texts = await readTexts(store, messages)
  const isLast = messages.length < BATCH
  const settled = ids.at('message', now - SETTLED_MS)
  const last = messages.at(-1)?.id ?? settled
  await store.transaction(async (tx) => {
    await tx.search.add(messages.map((message) => ({ message, text: texts.get(message.id) ?? '' })))
    await tx.search.setIndexedTo(isLast || last > settled ? settled : last)
  })
  return !isLast
}

/** All that a search for words looks at; nothing for messages that were deleted in the meantime. */
async function readTexts(
  { messages: stored }: Store,
  messages: readonly UnindexedMessage[],
): Promise<ReadonlyMap<MessageId, string>> {
  const texts = new Map<MessageId, string>()
  for (const [owner, own] of Map.groupBy(messages, ({ accountId }) => accountId)) {
    const ids = own.map(({ id }) => id)
    const contents = await stored.listQueried(owner, ids)
    for (const summary of await stored.listCandidatesByIds(owner, ids)) {
      const content = contents.get(summary.id)
      if (content === undefined) continue
      texts.set(summary.id, new QueriedMail(summary, content).searchText())
    }
  }
  return texts
}
