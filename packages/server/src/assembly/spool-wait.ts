import { setTimeout as delay } from 'node:timers/promises'
import type { AccountId, InboxId } from '@mayfly/contract'
import { elapsedMs } from '../platform/clock.ts'
import type { Signals } from '../signals/thread-signals.ts'
import type { Store } from '../store/open.ts'

/** How often the store is asked, and about how many mails. */
const POLL_MS = 10
const POLLED_MAX = 200

/** Longest wait: longer than it takes until another node stores what one has left. */
export const SPOOL_WAIT_MS_MAX = 10_000

/** Resolves when the mails of an account, or of one of its inboxes, that are spooled are stored. */
export type SpoolWait = (accountId: AccountId, inboxId?: InboxId) => Promise<void>

/**
 * Waits for mails that any node has accepted; asks all threads and nodes to store them now. It does
 * not wait for those that are accepted meanwhile: under load there are always some.
 */
export function createSpoolWait(
  store: Pick<Store, 'spools'>,
  announce: Signals['announce'],
): SpoolWait {
  return async (accountId, inboxId) => {
    const { mails } = store.spools
    const startedMs = elapsedMs()
    const accepted = await mails.listOf(accountId, inboxId)
    if (accepted.length === 0) return
    const wanted = { accountId, ...(inboxId === undefined ? {} : { inboxId }) }
    announce({ inboxIds: [], mailIds: [], wanted })
    for (let start = 0; start < accepted.length; start += POLLED_MAX) {
      let unstored = await mails.listUnstored(accepted.slice(start, start + POLLED_MAX))
      while (unstored.length > 0) {
        if (elapsedMs() - startedMs > SPOOL_WAIT_MS_MAX) return
        await delay(POLL_MS)
        unstored = await mails.listUnstored(unstored)
      }
    }
  }
}
