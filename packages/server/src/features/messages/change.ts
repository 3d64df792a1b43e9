import type { AccountId, InboxId, MessageId, MessageSummary } from '@mayfly/contract'
import type { Store } from '../../store/open.ts'
import type { Caller } from '../accounts/authenticate.ts'
import type { DeletedMessages, Purging } from '../retention/purge.ts'
import type { MessageRef } from './message-ref.ts'
import { type MissingDeps, missing, requireInbox } from './missing.ts'

/** What changing messages needs. */
export type ChangeDeps = MissingDeps & {
  readonly store: Store
  readonly deleteMessages: Purging['deleteMessages']
  /** Tells the streams of the account. */
  readonly publish: (changed: {
    readonly about: 'messages'
    readonly change: 'updated' | 'deleted'
    readonly accountId: AccountId
    readonly inboxId: InboxId
    readonly messageIds: readonly MessageId[]
  }) => void
}

/** Marks a message as read or unread. */
export async function markMessage(
  deps: ChangeDeps,
  caller: Caller,
  request: MessageRef & { readonly read: boolean },
): Promise<MessageSummary> {
  const { accountId } = caller
  const { inboxId, messageId, read } = request
  const { isChanged, summary } = await deps.store.transaction(async (tx) => ({
    isChanged: await tx.messageChanges.setRead(accountId, request, read),
    summary: await tx.messages.findSummary(accountId, inboxId, messageId),
  }))
  if (summary === null) return missing(deps, caller, request)
  const ids = { accountId, inboxId, messageIds: [messageId] }
  if (isChanged) deps.publish({ about: 'messages', change: 'updated', ...ids })
  return summary
}

/** Deletes a message with all its content. */
export async function deleteMessage(
  deps: ChangeDeps,
  caller: Caller,
  ref: MessageRef,
): Promise<void> {
  const deleted = await remove(deps, caller, { inboxId: ref.inboxId, which: ref.messageId })
  if (!deleted) await missing(deps, caller, ref)
}

/** Deletes all messages of an inbox. */
export async function deleteMessages(
  deps: ChangeDeps,
  caller: Caller,
  inboxId: InboxId,
): Promise<void> {
  await requireInbox(deps, caller, inboxId)
  await remove(deps, caller, { inboxId, which: 'all' })
}

/** Whether anything was deleted. */
async function remove(
  deps: ChangeDeps,
  { accountId }: Caller,
  messages: DeletedMessages,
): Promise<boolean> {
  const { inboxId } = messages
  const messageIds = await deps.deleteMessages(accountId, messages)
  if (messageIds.length === 0) return false
  deps.publish({ about: 'messages', change: 'deleted', accountId, inboxId, messageIds })
  return true
}
