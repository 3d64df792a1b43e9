import type { Inbox, InboxId } from '@mayfly/contract'
import { ServiceError } from '../../errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Store } from '../../store/open.ts'
import type { Caller } from '../accounts/authenticate.ts'

/** What reading and deleting inboxes need. */
export type InboxDeps = {
  readonly store: Store
  readonly clock: Clock
  /** Wakes the waits on these inboxes, on every node. */
  readonly announce: (inboxIds: readonly InboxId[]) => void
}

/** The caller's inboxes that have not expired, newest first. */
export async function listInboxes(deps: InboxDeps, caller: Caller): Promise<Inbox[]> {
  return deps.store.inboxes.listActive(caller.accountId, deps.clock.now())
}

/** One inbox of the caller's, in any state. */
export async function getInbox(deps: InboxDeps, caller: Caller, id: InboxId): Promise<Inbox> {
  const inbox = await deps.store.inboxes.find(caller.accountId, id, deps.clock.now())
  if (inbox === null) throw new ServiceError('inbox_not_found')
  return inbox
}

/** Purges an inbox and all its content; its address stays reserved for 30 days. */
export async function deleteInbox(deps: InboxDeps, caller: Caller, id: InboxId): Promise<void> {
  const isPurged = await deps.store.purgeInbox(caller.accountId, { id, now: deps.clock.now() })
  if (!isPurged) throw new ServiceError('inbox_not_found')
  // Held waits on it then end with 404.
  deps.announce([id])
}
