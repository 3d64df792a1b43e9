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
  const texts = await Promise.all(messages.map((message) => textOf(store, message)))
  const isLast = messages.length < BATCH
  const settled = ids.at('message', now - SETTLED_MS)
  const last = messages.at(-1)?.id ?? settled
  await store.transaction(async (tx) => {
    await tx.search.add(messages.map((message, i) => ({ message, text: texts[i] ?? '' })))
    await tx.search.setIndexedTo(isLast || last > settled ? settled : last)
  })
  return !isLast
}

/** All that a search for words looks at; empty for a message that was deleted in the meantime. */
async function textOf({ messages }: Store, { id, accountId }: UnindexedMessage): Promise<string> {
  const [summary] = await messages.listCandidatesByIds(accountId, [id])
  if (summary === undefined) return ''
  const content = await messages.findQueried(accountId, summary.inbox.id, id)
  return content === null ? '' : new QueriedMail(summary, content).searchText()
}
