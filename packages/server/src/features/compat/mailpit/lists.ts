import type { AccountId } from '@mayfly/contract'
import type { Store } from '../../../store/open.ts'
import type { CaughtRef } from '../../../store/tables/caught.ts'
import type { Access } from '../access.ts'
import type { CaughtMatch, CaughtSearch } from '../search.ts'
import type { MailpitView } from './view.ts'

/** What lists need. */
export type ListDeps = {
  readonly store: Store
  readonly search: (owner: AccountId, search: CaughtSearch) => Promise<readonly CaughtMatch[]>
  readonly count: (access: Access) => Promise<{ readonly total: number; readonly unread: number }>
  readonly compose: (owner: AccountId, view: MailpitView) => Promise<Uint8Array | null>
}

/** A page of a list, from the message at `start`. */
export type ListPage = { readonly start: number; readonly limit: number }

/** Messages of one response: an inbox keeps no more. */
const LIMIT_MAX = 1_000

/** The newest messages. */
export async function listMessages(
  deps: ListDeps,
  access: Access,
  { start, limit }: ListPage,
): Promise<Uint8Array> {
  const { caller, inboxIds } = access
  const { total, unread } = await deps.count(access)
  // Mailpit lists all with 0.
  const page = { start, limit: limit === 0 ? LIMIT_MAX : Math.min(limit, LIMIT_MAX) }
  const refs = await deps.store.caught.listPage(caller.accountId, inboxIds, page)
  const matched = { count: total, unread }
  return composeList(deps, access, { refs, start, total, unread, matched })
}

/** The newest messages that a search finds. */
export async function searchMessages(
  deps: ListDeps,
  access: Access,
  { query, start, limit }: ListPage & { readonly query: string },
): Promise<Uint8Array> {
  const { caller, inboxIds } = access
  const { total, unread } = await deps.count(access)
  const found = await deps.search(caller.accountId, { inboxIds, query })
  const refs = found
    .slice(start, start + Math.min(limit, LIMIT_MAX))
    .map(({ inboxId, messageId }) => ({ inboxId, messageId }))
  const matched = { count: found.length, unread: found.filter(({ isRead }) => !isRead).length }
  return composeList(deps, access, { refs, start, total, unread, matched })
}

async function composeList(
  deps: ListDeps,
  { caller: { accountId }, inboxIds }: Access,
  list: {
    readonly refs: readonly CaughtRef[]
    readonly start: number
    readonly total: number
    readonly unread: number
    readonly matched: { readonly count: number; readonly unread: number }
  },
): Promise<Uint8Array> {
  const { refs, start, total, unread, matched } = list
  const around = {
    total,
    unread,
    messages_count: matched.count,
    messages_unread: matched.unread,
    start,
    tags: [...(await deps.store.caught.countTags(accountId, inboxIds)).keys()],
  }
  const text = await deps.compose(accountId, { view: 'list', refs, around })
  return text ?? new Uint8Array()
}
