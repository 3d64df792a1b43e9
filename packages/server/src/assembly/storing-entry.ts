// One mail on its way into the store.

import type { StoreOutcome } from '../features/receiving/commit.ts'
import type { ArrivedMail } from '../features/receiving/compose.ts'
import { bucketOf } from '../platform/backlog.ts'
import { elapsedMs } from '../platform/clock.ts'
import type { MailToStore } from './storing.ts'

/** A mail that waits. */
export type Entry = {
  readonly mail: MailToStore
  /** Its number in the spool; null for a mail that is not to be there. */
  readonly sequence: number | null
  /** Whether its sender waits until it is stored; also after its write to the spool has failed. */
  isAwaited: boolean
  /** Since when it waits, by a monotonic clock. */
  readonly sinceMs: number
  /** Its counters in the backlog; none of a mail that is not in the spool. */
  readonly buckets: readonly number[]
  readonly stored: PromiseWithResolvers<StoreOutcome>
  /** Resolves when it is stored, or could not be at first. */
  readonly tried: PromiseWithResolvers<void>
}

/** A mail that begins to wait. */
export function entryOf(mail: MailToStore, sequence: number | null): Entry {
  const stored = Promise.withResolvers<StoreOutcome>()
  const tried = Promise.withResolvers<void>()
  const isAwaited = sequence === null
  const buckets = isAwaited || !('accepted' in mail) ? [] : bucketsOf(mail)
  return { mail, sequence, isAwaited, sinceMs: elapsedMs(), buckets, stored, tried }
}

/** The counters of a mail by inbox and account; none of one that a crash has left. */
export function bucketsOf({ accepted }: ArrivedMail): readonly number[] {
  return accepted.recipients.flatMap(({ inboxId, accountId }) =>
    accountId === undefined ? [] : [bucketOf(inboxId), bucketOf(accountId)],
  )
}
