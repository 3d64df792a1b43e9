import type { AccountId, InboxId, MessageId } from '@mayfly/contract'
import { findUnmetTerm } from '@mayfly/mail'
import type { Tables } from '../../store/all-tables.ts'
import { readSearchQuery } from '../rules/search-query.ts'
import { ContentBatches } from './content-batches.ts'

/** A search among the messages of an inbox with numbers between `after` and `before`. */
export type InboxSearch = {
  readonly inboxId: InboxId
  readonly q: string
  readonly after: number
  readonly before: number
  readonly limit: number
}

/** Matches, newest first, and where to continue; `before` is null when the inbox was searched. */
export type InboxMatches = {
  readonly found: readonly { readonly id: MessageId; readonly sequence: number }[]
  readonly before: number | null
}

/** Messages read at a time. */
const PAGE = 100

/** Characters of content searched in one call: the thread has other searches to serve. */
const CHARS_MAX = 32 * 1024 * 1024

/** Searches a part of an inbox: until `limit` matches are found, or much content was read. */
export async function searchInbox(
  { store }: { readonly store: Tables },
  owner: AccountId,
  { inboxId, q, after, before, limit }: InboxSearch,
): Promise<InboxMatches> {
  const query = readSearchQuery(q)
  const page = await store.candidates.list(owner, inboxId, {
    after,
    before,
    limit: PAGE,
    withNames: true,
  })
  const contents = new ContentBatches(store, owner, page)
  const found: { id: MessageId; sequence: number }[] = []
  let chars = 0
  for (const [place, candidate] of page.entries()) {
    const { id, sequence } = candidate
    const unmet = await findUnmetTerm(query, candidate, async () => {
      const content = await contents.at(place)
      chars += (content?.text?.length ?? 0) + (content?.html?.length ?? 0)
      return content
    })
    if (unmet === null) found.push({ id, sequence })
    if (found.length === limit || chars > CHARS_MAX) return { found, before: sequence }
  }
  return { found, before: page.length < PAGE ? null : (page.at(-1)?.sequence ?? null) }
}
