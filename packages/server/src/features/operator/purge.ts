import type { AccountId, InboxId } from '@mayfly/contract'
import type { Tables } from '../../store/open.ts'
import { requireNotOperator, type SuspensionDeps } from './suspension.ts'
import { getTarget, type Target } from './target.ts'

/** What was purged. */
export type Purged = { readonly target: Target; readonly inboxes: number }

/** Inboxes purged in one transaction, so that a running service does not wait long for the lock. */
const BATCH = 20

/**
 * Purges an inbox with its content, or an account with all its records.
 *
 * An account is suspended first, so that nothing is added while its inboxes are purged in batches.
 * Their addresses stay reserved for 30 days, as after any deletion.
 */
export async function purge(deps: SuspensionDeps, text: string): Promise<Purged> {
  const { store, clock } = deps
  const target = await getTarget(store, text)
  requireNotOperator(deps, target)
  if (target.kind === 'inbox') {
    const { accountId, id } = target.inbox
    await store.transaction((tx) => purgeInbox(tx, accountId, { id, now: clock.now() }))
    return { target, inboxes: 1 }
  }
  const { id: accountId } = target.account
  await store.operator.setAccountSuspended(accountId, clock.now())
  let inboxes = 0
  for (;;) {
    const count = await store.transaction(async (tx) => {
      const ids = await tx.operator.listInboxes(accountId, BATCH)
      for (const id of ids) await purgeInbox(tx, accountId, { id, now: clock.now() })
      return ids.length
    })
    inboxes += count
    if (count < BATCH) break
  }
  await store.operator.deleteAccount(accountId)
  return { target, inboxes }
}

async function purgeInbox(
  tx: Tables,
  owner: AccountId,
  inbox: { readonly id: InboxId; readonly now: number },
): Promise<void> {
  const content = await tx.inboxes.purge(owner, inbox.id)
  if (content === null) return
  await tx.mails.deleteUnshared(content.mailIds)
  await tx.addresses.release(inbox.id, content.address, inbox.now)
}
