// Mails that are parsed and committed on the thread that receives them.

import {
  type BatchOptions,
  type CommitResult,
  commitMails,
  commitWaiting,
  inboxesOf,
  type ReadyMail,
} from '../features/receiving/commit.ts'
import { createGroupCommit, createKeyedCommit } from '../platform/group-commit.ts'
import type { Log } from '../platform/log.ts'
import type { ReceivingOptions } from '../threads/receiving-host.ts'
import { type ComposeSteps, createStepComposer } from './composer.ts'
import { type CommittingDeps, createCommitDeps, readyMail, type StoreMail } from './storing.ts'

/** Transactions at a time that wait for locked inboxes. The storage has more connections. */
const WAITING_COMMITS_MAX = 4

/** The two steps of storing mails. */
export type OwnStoring = {
  readonly compose: ComposeSteps
  /** One result a mail; of one whose inbox is locked a promise, which others do not wait for. */
  commit(batch: readonly ReadyMail[]): Promise<readonly (CommitResult | Promise<CommitResult>)[]>
}

/** Composes and commits mails. */
export function createOwnStoring(
  deps: CommittingDeps & { readonly log: Log },
  { config, hostName }: ReceivingOptions,
  options?: BatchOptions,
): OwnStoring {
  const isScanned = config.MAYFLY_CLAMD !== null
  // Nodes of an older version, which may share the store, read only the column of texts.
  const isTextInRaw = !deps.store.isShared
  const compose = createStepComposer({ hostName, isScanned, isTextInRaw, log: deps.log })
  const commit = createCommitDeps(deps)
  const storeApart = createKeyedCommit(
    (batch: readonly ReadyMail[]) => commitWaiting(commit, batch, options),
    { keyOf: inboxesOf, commitsMax: WAITING_COMMITS_MAX },
  )
  return {
    compose,
    commit: (batch) => commitMails({ ...commit, storeApart }, batch, options),
  }
}

/**
 * Stores mails before their senders are told, where receiving has no threads of its own: together
 * with others that are ready, one batch at a time. The mails that arrive meanwhile share the next
 * one. Two batches at a time would be smaller, and each has a fixed cost.
 */
export function createOwnMailStore(
  deps: CommittingDeps & { readonly log: Log },
  options: ReceivingOptions,
): StoreMail {
  const { compose, commit } = createOwnStoring(deps, options)
  const store = createGroupCommit(commit)
  return (mail) => store(readyMail(compose, mail))
}
