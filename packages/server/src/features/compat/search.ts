import type { AccountId, InboxId, MessageId } from '@mayfly/contract'
import { findUnmetTerm, parseQuery } from '@mayfly/mail'
import type { Tables } from '../../store/all-tables.ts'
import type { CatchAllRef } from '../../store/tables/catch-all-messages.ts'

// Searches read as much as senders chose to write, and lists sort all messages: neither runs on the
// API's thread, see app/content.ts.

/** A search in catch-all inboxes, in the language of Mailpit. */
export type CatchAllSearch = {
  readonly inboxIds: readonly InboxId[]
  readonly query: string
}

/** A message that matches, and whether it was read. */
export type CatchAllMatch = CatchAllRef & { readonly isRead: boolean }

/** Messages of one inbox. */
export type InboxMessages = {
  readonly inboxId: InboxId
  readonly messageIds: readonly MessageId[]
}

/**
 * All messages that match, newest first. None when a term is unknown: without the term the search
 * would find more, and the caller may delete the results.
 */
export async function findCatchAll(
  { store }: { readonly store: Tables },
  owner: AccountId,
  { inboxIds, query: text }: CatchAllSearch,
): Promise<readonly CatchAllMatch[]> {
  const query = parseQuery(text)
  if (query.problems.length > 0) return []
  const found: CatchAllMatch[] = []
  for (const entry of await store.catchAllMessages.list(owner, inboxIds)) {
    const { inboxId, messageId, isRead, tags } = entry
    const unmet = await findUnmetTerm(query, entry, async () => {
      const content = await store.messages.findQueried(owner, inboxId, messageId)
      return content === null ? null : { ...content, tags }
    })
    if (unmet === null) found.push({ inboxId, messageId, isRead })
  }
  return found
}

/** The same by inbox, in a form that takes little time to send to another thread. */
export async function searchCatchAll(
  deps: { readonly store: Tables },
  owner: AccountId,
  search: CatchAllSearch,
): Promise<readonly InboxMessages[]> {
  return byInbox(await findCatchAll(deps, owner, search))
}

/** The newest message, or the newest that matches; null without one. */
export async function findNewest(
  deps: { readonly store: Tables },
  owner: AccountId,
  { inboxIds, query }: Pick<CatchAllSearch, 'inboxIds'> & { readonly query: string | null },
): Promise<CatchAllRef | null> {
  const [newest] =
    query === null
      ? await deps.store.catchAllMessages.listPage(owner, inboxIds, { start: 0, limit: 1 })
      : await findCatchAll(deps, owner, { inboxIds, query })
  return newest ?? null
}

/** Messages, grouped by their inboxes. */
export function byInbox(refs: readonly CatchAllRef[]): readonly InboxMessages[] {
  return [...Map.groupBy(refs, ({ inboxId }) => inboxId)].map(([inboxId, own]) => ({
    inboxId,
    messageIds: own.map(({ messageId }) => messageId),
  }))
}
