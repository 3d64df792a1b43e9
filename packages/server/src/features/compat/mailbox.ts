// SQLite queries block this thread: where there may be many, it is yielded between them.

import { setImmediate as yieldToLoop } from 'node:timers/promises'
import type { AccountId, AttachmentId, MessageId } from '@mayfly/contract'
import type { Store } from '../../store/open.ts'
import type { CatchAllRef } from '../../store/tables/catch-all-messages.ts'
import type { Caller } from '../accounts/authenticate.ts'
import type { Access } from './access.ts'
import { byInbox, type CatchAllSearch, type findNewest, type InboxMessages } from './search.ts'

export type MailboxDeps = {
  readonly store: Store
  /** Functions that run in another thread. */
  readonly content: {
    readonly searchCatchAll: (
      owner: AccountId,
      search: CatchAllSearch,
    ) => Promise<readonly InboxMessages[]>
    readonly findNewest: (
      owner: AccountId,
      among: Parameters<typeof findNewest>[2],
    ) => Promise<CatchAllRef | null>
  }
  readonly markMessages: (
    caller: Caller,
    change: Change & { readonly read: boolean },
  ) => Promise<void>
  readonly removeMessages: (caller: Caller, change: Change) => Promise<readonly MessageId[]>
}

/** Ids that one query finds. */
const IDS_BATCH = 500

/** Messages of an inbox that are changed. */
type Change = Pick<CatchAllRef, 'inboxId'> & { readonly selection: readonly MessageId[] | 'all' }

/** Which messages are meant: some by their ids, those of a search, or all. */
export type Selection =
  | { readonly by: 'ids'; readonly ids: readonly string[] }
  | { readonly by: 'search'; readonly query: string }
  | { readonly by: 'all' }

/** How many messages all shown inboxes have, and how many of them are unread. */
export async function countMessages(
  { store }: Pick<MailboxDeps, 'store'>,
  { caller, inboxIds }: Access,
): Promise<{ readonly total: number; readonly unread: number }> {
  const projects = await store.inboxes.listProjects(caller.accountId, 0)
  const shown = projects.filter(({ id }) => inboxIds.includes(id))
  return {
    total: shown.reduce((sum, { messageCount }) => sum + messageCount, 0),
    unread: shown.reduce((sum, { unreadCount }) => sum + unreadCount, 0),
  }
}

/** The message with this id, or the newest, or the newest that a search finds; null without it. */
export async function resolveMessage(
  deps: Pick<MailboxDeps, 'store' | 'content'>,
  { caller: { accountId }, inboxIds }: Access,
  { id, query }: { readonly id: string; readonly query: string | null },
): Promise<CatchAllRef | null> {
  if (id === 'latest') return deps.content.findNewest(accountId, { inboxIds, query })
  return (await deps.store.catchAllMessages.findRefs(accountId, inboxIds, [id]))[0] ?? null
}

/** Marks messages as read or unread. */
export async function markSelected(
  deps: MailboxDeps,
  access: Access,
  { selection, read }: { readonly selection: Selection; readonly read: boolean },
): Promise<void> {
  for (const change of await changesOf(deps, access, selection)) {
    await deps.markMessages(access.caller, { ...change, read })
    await yieldToLoop()
  }
}

/** Deletes messages; returns their ids. */
export async function removeSelected(
  deps: MailboxDeps,
  access: Access,
  selection: Selection,
): Promise<readonly MessageId[]> {
  const removed: MessageId[] = []
  for (const change of await changesOf(deps, access, selection)) {
    for (const id of await deps.removeMessages(access.caller, change)) removed.push(id)
    await yieldToLoop()
  }
  return removed
}

/** Those of these messages that are in one of the shown inboxes. */
export async function findRefs(
  { store }: Pick<MailboxDeps, 'store'>,
  { caller: { accountId }, inboxIds }: Access,
  ids: readonly string[],
): Promise<readonly CatchAllRef[]> {
  const found: CatchAllRef[] = []
  for (let at = 0; at < ids.length; at += IDS_BATCH) {
    if (at > 0) await yieldToLoop()
    const some = ids.slice(at, at + IDS_BATCH)
    found.push(...(await store.catchAllMessages.findRefs(accountId, inboxIds, some)))
  }
  return found
}

/** The attachment with a number, from 1; null without it. */
export async function findAttachmentId(
  { store }: Pick<MailboxDeps, 'store'>,
  { caller }: Access,
  { ref, number }: { readonly ref: CatchAllRef; readonly number: number },
): Promise<AttachmentId | null> {
  return store.catchAllMessages.findAttachmentId(caller.accountId, ref, number - 1)
}

/** The attachment with this id or file name; null without it. */
export async function findAttachmentByName(
  { store }: Pick<MailboxDeps, 'store'>,
  { caller }: Access,
  { ref, name }: { readonly ref: CatchAllRef; readonly name: string },
): Promise<AttachmentId | null> {
  return store.catchAllMessages.findAttachmentByName(caller.accountId, ref, name)
}

async function changesOf(
  deps: MailboxDeps,
  access: Access,
  selection: Selection,
): Promise<readonly Change[]> {
  const { caller, inboxIds } = access
  if (selection.by === 'all') return inboxIds.map((inboxId) => ({ inboxId, selection: 'all' }))
  const found =
    selection.by === 'ids'
      ? byInbox(await findRefs(deps, access, selection.ids))
      : await deps.content.searchCatchAll(caller.accountId, { inboxIds, query: selection.query })
  return found.map(({ inboxId, messageIds }) => ({ inboxId, selection: messageIds }))
}
