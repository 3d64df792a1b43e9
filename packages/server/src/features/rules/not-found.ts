import type { InboxId } from '@mayfly/contract'
import { ServiceError } from '../../errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Tables } from '../../store/all-tables.ts'
import type { Caller } from '../accounts/authenticate.ts'
import type { MessageRef } from '../messages/message-ref.ts'

export type NotFoundDeps = { readonly store: Tables; readonly clock: Clock }

/** Throws the error for a message that is not there. */
export async function throwNotFound(
  deps: NotFoundDeps,
  caller: Caller,
  ref: MessageRef,
): Promise<never> {
  await requireInbox(deps, caller, ref.inboxId)
  throw new ServiceError('message_not_found')
}

/** Throws unless the caller has this inbox. */
export async function requireInbox(
  deps: NotFoundDeps,
  caller: Caller,
  inboxId: InboxId,
): Promise<void> {
  const inbox = await deps.store.inboxes.find(caller.accountId, inboxId, deps.clock.now())
  if (inbox === null) throw new ServiceError('inbox_not_found')
}
