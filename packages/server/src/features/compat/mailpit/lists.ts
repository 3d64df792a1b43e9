import type { AccountId } from '@mayfly/contract'
import type { Store } from '../../../store/open.ts'
import type { Access } from '../access.ts'
import { countMessages } from '../mailbox.ts'
import type { MailpitView } from './view.ts'

export type ListDeps = {
  readonly store: Store
  /** Functions that run in another thread. */
  readonly content: {
    readonly composeMailpit: (owner: AccountId, view: MailpitView) => Promise<Uint8Array | null>
  }
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
export async function listCatchAll(
  deps: ListDeps,
  access: Access,
  { query, start, limit }: ListPage,
): Promise<Uint8Array> {
  const { caller, inboxIds } = access
  // Mailpit lists all with 0, but finds none.
  const isAll = limit === 0 && query === null
  const page = { query, start, limit: isAll ? LIMIT_MAX : Math.min(limit, LIMIT_MAX) }
  const view = { view: 'list', inboxIds, ...page, ...(await countMessages(deps, access)) } as const
  return (await deps.content.composeMailpit(caller.accountId, view)) ?? new Uint8Array()
}
