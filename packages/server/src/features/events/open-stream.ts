import type { AccountId, HeldWait } from '@mayfly/contract'
import type { Caller } from '../accounts/authenticate.ts'
import type { Subscription, Subscriptions } from '../waiting/subscriptions.ts'
import type { AccountFeed } from './account-feed.ts'
import type { AccountFeeds } from './feeds.ts'

/** What streaming an account's events needs. */
export type AccountStreamDeps = {
  readonly feeds: AccountFeeds
  readonly accountSubscriptions: Subscriptions<AccountId>
  /** Counts towards the account's concurrent waits until it is disposed of. */
  readonly takeStreamSlot: (caller: Caller) => Promise<AsyncDisposable>
}

/** A stream of what happens in an account. */
export type AccountStreamRequest = {
  readonly lastEventId: string | null
  /** Fires when the client is gone. */
  readonly gone: AbortSignal
}

/** One event of a stream; a stream can be resumed after its `id`. */
export type SentEvent = { readonly id: string; readonly event: string; readonly json: string }

/** Opens the stream of what happens in the caller's account. */
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
  // Read here: a generator begins only when it is first asked, and events may come before.
  const newest = feed.newest
  return follow({ request, feed, newest, subscription, held: opened.move() })
}

async function* follow(from: {
  readonly request: AccountStreamRequest
  readonly feed: AccountFeed
  /** The newest event when the stream was opened. */
  readonly newest: number
  readonly subscription: Subscription
  /** What the stream gives back when it ends. */
  readonly held: AsyncDisposable
}): AsyncGenerator<SentEvent> {
  const { request, feed, subscription } = from
  await using _held = from.held
  const { lastEventId } = request
  let position = lastEventId === null ? null : resumePosition(feed, lastEventId)
  if (position === null) {
    position = from.newest
    if (lastEventId !== null) yield resetEvent(feed, position, 'not_resumable')
    yield* heldWaits(feed, position)
  }
  while (!request.gone.aborted) {
    const events = feed.after(position)
    if (events === null) {
      position = feed.newest
      yield resetEvent(feed, position, 'too_slow')
      yield* heldWaits(feed, position)
      continue
    }
    for (const { number, type, json } of events) {
      subscription.throwIfEnded()
      position = number
      yield { id: idOf(feed, number), event: type, json }
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

/** The waits that are held now, as events. */
function* heldWaits(feed: AccountFeed, number: number): Generator<SentEvent> {
  const waits: readonly HeldWait[] = [...feed.waits.values()]
  for (const wait of waits) {
    yield { id: idOf(feed, number), event: 'wait.started', json: JSON.stringify({ wait }) }
  }
}
