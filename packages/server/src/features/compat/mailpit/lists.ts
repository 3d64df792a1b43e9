import type { AccountId } from '@mayfly/contract'
import type { Access } from '../access.ts'
import type { MailpitView } from './view.ts'

/** What lists need. */
export type ListDeps = {
  readonly count: (access: Access) => Promise<{ readonly total: number; readonly unread: number }>
  readonly compose: (owner: AccountId, view: MailpitView) => Promise<Uint8Array | null>
}

/** A page of all messages or of those that a search finds, from the one at `start`. */
export type ListPage = {
  readonly query: string | null
  readonly start: number
  readonly limit: number
}

/** Messages of one response: an inbox keeps no more. */
const LIMIT_MAX = 1_000

/** The newest messages, or the newest that a search finds. */
export async function listMessages(
  deps: ListDeps,
  access: Access,
  { query, start, limit }: ListPage,
): Promise<Uint8Array> {
  const { caller, inboxIds } = access
  // Mailpit lists all with 0, but finds none.
  const isAll = limit === 0 && query === null
  const page = { query, start, limit: isAll ? LIMIT_MAX : Math.min(limit, LIMIT_MAX) }
  const counts = await deps.count(access)
  const text = await deps.compose(caller.accountId, { view: 'list', inboxIds, ...page, ...counts })
  return text ?? new Uint8Array()
}
