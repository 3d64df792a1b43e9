import type { AccountId, InboxId, MessageId, WaitDiagnostics } from '@mayfly/contract'
import type { Tables } from '../../store/all-tables.ts'
import {
  cut,
  mismatch,
  type ReadParts,
  readsNames,
  type WaitFilter,
  type WaitQuery,
  waitQuery,
} from './match.ts'

/** A search among the messages with numbers between `after` and `before`. */
export type Search = {
  readonly inboxId: InboxId
  readonly query: WaitQuery
  readonly after: number
  readonly before: number
}

/** The newest match, or where to continue the search; both null when nothing matches. */
export type SearchResult = { readonly found: MessageId | null; readonly before: number | null }

/** Messages read at a time; mostly the first one matches. */
const PAGE = 20

/** Characters of text searched in one call: the thread has other searches to serve. */
const CHARS_MAX = 32 * 1024 * 1024

/** Messages listed for a wait that ended without a match. */
const CONSIDERED_MAX = 20

/** Searches for the newest message that matches. */
export async function findMatch(
  deps: { readonly store: Tables },
  owner: AccountId,
  { inboxId, query, after, before }: Search,
): Promise<SearchResult> {
  const { candidates, messages } = deps.store
  const page = await candidates.list(owner, inboxId, {
    after,
    before,
    limit: PAGE,
    withNames: readsNames(query),
  })
  let chars = 0
  for (const candidate of page) {
    const reason = await mismatch(query, candidate, {
      text: async () => {
        const text = await messages.findText(owner, inboxId, candidate.id)
        chars += text?.length ?? 0
        return text
      },
      content: async () => {
        const content = await messages.findQueried(owner, inboxId, candidate.id)
        chars += (content?.text?.length ?? 0) + (content?.html?.length ?? 0)
        return content
      },
    })
    if (reason === null) return { found: candidate.id, before: null }
    if (chars > CHARS_MAX) return { found: null, before: candidate.sequence }
  }
  const last = page.length < PAGE ? null : (page.at(-1)?.sequence ?? null)
  return { found: null, before: last }
}

/** The newest messages of an inbox, and why each does not match. */
export async function explainMismatches(
  deps: { readonly store: Tables },
  owner: AccountId,
  { inboxId, filter }: { readonly inboxId: InboxId; readonly filter: WaitFilter },
): Promise<WaitDiagnostics['considered']> {
  const { candidates, messages } = deps.store
  const query = waitQuery(filter)
  const newest = await candidates.list(owner, inboxId, {
    after: 0,
    before: Number.MAX_SAFE_INTEGER,
    limit: CONSIDERED_MAX,
    withNames: true,
  })
  const considered: WaitDiagnostics['considered'] = []
  for (const message of newest) {
    const { id, subject } = message
    const read: ReadParts = {
      text: () => messages.findText(owner, inboxId, id),
      content: () => messages.findQueried(owner, inboxId, id),
    }
    const reason = await mismatch(query, message, read)
    considered.push({
      id,
      subject: subject === null ? null : cut(subject),
      receivedAt: new Date(message.receivedAt).toISOString(),
      reason: reason ?? 'it arrived just after the time was up',
    })
  }
  return considered
}
