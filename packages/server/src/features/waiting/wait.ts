import type { AccountId, InboxId, MessageId, WaitDiagnostics } from '@mayfly/contract'
import { ServiceError } from '../../errors.ts'
import type { Tables } from '../../store/all-tables.ts'
import type { Caller } from '../accounts/authenticate.ts'
import type { AnnouncedMessages } from './announced-messages.ts'
import { findMatch, type Search, type SearchResult } from './find-match.ts'
import { lookUntil, type WaitBounds } from './look-until.ts'
import { isMatch, readsNames, type WaitFilter, type WaitQuery, waitQuery } from './match.ts'
import type { SingleFlight } from './single-flight.ts'
import type { Subscriptions } from './subscriptions.ts'

/** What finding a message needs. */
export type FindDeps = {
  readonly store: Tables
  readonly subscriptions: Subscriptions<InboxId>
  readonly singleFlight: SingleFlight
  /** Messages as they were announced. */
  readonly announced: Pick<AnnouncedMessages, 'listAfter' | 'find'>
  /** `findMatch` away from this thread, for queries that read what senders wrote. */
  readonly findMatch: (owner: AccountId, search: Search) => Promise<SearchResult>
  /** Counts the call among the held waits of the account until it is disposed of. */
  readonly hold: (
    accountId: AccountId,
    wait: {
      readonly inboxId: InboxId
      readonly for: 'message' | 'otp'
      readonly timeoutMs: number
    },
  ) => Disposable
  /** Resolves when mails of an inbox that are accepted now can be read; null when they can. */
  readonly caughtUp: (accountId: AccountId, inboxId: InboxId) => Promise<unknown> | null
}

/** What waiting needs. */
export type WaitDeps = FindDeps & {
  /** Counts towards the account's concurrent waits until it is disposed of. */
  readonly takeWaitSlot: (caller: Caller) => Promise<AsyncDisposable>
  /** Why no message matched. */
  readonly explain: (
    caller: Caller,
    inboxId: InboxId,
    filter: WaitFilter,
  ) => Promise<WaitDiagnostics>
}

/** What answering a wait needs. */
export type AnswerDeps = WaitDeps & {
  /** The body of the response for a message. */
  readonly present: (caller: Caller, inboxId: InboxId, id: MessageId) => Promise<Uint8Array>
  /** Somebody is given a mail whose sender was not checked yet. */
  readonly onLooked: (mail: { readonly mailId: string; readonly accountId: AccountId }) => void
}

/** A wait for a message. */
export type WaitRequest = WaitBounds & { readonly filter: WaitFilter }

/** Waits for a message that matches; throws `nothing_arrived` with the reasons. */
export async function waitForMessage(
  deps: WaitDeps,
  caller: Caller,
  request: WaitRequest,
): Promise<MessageId> {
  await using _slot = await deps.takeWaitSlot(caller)
  const found = await findWithin(deps, caller, request)
  if (found !== null) return found
  // A client that is gone does not read the reasons, which take several queries.
  if (request.gone.aborted) throw new ServiceError('nothing_arrived')
  const diagnostics = await deps.explain(caller, request.inboxId, request.filter)
  throw new ServiceError('nothing_arrived', { beside: { diagnostics } })
}

/** The same; returns the body of the response. Waits that are woken together share it. */
export async function answerWait(
  deps: AnswerDeps,
  caller: Caller,
  request: WaitRequest,
): Promise<Uint8Array> {
  const { inboxId } = request
  const id = await waitForMessage(deps, caller, request)
  const announced = deps.announced.find(caller.accountId, id)
  if (announced !== null && announced.body !== null) {
    deps.onLooked(announced)
    return announced.body
  }
  const key = `${caller.accountId} ${inboxId} ${id}`
  return deps.singleFlight.run(key, () => deps.present(caller, inboxId, id))
}

/**
 * The newest message that matches, as soon as there is one; null when the time is up.
 *
 * Not async itself: a second promise for each held wait would take memory.
 */
export function findWithin(
  deps: FindDeps,
  caller: Caller,
  request: WaitRequest,
): Promise<MessageId | null> {
  const { inboxId } = request
  const query = waitQuery(request.filter)
  let lookedUpTo = query.afterSequence
  let isFirst = true
  const { timeoutMs } = request
  const hold = () => deps.hold(caller.accountId, { inboxId, for: query.for, timeoutMs })
  const caughtUp = () => deps.caughtUp(caller.accountId, inboxId)
  const held = { subscriptions: deps.subscriptions, key: caller, hold, caughtUp }
  return lookUntil(held, request, async (wakeNumber) => {
    const search = { inboxId, query, after: lookedUpTo }
    const findNext = () => findNewest(deps, caller, search)
    // Only a wait that is woken has others to share with, and needs the text of its query.
    const keyOf = () =>
      `${wakeNumber} ${lookedUpTo} ${caller.accountId} ${inboxId} ${JSON.stringify(query)}`
    // The first look tells whether the caller has such an inbox.
    const look = isFirst
      ? await findNext()
      : (findAnnounced(deps, caller, search) ?? (await deps.singleFlight.run(keyOf(), findNext)))
    isFirst = false
    lookedUpTo = look.lookedUpTo
    return look.found
  })
}

/** A search among the messages of an inbox with numbers above `after`. */
type NewestSearch = {
  readonly inboxId: InboxId
  readonly query: WaitQuery
  readonly after: number
}

/** What a wait has found, and the number of the last message that it knows of. */
type Look = { readonly found: MessageId | null; readonly lookedUpTo: number }

/** The newest message that matches. */
async function findNewest(
  deps: Pick<FindDeps, 'store' | 'findMatch'>,
  caller: Caller,
  search: NewestSearch,
): Promise<Look> {
  const newest = await deps.store.inboxes.lastSequence(caller.accountId, search.inboxId)
  if (newest === null) throw new ServiceError('inbox_not_found')
  const find = readsNames(search.query)
    ? deps.findMatch
    : (owner: AccountId, next: Search) => findMatch(deps, owner, next)
  let before: number | null = newest + 1
  while (before !== null && before > search.after + 1) {
    const result: SearchResult = await find(caller.accountId, { ...search, before })
    if (result.found !== null) return { found: result.found, lookedUpTo: newest }
    before = result.before
  }
  return { found: null, lookedUpTo: newest }
}

/** The same among the messages that were just announced; null when there may be others. */
function findAnnounced(
  { announced }: Pick<FindDeps, 'announced'>,
  { accountId }: Caller,
  { inboxId, query, after }: NewestSearch,
): Look | null {
  const messages = readsNames(query) ? null : announced.listAfter(accountId, inboxId, after)
  const newest = messages?.[0]
  if (messages === null || newest === undefined) return null
  const found = messages.find((message) => isMatch(query, message))
  return { found: found?.id ?? null, lookedUpTo: newest.sequence }
}
