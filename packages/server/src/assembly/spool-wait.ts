import { setTimeout as delay } from 'node:timers/promises'
import type { AccountId, InboxId } from '@mayfly/contract'
import { elapsedMs } from '../platform/clock.ts'
import type { Signals } from '../signals/thread-signals.ts'
import type { Store } from '../store/open.ts'

/** How often the store is asked. */
const POLL_MS = 10

/** Longest wait: longer than it takes until another node stores what one has left. */
const WAIT_MS_MAX = 10_000

/** Resolves when the mails of an account, or of one of its inboxes, that are spooled are stored. */
export type SpoolWait = (accountId: AccountId, inboxId?: InboxId) => Promise<void>

/** Waits for mails that any node has accepted; asks all threads and nodes to store them now. */
export function createSpoolWait(
  store: Pick<Store, 'spools'>,
  announce: Signals['announce'],
): SpoolWait {
  return async (accountId, inboxId) => {
    const wanted = { accountId, ...(inboxId === undefined ? {} : { inboxId }) }
    const startedMs = elapsedMs()
    let isWanted = false
    while (await store.spools.mails.isAnyOf(accountId, inboxId)) {
      if (elapsedMs() - startedMs > WAIT_MS_MAX) return
      if (!isWanted) announce({ inboxIds: [], mailIds: [], wanted })
      isWanted = true
      await delay(POLL_MS)
    }
  }
}
