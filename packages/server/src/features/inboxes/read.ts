import type { Inbox, InboxId, InboxListState } from '@mayfly/contract'
import { inboxAddress } from '@mayfly/mail'
import { ServiceError } from '../../errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Store } from '../../store/open.ts'
import type { Caller } from '../accounts/authenticate.ts'
import type { Purging } from '../retention/purge.ts'

export type InboxDeps = {
  readonly store: Store
  readonly clock: Clock
  readonly purgeInbox: Purging['purgeInbox']
  /** Wakes the waits on these inboxes, on every node. */
  readonly announce: (inboxIds: readonly InboxId[]) => void
}

/** A page of the caller's inboxes, newest first. */
export async function listInboxes(
  deps: InboxDeps,
  caller: Caller,
  request: {
    readonly state: InboxListState
    readonly cursor?: string | undefined
    readonly limit: number
  },
): Promise<{ inboxes: Inbox[]; nextCursor: string | null }> {
  const { state, cursor, limit } = request
  // One more than requested: it shows whether there is a next page.
  const page = await deps.store.inboxes.list(caller.accountId, {
    state,
    before: cursor === undefined ? null : readCursor(cursor),
    limit: limit + 1,
    now: deps.clock.now(),
  })
  const inboxes = page.slice(0, limit)
  const last = inboxes.at(-1)
  const hasMore = page.length > limit && last !== undefined
  return { inboxes, nextCursor: hasMore ? writeCursor(last.id) : null }
}

/** One inbox of the caller's, in any state. */
export async function getInbox(deps: InboxDeps, caller: Caller, id: InboxId): Promise<Inbox> {
  const inbox = await deps.store.inboxes.find(caller.accountId, id, deps.clock.now())
  if (inbox === null) throw new ServiceError('inbox_not_found')
  return inbox
}

/** The inbox that a caller names by its id or its address. */
export async function resolveInbox(
  { store }: Pick<InboxDeps, 'store'>,
  caller: Caller,
  named: string,
): Promise<InboxId> {
  if (!named.includes('@')) return named as InboxId // Or unknown: no id has an @.
  const address = inboxAddress(named)
  const found = address === null ? null : await store.receiving.findRecipient(address)
  if (found?.accountId !== caller.accountId) throw new ServiceError('inbox_not_found')
  return found.inboxId
}

/** Purges an inbox and all its content; its address stays reserved for 30 days. */
export async function deleteInbox(deps: InboxDeps, caller: Caller, id: InboxId): Promise<void> {
  const isPurged = await deps.purgeInbox(caller.accountId, { id, now: deps.clock.now() })
  if (!isPurged) throw new ServiceError('inbox_not_found')
  // Open waits on it then end with 404.
  deps.announce([id])
}

/** Ids sort by creation, so that the last one of a page is the cursor of the next. */
function writeCursor(id: InboxId): string {
  return Buffer.from(id).toString('base64url')
}

function readCursor(cursor: string): string {
  const id = Buffer.from(cursor, 'base64url').toString()
  if (/^inb_[0-9a-z]{26}$/.test(id)) return id
  throw new ServiceError('invalid_parameter', {
    message: 'cursor: must be the nextCursor of an earlier page',
  })
}
