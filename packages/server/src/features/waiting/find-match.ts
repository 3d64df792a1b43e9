import type { AccountId, InboxId, MessageId, WaitDiagnostics } from '@mayfly/contract'
import type { OtpFinding } from '@mayfly/mail'
import type { Tables } from '../../store/all-tables.ts'
import type { Candidate } from '../../store/tables/candidates.ts'
import {
  almostGiven,
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

/** The newest of these whose likeliest code is reported. */
const EXPLAINED_MAX = 3

/** A larger mail is searched for no other code than the one that was found when it arrived. */
const CODE_BYTES_MAX = 1024 * 1024

export type FindMatchDeps = {
  readonly store: Tables
  /** Finds the code of a form in a mail; null in the thread that parses no mail. */
  readonly findCode: ((request: CodeRequest) => Promise<OtpFinding | null>) | null
}

/** A mail, and the form of the code that is searched in it. */
type CodeRequest = { readonly mailId: string; readonly format: string | null }

/** Searches for the newest message that matches. */
export async function findMatch(
  deps: FindMatchDeps,
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
      code: async (format) => {
        chars += candidate.sizeBytes
        return findCode(deps, owner, { inboxId, message: candidate, format })
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
  deps: FindMatchDeps,
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
      code: (format) => findCode(deps, owner, { inboxId, message, format }),
    }
    const reason = await mismatch(query, message, read)
    const isNew = considered.length < EXPLAINED_MAX
    const almost = reason === null || !isNew ? '' : await almostGiven(query, message, read)
    considered.push({
      id,
      subject: subject === null ? null : cut(subject),
      receivedAt: new Date(message.receivedAt).toISOString(),
      reason: reason === null ? 'it arrived just after the time was up' : reason + almost,
    })
  }
  return considered
}

/** The finding for a mail; null when it was deleted, or is too large to be read again. */
async function findCode(
  deps: FindMatchDeps,
  owner: AccountId,
  { inboxId, message, format }: MessageCode,
): Promise<OtpFinding | null> {
  const { id, sizeBytes } = message
  if (sizeBytes > CODE_BYTES_MAX) return null
  const mailId = await deps.store.messages.findMailId(owner, inboxId, id)
  if (mailId === null) return null
  if (deps.findCode === null) throw new Error('a mail is searched for a code in another thread')
  return deps.findCode({ mailId, format })
}

type MessageCode = {
  readonly inboxId: InboxId
  readonly message: Pick<Candidate, 'id' | 'sizeBytes'>
  readonly format: string | null
}
