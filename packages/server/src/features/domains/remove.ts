import { setTimeout as delay } from 'node:timers/promises'
import { ServiceError } from '../../errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Store } from '../../store/open.ts'
import type { RemovedDomain } from '../../store/tables/domains.ts'
import type { Caller } from '../accounts/authenticate.ts'
import { requireAdmin } from '../rules/admin.ts'
import { asciiDomain } from './domain-name.ts'

// A domain is removed in two steps, because it may have very many inboxes:
//
//   kept    --begun----------------->  removed: queries skip it, its inboxes get no mail
//   removed --its inboxes expired--->  gone: anyone may claim it
//
// After a crash in between, the sweep of domains or the next claim of the domain continues.

export type DeleteDomainDeps = { readonly store: Store; readonly clock: Clock }

/** Inboxes that expire in one transaction: on SQLite the API waits for it, some 4 ms. */
const EXPIRED_BATCH = 100

/** The same on PostgreSQL, where most of the time of a small batch is round trips. */
const SHARED_BATCH = 500

/** Pause between two transactions: on SQLite others may write in it. */
const PAUSE_MS = 3

/** Removes a domain; admins only. Its inboxes have expired when this resolves. */
export async function deleteDomain(
  { store, clock }: DeleteDomainDeps,
  caller: Caller,
  text: string,
): Promise<void> {
  requireAdmin(caller)
  const { accountId } = caller
  const domain = asciiDomain(text)
  if (domain === null || !(await store.domains.beginRemoval(accountId, domain))) {
    throw new ServiceError('domain_not_found')
  }
  await finishRemoval(store, { accountId, domain }, { now: clock.now() })
}

/**
 * Expires the inboxes of a domain whose removal was begun, and ends the removal; false when another
 * call did, or when it was stopped. Mail of the domain's next owner must not reach them.
 */
export async function finishRemoval(
  store: Store,
  removed: RemovedDomain,
  { now, isStopped = () => false }: { readonly now: number; readonly isStopped?: () => boolean },
): Promise<boolean> {
  const { accountId, domain } = removed
  const limit = store.isShared ? SHARED_BATCH : EXPIRED_BATCH
  const removeSome = () =>
    store.transaction(async (tx) => {
      // Creating an inbox on a named domain takes the same lock, and so do other removals.
      await tx.accounts.lock(accountId)
      if (!(await tx.domains.isRemoved(removed))) return 'gone'
      const expired = await tx.inboxes.expireOnDomain(accountId, domain, { now, limit })
      if (expired === limit) return 'more'
      await tx.domains.endRemoval(removed)
      return 'ended'
    })
  for (;;) {
    const state = await removeSome()
    if (state !== 'more' || isStopped()) return state === 'ended'
    // Small checkpoints: with a long log, a commit runs one that takes 50 ms and more.
    await store.checkpoint()
    await delay(PAUSE_MS)
  }
}
