import type { InboxId, MessageSummary } from '@mayfly/contract'
import type { Store } from '../../store/open.ts'
import type { Caller } from '../accounts/authenticate.ts'
import type { MessageRef } from './message-ref.ts'
import { type MissingDeps, missing, requireInbox } from './missing.ts'

/** What changing messages needs. */
export type ChangeDeps = MissingDeps & { readonly store: Store }

/** Marks a message as read or unread. */
export async function markMessage(
  deps: ChangeDeps,
  caller: Caller,
  request: MessageRef & { readonly read: boolean },
): Promise<MessageSummary> {
  const { inboxId, messageId, read } = request
  const summary = await deps.store.transaction(async (tx) => {
    await tx.messageChanges.setRead(caller.accountId, request, read)
    return tx.messages.findSummary(caller.accountId, inboxId, messageId)
  })
  return summary ?? missing(deps, caller, request)
}

/** Deletes a message with all its content. */
export async function deleteMessage(
  deps: ChangeDeps,
  caller: Caller,
  ref: MessageRef,
): Promise<void> {
  const { inboxId, messageId } = ref
  const deleted = await deps.store.deleteMessages(caller.accountId, inboxId, messageId)
  if (deleted === 0) await missing(deps, caller, ref)
}

/** Deletes all messages of an inbox. */
export async function deleteMessages(
  deps: ChangeDeps,
  caller: Caller,
  inboxId: InboxId,
): Promise<void> {
  await requireInbox(deps, caller, inboxId)
  await deps.store.deleteMessages(caller.accountId, inboxId, 'all')
}
