import { setTimeout as delay } from 'node:timers/promises'
import { requireNotOperator, type SuspensionDeps } from './suspension.ts'
import { getTarget, type Target } from './target.ts'

/** The result of a purge. */
export type Purged = { readonly target: Target; readonly inboxes: number }

/** Inboxes that are listed at a time. */
const BATCH = 20

/** Deliveries deleted in one statement, and the pause after it for other writers. */
const DELIVERIES_BATCH = 500
const DELIVERIES_PAUSE_MS = 20

/**
 * Purges an inbox with its content, or an account with all its records.
 *
 * An account is suspended first, so that nothing is added while its inboxes are purged in batches.
 * Their addresses stay reserved for 30 days, as after any deletion.
 */
export async function purge(deps: SuspensionDeps, text: string): Promise<Purged> {
  const { store, clock } = deps
  const target = await getTarget(store, text)
  requireNotOperator(target)
  if (target.kind === 'inbox') {
    const { accountId, id } = target.inbox
    await store.purgeInbox(accountId, { id, now: clock.now() })
    return { target, inboxes: 1 }
  }
  const { id: accountId } = target.account
  await store.operator.setAccountSuspended(accountId, clock.now())
  let inboxes = 0
  for (;;) {
    const ids = await store.operator.listInboxes(accountId, BATCH)
    for (const id of ids) await store.purgeInbox(accountId, { id, now: clock.now() })
    inboxes += ids.length
    if (ids.length < BATCH) break
  }
  const { deliveries } = store
  while ((await deliveries.deleteOfAccount(accountId, DELIVERIES_BATCH)) === DELIVERIES_BATCH) {
    await delay(DELIVERIES_PAUSE_MS)
  }
  await store.operator.deleteAccount(accountId)
  return { target, inboxes }
}
