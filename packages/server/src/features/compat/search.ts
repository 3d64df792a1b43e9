import type { AccountId, InboxId } from '@mayfly/contract'
import { findUnmetTerm, parseQuery } from '@mayfly/mail'
import type { Tables } from '../../store/open.ts'
import type { CaughtRef } from '../../store/tables/caught.ts'

/** A search in project inboxes, in the language of Mailpit. */
export type CaughtSearch = {
  readonly inboxIds: readonly InboxId[]
  readonly query: string
}

/** A message that matches, and whether it was read. */
export type CaughtMatch = CaughtRef & { readonly isRead: boolean }

/**
 * All messages that match, newest first. None when a term is not understood: without the term the
 * search would find more, and what it finds may be deleted.
 */
export async function searchCaught(
  { store }: { readonly store: Tables },
  owner: AccountId,
  { inboxIds, query: text }: CaughtSearch,
): Promise<readonly CaughtMatch[]> {
  const query = parseQuery(text)
  if (query.problems.length > 0) return []
  const found: CaughtMatch[] = []
  for (const entry of await store.caught.list(owner, inboxIds)) {
    const { inboxId, messageId, isRead, tags } = entry
    const unmet = await findUnmetTerm(query, entry, async () => {
      const content = await store.messages.findQueried(owner, inboxId, messageId)
      return content === null ? null : { ...content, tags }
    })
    if (unmet === null) found.push({ inboxId, messageId, isRead })
  }
  return found
}
