// Queries of SQLite hold the thread: where there may be many, others have their turn between them.

import { setImmediate as turn } from 'node:timers/promises'
import type { AccountId, AttachmentId, MessageId } from '@mayfly/contract'
import type { Store } from '../../store/open.ts'
import type { CaughtRef } from '../../store/tables/caught.ts'
import type { Caller } from '../accounts/authenticate.ts'
import type { Access } from './access.ts'
import { byInbox, type CaughtSearch, type findNewest, type InboxMessages } from './search.ts'

/** What the functions of a mailbox need. */
export type MailboxDeps = {
  readonly store: Store
  readonly search: (owner: AccountId, search: CaughtSearch) => Promise<readonly InboxMessages[]>
  /** The newest message, or the newest that a search finds. */
  readonly newest: (
    owner: AccountId,
    among: Parameters<typeof findNewest>[2],
  ) => Promise<CaughtRef | null>
  readonly mark: (caller: Caller, change: Change & { readonly read: boolean }) => Promise<void>
  readonly remove: (caller: Caller, change: Change) => Promise<readonly MessageId[]>
}

/** Ids that are looked up in one query. */
const IDS_BATCH = 500

/** Messages of an inbox that are changed. */
type Change = Pick<CaughtRef, 'inboxId'> & { readonly which: readonly MessageId[] | 'all' }

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
  deps: Pick<MailboxDeps, 'store' | 'newest'>,
  { caller: { accountId }, inboxIds }: Access,
  { id, query }: { readonly id: string; readonly query: string | null },
): Promise<CaughtRef | null> {
  if (id === 'latest') return deps.newest(accountId, { inboxIds, query })
  return (await deps.store.caught.findRefs(accountId, inboxIds, [id]))[0] ?? null
}

/** Marks messages as read or unread. */
export async function markSelected(
  deps: MailboxDeps,
  access: Access,
  { selection, read }: { readonly selection: Selection; readonly read: boolean },
): Promise<void> {
  for (const change of await changesOf(deps, access, selection)) {
    await deps.mark(access.caller, { ...change, read })
    await turn()
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
    for (const id of await deps.remove(access.caller, change)) removed.push(id)
    await turn()
  }
  return removed
}

/** Those of these messages that are in one of the shown inboxes. */
export async function findRefs(
  { store }: Pick<MailboxDeps, 'store'>,
  { caller: { accountId }, inboxIds }: Access,
  ids: readonly string[],
): Promise<readonly CaughtRef[]> {
  const found: CaughtRef[] = []
  for (let at = 0; at < ids.length; at += IDS_BATCH) {
    if (at > 0) await turn()
    const some = ids.slice(at, at + IDS_BATCH)
    found.push(...(await store.caught.findRefs(accountId, inboxIds, some)))
  }
  return found
}

/** The attachment with a number, from 1; null without it. */
export async function findAttachmentId(
  { store }: Pick<MailboxDeps, 'store'>,
  { caller }: Access,
  { ref, number }: { readonly ref: CaughtRef; readonly number: number },
): Promise<AttachmentId | null> {
  return store.caught.findAttachmentId(caller.accountId, ref, number - 1)
}

/** The attachment with this id or file name; null without it. */
export async function findAttachmentByName(
  { store }: Pick<MailboxDeps, 'store'>,
  { caller }: Access,
  { ref, name }: { readonly ref: CaughtRef; readonly name: string },
): Promise<AttachmentId | null> {
  return store.caught.findAttachmentByName(caller.accountId, ref, name)
}

async function changesOf(
  deps: MailboxDeps,
  access: Access,
  selection: Selection,
): Promise<readonly Change[]> {
  const { caller, inboxIds } = access
  if (selection.by === 'all') return inboxIds.map((inboxId) => ({ inboxId, which: 'all' }))
  const found =
    selection.by === 'ids'
      ? byInbox(await findRefs(deps, access, selection.ids))
      : await deps.search(caller.accountId, { inboxIds, query: selection.query })
  return found.map(({ inboxId, messageIds }) => ({ inboxId, which: messageIds }))
}
