import { setImmediate as turn } from 'node:timers/promises'
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

/** Messages marked in one transaction, which holds the API's thread on SQLite. */
const MARKED_BATCH = 50

/** Messages of an inbox. */
type Which = { readonly inboxId: InboxId; readonly which: readonly MessageId[] | 'all' }

/** Marks a message as read or unread. */
export async function markMessage(
  deps: ChangeDeps,
  caller: Caller,
  request: MessageRef & { readonly read: boolean },
): Promise<MessageSummary> {
  const { accountId } = caller
  const { inboxId, messageId, read } = request
  await markMessages(deps, caller, { inboxId, which: [messageId], read })
  const summary = await deps.store.messages.findSummary(accountId, inboxId, messageId)
  return summary ?? missing(deps, caller, request)
}

/** Marks messages of an inbox, or all of them, as read or unread. */
export async function markMessages(
  { store, publish }: Pick<ChangeDeps, 'store' | 'publish'>,
  { accountId }: Caller,
  request: Which & { readonly read: boolean },
): Promise<void> {
  const { inboxId, which, read } = request
  const all = which === 'all' ? await store.messages.listMarked(accountId, inboxId, !read) : which
  for (let at = 0; at < all.length; at += MARKED_BATCH) {
    if (at > 0) await turn()
    const some = { inboxId, ids: all.slice(at, at + MARKED_BATCH) }
    const messageIds = await store.transaction((tx) =>
      tx.messageChanges.setRead(accountId, some, read),
    )
    if (messageIds.length === 0) continue
    publish({ about: 'messages', change: 'updated', accountId, inboxId, messageIds })
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
    which: [ref.messageId],
  })
  if (deleted.length === 0) await missing(deps, caller, ref)
}

/** Deletes all messages of an inbox. */
export async function deleteMessages(
  deps: ChangeDeps,
  caller: Caller,
  inboxId: InboxId,
): Promise<void> {
  await requireInbox(deps, caller, inboxId)
  await removeMessages(deps, caller, { inboxId, which: 'all' })
}

/** Deletes messages of an inbox that the caller may have; returns their ids. */
export async function removeMessages(
  deps: ChangeDeps,
  { accountId }: Caller,
  messages: DeletedMessages,
): Promise<readonly MessageId[]> {
  const { inboxId } = messages
  const messageIds = await deps.deleteMessages(accountId, messages)
  if (messageIds.length > 0) {
    deps.publish({ about: 'messages', change: 'deleted', accountId, inboxId, messageIds })
  }
  return messageIds
}
