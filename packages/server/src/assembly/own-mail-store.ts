// Mails that are stored before their senders are told: where receiving has no threads of its own.

import {
  commitMails,
  commitWaiting,
  inboxesOf,
  type ReadyMail,
} from '../features/receiving/commit.ts'
import { createGroupCommit, createKeyedCommit } from '../platform/group-commit.ts'
import type { Log } from '../platform/log.ts'
import type { ReceivingOptions } from '../threads/receiving-host.ts'
import { createComposer } from './composer.ts'
import { type CommittingDeps, createCommitDeps, readyMail, type StoreMail } from './storing.ts'

/** Transactions at a time that wait for locked inboxes. The storage has more connections. */
const WAITING_COMMITS_MAX = 4

/**
 * Stores mails together with others that are ready, one batch at a time: the mails that arrive
 * meanwhile share the next one. Two batches at a time would be smaller, and each has a fixed cost.
 */
export function createOwnMailStore(
  deps: CommittingDeps & { readonly log: Log },
  { config, hostName }: ReceivingOptions,
): StoreMail {
  const isScanned = config.MAYFLY_CLAMD !== null
  // Nodes of an older version, which may share the store, read only the column of texts.
  const isTextInRaw = !deps.store.isShared
  const compose = createComposer({ hostName, isScanned, isTextInRaw, log: deps.log })
  const commit = createCommitDeps(deps)
  const storeApart = createKeyedCommit(
    (batch: readonly ReadyMail[]) => commitWaiting(commit, batch),
    { keyOf: inboxesOf, commitsMax: WAITING_COMMITS_MAX },
  )
  const store = createGroupCommit((batch: readonly ReadyMail[]) =>
    commitMails({ ...commit, storeApart }, batch),
  )
  return (mail) => store(readyMail(compose, mail))
}
