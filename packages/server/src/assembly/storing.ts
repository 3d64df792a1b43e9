// What storing received mails needs: on the thread that receives them (own-mail-store.ts, and on
// PostgreSQL shared-spool.ts), and on SQLite in a thread of their own (threads/storing-*).

import type { InboxId } from '@mayfly/contract'
import { runSteps, runTogether, type Steps, TOGETHER_MAX } from '@mayfly/mail'
import { composeAnnounced } from '../features/messages/announced.ts'
import {
  type BatchOptions,
  type CommitDeps,
  commitWaiting,
  type ReadyMail,
  type StoreOutcome,
} from '../features/receiving/commit.ts'
import type { ArrivedMail } from '../features/receiving/compose.ts'
import { composeDeliveries } from '../features/webhooks/event.ts'
import type { Clock } from '../platform/clock.ts'
import type { GroupCommit } from '../platform/group-commit.ts'
import { createIds } from '../platform/ids.ts'
import type { Signals } from '../signals/thread-signals.ts'
import type { Store } from '../store/open.ts'
import { storedMessage } from '../store/tables/full-message.ts'
import type { ComposeSteps } from './composer.ts'

/** A mail that is to be stored; a large one was composed before. */
export type MailToStore = ArrivedMail | ReadyMail

/** Stores a mail together with others that are ready. */
export type StoreMail = GroupCommit<MailToStore, StoreOutcome>

/** What committing needs. */
export type CommittingDeps = {
  readonly store: Store
  readonly clock: Clock
  readonly signals: Pick<Signals, 'announce'>
  /** Whether a wait is held for mails of this inbox. */
  readonly isWatched?: (inboxId: InboxId) => boolean
}

/** Composes and stores a batch of mails in one transaction, for the storing thread. */
export function createBatchStore(
  deps: CommittingDeps & { readonly compose: ComposeSteps },
): (batch: readonly MailToStore[], options: BatchOptions) => Promise<readonly StoreOutcome[]> {
  const commit = createCommitDeps(deps)
  return async (batch, options) => {
    const results = await commitWaiting(commit, readyMails(deps.compose, batch), options)
    return results.map(({ messages: _, ...outcome }) => outcome)
  }
}

/** Composes a mail, unless it was composed before. */
export function readyMail(compose: ComposeSteps, mail: MailToStore): ReadyMail {
  return runSteps(readySteps(compose, mail))
}

/** Composes the mails of a batch, unless they were composed before. */
export function readyMails(
  compose: ComposeSteps,
  batch: readonly MailToStore[],
): readonly ReadyMail[] {
  const ready: ReadyMail[] = []
  let together: Steps<ReadyMail>[] = []
  let bytes = 0
  for (const mail of batch) {
    together.push(readySteps(compose, mail))
    bytes += 'accepted' in mail ? mail.accepted.raw.length : 0
    if (together.length < TOGETHER_MAX.mails && bytes < TOGETHER_MAX.bytes) continue
    ready.push(...runTogether(together))
    together = []
    bytes = 0
  }
  ready.push(...runTogether(together))
  return ready
}

function* readySteps(compose: ComposeSteps, mail: MailToStore): Steps<ReadyMail> {
  if ('mail' in mail) return mail
  const { spoolSequence } = mail
  return {
    mail: yield* compose(mail),
    recipients: mail.accepted.recipients,
    ...(spoolSequence === undefined ? {} : { spoolSequence }),
  }
}

/** What committing needs. */
export function createCommitDeps(deps: CommittingDeps): CommitDeps {
  const { store, clock, signals, isWatched = () => false } = deps
  const ids = createIds(clock)
  const events = { newEventId: () => ids.next('event'), now: () => clock.now() }
  return {
    store,
    newMessageId: () => ids.next('message'),
    newDiagnosticId: () => ids.next('diagnostic'),
    composeDeliveries: (...stored) => composeDeliveries(events, ...stored),
    composeAnnounced: (message, inbox) =>
      isWatched(inbox.id) ? composeAnnounced({ storedMessage }, message, inbox) : null,
    announce: signals.announce,
  }
}
