import type { AccountId, HeldWait, InboxId } from '@mayfly/contract'
import type { Clock } from '../../platform/clock.ts'
import type { Tables } from '../../store/all-tables.ts'
import type { Caller } from '../accounts/authenticate.ts'
import { requireInbox } from '../rules/not-found.ts'
import type { Subscription, Subscriptions } from '../waiting/subscriptions.ts'
import type { AccountFeed, FeedEvent } from './account-feed.ts'
import type { AccountFeeds } from './feeds.ts'
import type { MessageChange } from './signal.ts'

export type AccountStreamDeps = {
  readonly store: Tables
  readonly clock: Clock
  readonly feeds: AccountFeeds
  readonly accountSubscriptions: Subscriptions<AccountId>
  /** Counts towards the account's concurrent waits until it is disposed of. */
  readonly takeStreamSlot: (caller: Caller) => Promise<AsyncDisposable>
}

/** A stream of the events of an account. */
export type AccountStreamRequest = {
  /** The inbox whose events are sent; null for all of the account. */
  readonly inboxId: InboxId | null
  readonly lastEventId: string | null
  /** Fires when the client is gone. */
  readonly gone: AbortSignal
}

/** One event of a stream; a stream can be resumed after its `id`. */
export type SentEvent = {
  readonly id: string
  readonly event: string
  readonly json: string
  /** What changed in messages: known here only. */
  readonly change?: MessageChange | null
}

/** Opens the stream of the events of the caller's account, or of one of its inboxes. */
export async function openAccountStream(
  deps: AccountStreamDeps,
  caller: Caller,
  request: AccountStreamRequest,
): Promise<AsyncGenerator<SentEvent>> {
  await using opened = new AsyncDisposableStack()
  opened.use(await deps.takeStreamSlot(caller))
  const subscription = deps.accountSubscriptions.subscribe(caller.accountId, caller)
  opened.defer(() => subscription.close())
  const feed = await deps.feeds.open(caller.accountId)
  opened.defer(() => deps.feeds.close(feed))
  subscription.throwIfEnded()
  // Read here: a generator starts with its first `next`, and events may come before.
  const newest = feed.newest
  if (request.inboxId !== null) await requireInbox(deps, caller, request.inboxId)
  return follow({ request, feed, newest, subscription, resources: opened.move() })
}

async function* follow(from: {
  readonly request: AccountStreamRequest
  readonly feed: AccountFeed
  /** The newest event when the stream was opened. */
  readonly newest: number
  readonly subscription: Subscription
  /** The resources that the stream releases when it ends. */
  readonly resources: AsyncDisposable
}): AsyncGenerator<SentEvent> {
  const { request, feed, subscription } = from
  const isSent = ({ inboxId }: Pick<FeedEvent, 'inboxId'>) =>
    request.inboxId === null || inboxId === null || inboxId === request.inboxId
  await using _resources = from.resources
  const { lastEventId } = request
  let position = lastEventId === null ? null : resumePosition(feed, lastEventId)
  if (position === null) {
    position = from.newest
    if (lastEventId !== null) yield resetEvent(feed, position, 'not_resumable')
    yield* openWaits(feed, position, isSent)
  }
  while (!request.gone.aborted) {
    const events = feed.after(position)
    if (events === null) {
      position = feed.newest
      yield resetEvent(feed, position, 'too_slow')
      yield* openWaits(feed, position, isSent)
      continue
    }
    for (const event of events) {
      subscription.throwIfEnded()
      position = event.number
      if (!isSent(event)) continue
      const { number, type, json, change } = event
      yield { id: idOf(feed, number), event: type, json, change }
      // The stream ends with its inbox.
      if (request.inboxId !== null && event.type === 'inbox.deleted') return
    }
    if (events.length === 0) await subscription.next(request.gone)
  }
}

const idOf = (feed: AccountFeed, number: number) => `${feed.id}-${number}`

/** The number of the event with this id; null when it cannot be resumed after. */
function resumePosition(feed: AccountFeed, id: string): number | null {
  const [, feedId, digits] = /^(\w{1,64})-(\d{1,15})$/.exec(id) ?? []
  const number = Number(digits)
  return feedId === feed.id && feed.after(number) !== null ? number : null
}

function resetEvent(feed: AccountFeed, number: number, reason: string): SentEvent {
  return { id: idOf(feed, number), event: 'reset', json: JSON.stringify({ reason }) }
}

/** The open waits, as events. */
function* openWaits(
  feed: AccountFeed,
  number: number,
  isSent: (wait: HeldWait) => boolean,
): Generator<SentEvent> {
  const waits: readonly HeldWait[] = [...feed.waits.values()].filter(isSent)
  for (const wait of waits) {
    yield { id: idOf(feed, number), event: 'wait.started', json: JSON.stringify({ wait }) }
  }
}
