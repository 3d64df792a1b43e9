import { setImmediate as yieldToLoop } from 'node:timers/promises'
import type { AccountId, InboxId, MessageId, MessageSummary } from '@mayfly/contract'
import type { Store } from '../../store/open.ts'
import type { Caller } from '../accounts/authenticate.ts'
import type { DeletedMessages, Purging } from '../retention/purge.ts'
import { type NotFoundDeps, requireInbox, throwNotFound } from '../rules/not-found.ts'
import type { MessageRef } from './message-ref.ts'

export type ChangeDeps = NotFoundDeps & {
  readonly store: Store
  readonly deleteMessages: Purging['deleteMessages']
  /** Sends the signal to the streams of the account. */
  readonly publish: (changed: {
    readonly about: 'messages'
    readonly change: 'read' | 'deleted' | 'emptied'
    readonly accountId: AccountId
    readonly inboxId: InboxId
    readonly messageIds: readonly MessageId[]
  }) => void
}

/** Messages marked in one transaction, which blocks the API's thread on SQLite. */
const MARKED_BATCH = 50

/** Messages of an inbox. */
type Selection = { readonly inboxId: InboxId; readonly selection: readonly MessageId[] | 'all' }

/** Marks a message as read or unread. */
export async function markMessage(
  deps: ChangeDeps,
  caller: Caller,
  request: MessageRef & { readonly read: boolean },
): Promise<MessageSummary> {
  const { accountId } = caller
  const { inboxId, messageId, read } = request
  await markMessages(deps, caller, { inboxId, selection: [messageId], read })
  const summary = await deps.store.messages.findSummary(accountId, inboxId, messageId)
  return summary ?? throwNotFound(deps, caller, request)
}

/** Marks messages of an inbox, or all of them, as read or unread. */
export async function markMessages(
  { store, publish }: Pick<ChangeDeps, 'store' | 'publish'>,
  { accountId }: Caller,
  request: Selection & { readonly read: boolean },
): Promise<void> {
  const { inboxId, selection, read } = request
  const all =
    selection === 'all' ? await store.messages.listMarked(accountId, inboxId, !read) : selection
  for (let at = 0; at < all.length; at += MARKED_BATCH) {
    if (at > 0) await yieldToLoop()
    const some = { inboxId, ids: all.slice(at, at + MARKED_BATCH) }
    const messageIds = await store.transaction((tx) =>
      tx.messageChanges.setRead(accountId, some, read),
    )
    if (messageIds.length === 0) continue
    publish({ about: 'messages', change: 'read', accountId, inboxId, messageIds })
  }
}

/** Deletes a message with all its content. */
export async function deleteMessage(
  deps: ChangeDeps,
  caller: Caller,
  ref: MessageRef,
): Promise<void> {
  const deleted = await removeMessages(deps, caller, {
    inboxId: ref.inboxId,
    selection: [ref.messageId],
  })
  if (deleted.length === 0) await throwNotFound(deps, caller, ref)
}

/** Deletes all messages of an inbox. */
export async function deleteMessages(
  deps: ChangeDeps,
  caller: Caller,
  inboxId: InboxId,
): Promise<void> {
  await requireInbox(deps, caller, inboxId)
  await removeMessages(deps, caller, { inboxId, selection: 'all' })
}

/** Deletes messages of an inbox that the caller may have; returns their ids. */
export async function removeMessages(
  deps: ChangeDeps,
  { accountId }: Caller,
  messages: DeletedMessages,
): Promise<readonly MessageId[]> {
  const { inboxId } = messages
  const messageIds = await deps.deleteMessages(accountId, messages)
  const isAll = messages.selection === 'all'
  if (isAll || messageIds.length > 0) {
    const change = isAll ? 'emptied' : 'deleted'
    deps.publish({ about: 'messages', change, accountId, inboxId, messageIds })
  }
  return messageIds
}
