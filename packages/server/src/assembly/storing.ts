// How received mails are stored: on the thread that receives them, or, on SQLite, in a thread of
// their own (threads/storing-*).

import {
  type CommitDeps,
  commitMails,
  commitWaiting,
  inboxesOf,
  type ReadyMail,
} from '../features/receiving/commit.ts'
import { composeDeliveries } from '../features/webhooks/event.ts'
import type { Clock } from '../platform/clock.ts'
import { createGroupCommit, createKeyedCommit, type GroupCommit } from '../platform/group-commit.ts'
import { createIds } from '../platform/ids.ts'
import type { Signals } from '../signals/thread-signals.ts'
import type { Store } from '../store/open.ts'
import type { StoreOutcome, StoringThread } from '../threads/storing-host.ts'

/** Transactions at a time that wait for locked inboxes. The storage has more connections. */
const WAITING_COMMITS_MAX = 4

/** What storing needs. */
export type StoringDeps = {
  readonly store: Store
  readonly clock: Clock
  readonly signals: Pick<Signals, 'announce'>
}

/**
 * Stores mails together with others that are ready, one batch at a time: the mails that arrive
 * meanwhile share the next one. Two batches at a time would be smaller, and each has a fixed cost.
 */
export function createStoring(
  deps: StoringDeps & { readonly storing: StoringThread | null },
): GroupCommit<ReadyMail, StoreOutcome> {
  const { storing } = deps
  if (storing !== null) return createGroupCommit((batch) => storing.store(batch))
  const commit = createCommitDeps(deps)
  const storeApart = createKeyedCommit(
    (batch: readonly ReadyMail[]) => commitWaiting(commit, batch),
    { keyOf: inboxesOf, commitsMax: WAITING_COMMITS_MAX },
  )
  return createGroupCommit((batch: readonly ReadyMail[]) =>
    commitMails({ ...commit, storeApart }, batch),
  )
}

/** Stores a batch of mails in one transaction, for the storing thread. */
export function createBatchStore(
  deps: StoringDeps,
): (batch: readonly ReadyMail[]) => Promise<readonly StoreOutcome[]> {
  const commit = createCommitDeps(deps)
  return async (batch) => {
    const results = await commitWaiting(commit, batch)
    return results.map(({ state, fullInboxes }) => ({ state, fullInboxes }))
  }
}

/** What committing needs. */
export function createCommitDeps({ store, clock, signals }: StoringDeps): CommitDeps {
  const ids = createIds(clock)
  const events = { newEventId: () => ids.next('event'), now: () => clock.now() }
  return {
    store,
    newMessageId: () => ids.next('message'),
    newDiagnosticId: () => ids.next('diagnostic'),
    composeDeliveries: (...stored) => composeDeliveries(events, ...stored),
    announce: signals.announce,
  }
}
