import type { AccountId, InboxId, MessageId, WaitDiagnostics } from '@mayfly/contract'
import { ServiceError } from '../../errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Tables } from '../../store/all-tables.ts'
import type { Caller } from '../accounts/authenticate.ts'
import type { MessageRef } from '../messages/message-ref.ts'
import type { BodyRequest } from '../messages/present.ts'
import { findMatch, type Search, type SearchResult } from './find-match.ts'
import { readsChanges, readsNames, type WaitFilter, type WaitQuery, waitQuery } from './match.ts'
import { pollUntil, type WaitBounds } from './poll-until.ts'
import type { SingleFlight } from './single-flight.ts'
import type { Subscriptions } from './subscriptions.ts'

export type FindDeps = {
  readonly store: Tables
  readonly clock: Clock
  readonly subscriptions: Subscriptions<InboxId>
  readonly singleFlight: SingleFlight
  /** Runs in another thread: these queries read text of senders. */
  readonly content: {
    readonly findMatch: (owner: AccountId, search: Search) => Promise<SearchResult>
  }
  /** Counts the call among the open waits of the account until it is disposed of. */
  readonly registerWait: (
    accountId: AccountId,
    wait: {
      readonly inboxId: InboxId
      readonly for: 'message' | 'otp'
      readonly timeoutMs: number
    },
  ) => Disposable
}

export type WaitDeps = FindDeps & {
  /** Counts towards the account's concurrent waits until it is disposed of. */
  readonly takeWaitSlot: (caller: Caller) => Promise<AsyncDisposable>
  /** Why no message matched. */
  readonly explainWait: (
    caller: Caller,
    wait: { readonly inboxId: InboxId; readonly filter: WaitFilter },
  ) => Promise<WaitDiagnostics>
}

export type ResponseDeps = WaitDeps & {
  readonly elapsedMs: () => number
  /** The body of the response for a message. */
  readonly writeMessage: (
    caller: Caller,
    request: MessageRef & Pick<BodyRequest, 'remoteImages' | 'of' | 'otpFormat'>,
  ) => Promise<Uint8Array>
  /** Longest time for that. */
  readonly presentMsMax?: number
}

/** Longest time for reading the message, of 15 s that an idle connection has after a long wait. */
const PRESENT_MS_MAX = 10_000

const LATE = {
  message: 'The mail has arrived, but was not read in time: the service is busy. Wait again.',
  retryAfterSeconds: 2,
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
  // Awaited here: the slot is free when this function returns.
  return await findOrExplain(deps, caller, request)
}

async function findOrExplain(
  deps: WaitDeps,
  caller: Caller,
  request: WaitRequest,
): Promise<MessageId> {
  const found = await findWithin(deps, caller, request)
  if (found !== null) return found
  // Not for a client that has disconnected: the reasons take several queries.
  if (request.gone.aborted) throw new ServiceError('nothing_arrived')
  const diagnostics = await deps.explainWait(caller, request)
  throw new ServiceError('nothing_arrived', { fields: { diagnostics } })
}

/**
 * The same; returns the body of the response. Waits that are woken together share it. A message
 * that is deleted before it is read was not found: the wait continues.
 */
export async function respondToWait(
  deps: ResponseDeps,
  caller: Caller,
  request: WaitRequest,
): Promise<Uint8Array> {
  const { inboxId } = request
  const until = deps.elapsedMs() + request.timeoutMs
  await using _slot = await deps.takeWaitSlot(caller)
  for (;;) {
    const timeoutMs = Math.max(0, until - deps.elapsedMs())
    const messageId = await findOrExplain(deps, caller, { ...request, timeoutMs })
    const { otpFormat } = request.filter
    const key = `${caller.accountId} ${inboxId} ${messageId} ${otpFormat ?? ''}`
    const found = { inboxId, messageId, otpFormat, remoteImages: 'block', of: 'wait' } as const
    try {
      return await withinPatience(
        deps.singleFlight.run(key, () => deps.writeMessage(caller, found)),
        deps.presentMsMax,
      )
    } catch (error) {
      if (!isDeletedMessage(error)) throw error
    }
  }
}

/** Rejects when the result takes longer: the connection would be closed without a response. */
async function withinPatience<T>(result: Promise<T>, msMax = PRESENT_MS_MAX): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new ServiceError('content_unavailable', LATE)), msMax)
  try {
    return await Promise.race([result, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Whether a message could not be read because it was deleted, and its inbox was not. */
function isDeletedMessage(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'message_not_found'
}

/**
 * The newest message that matches, as soon as there is one; null when the time is up.
 *
 * Not async itself: a second promise for each open wait would take memory.
 */
export function findWithin(
  deps: FindDeps,
  caller: Caller,
  request: WaitRequest,
): Promise<MessageId | null> {
  const { inboxId } = request
  let query = waitQuery(request.filter)
  const readsAgain = readsChanges(query)
  let readUpTo = query.afterSequence
  let isFirst = true
  const { timeoutMs } = request
  const register = () => deps.registerWait(caller.accountId, { inboxId, for: query.for, timeoutMs })
  return pollUntil(deps, { ...request, key: caller, register }, async (wakeNumber, end) => {
    const search = { inboxId, query, after: readUpTo }
    const findNext = () => findNewest(deps, caller, search)
    // Only a wait that is woken has others to share with, and needs the text of its query.
    const keyOf = () =>
      `${wakeNumber} ${readUpTo} ${caller.accountId} ${inboxId} ${JSON.stringify(query)}`
    // The first query checks that the caller has such an inbox.
    const progress = await (isFirst ? findNext() : deps.singleFlight.run(keyOf(), findNext))
    isFirst = false
    // A watermark of messages that a restored backup does not have: what arrives now is after it.
    if (query.afterSequence > progress.readUpTo) {
      query = { ...query, afterSequence: progress.readUpTo }
    }
    readUpTo = readsAgain ? query.afterSequence : progress.readUpTo
    if (!progress.acceptsMail) end()
    return progress.found
  })
}

/** A search among the messages of an inbox with numbers above `after`. */
type NewestSearch = {
  readonly inboxId: InboxId
  readonly query: WaitQuery
  readonly after: number
}

/** The result of a wait, and the number of the last message that it has read. */
type Progress = {
  readonly found: MessageId | null
  readonly readUpTo: number
  /** False when the inbox has expired or is suspended. */
  readonly acceptsMail: boolean
}

/** The newest message that matches. */
async function findNewest(
  deps: Pick<FindDeps, 'store' | 'clock' | 'content'>,
  caller: Caller,
  search: NewestSearch,
): Promise<Progress> {
  const { accountId } = caller
  const inbox = await deps.store.inboxes.findProgress(accountId, search.inboxId, deps.clock.now())
  if (inbox === null) throw new ServiceError('inbox_not_found')
  const { lastSequence: readUpTo, state } = inbox
  const acceptsMail = state === 'active'
  const find = readsNames(search.query)
    ? deps.content.findMatch
    : (owner: AccountId, next: Search) => findMatch({ ...deps, findCode: null }, owner, next)
  let before: number | null = readUpTo + 1
  while (before !== null && before > search.after + 1) {
    const result: SearchResult = await find(accountId, { ...search, before })
    if (result.found !== null) return { found: result.found, readUpTo, acceptsMail }
    before = result.before
  }
  return { found: null, readUpTo, acceptsMail }
}
