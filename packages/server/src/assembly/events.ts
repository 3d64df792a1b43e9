import type { AccountId, EventId } from '@mayfly/contract'
import { EventExchange } from '../features/events/exchange.ts'
import { AccountFeeds } from '../features/events/feeds.ts'
import type { AccountSignal, NodeMessage } from '../features/events/signal.ts'
import { HeldWaits } from '../features/waiting/held-waits.ts'
import { Subscriptions } from '../features/waiting/subscriptions.ts'
import type { FindDeps } from '../features/waiting/wait.ts'
import type { Clock } from '../platform/clock.ts'
import type { Ids } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import type { Store } from '../store/open.ts'
import { runEvery } from './background.ts'

/** What the event streams of accounts are fed by. */
export type EventParts = {
  readonly feeds: AccountFeeds
  /** Takes a message of another node. */
  readonly receive: (message: unknown) => void
  readonly accountSubscriptions: Subscriptions<AccountId>
  readonly hold: FindDeps['hold']
  /** Tells the streams of an account what changed in it. */
  readonly publish: (signal: AccountSignal) => void
  /** The same for the messages of mails whose sender or attachments were checked. */
  readonly publishMails: (mailIds: readonly string[]) => void
  /** The same for deliveries after an attempt. */
  readonly publishDeliveries: (ids: readonly EventId[]) => void
  /** Sends what other nodes have asked for from now on. */
  readonly connectNodes: (send: (message: NodeMessage) => void) => void
  stop(): Promise<void>
}

/** How often expired inboxes and lost waits are looked for. */
const TICK_MS = 1_000

/** Starts to feed the streams of this node. */
export function startEvents(deps: {
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  /** An account has its first stream, or none any more. */
  readonly onWatched: (accountId: AccountId, isWatched: boolean) => void
}): EventParts {
  const { store, clock, ids, log } = deps
  const onError = (error: unknown) =>
    log.warn({ err: error }, 'following the changes of an account failed; trying again')
  const accountSubscriptions = new Subscriptions<AccountId>(deps)
  let send: (message: NodeMessage) => void = () => {}
  const heldWaits = new HeldWaits({
    node: ids.mark(),
    onChange: (accountId, change, wait) => publish({ accountId, about: 'wait', change, wait }),
  })
  const listHeld = (accountId: AccountId) => heldWaits.list(accountId)
  const feeds = new AccountFeeds({
    store,
    clock,
    subscriptions: accountSubscriptions,
    newFeedId: () => ids.mark(),
    newStageId: () => ids.next('diagnostic'),
    heldWaits: listHeld,
    onWatched: (accountId) => exchange.watch(accountId),
    onError,
  })
  const exchange = new EventExchange({
    feeds,
    clock,
    heldWaits: listHeld,
    send: (message) => send(message),
  })
  const publish = (signal: AccountSignal) => exchange.publish(signal)
  /** Not looked up while nobody has a stream: there are many of them, and few streams. */
  const publishFound = (find: () => Promise<readonly AccountSignal[]>) => {
    if (feeds.isEmpty && !exchange.isWatched) return
    find().then((signals) => signals.forEach(publish), onError)
  }
  const ticking = runEvery(TICK_MS, { name: 'following accounts', log }, () => feeds.tick())
  return {
    feeds,
    receive: (message) => exchange.receive(message),
    accountSubscriptions,
    hold: (accountId, { inboxId, for: what, timeoutMs }) =>
      heldWaits.hold(accountId, { inboxId, for: what, until: clock.now() + timeoutMs }),
    publish,
    publishMails: (mailIds) =>
      publishFound(async () => {
        const messages = await store.messages.listOfMails(mailIds)
        return messages.map(({ messageId, ...of }) => ({
          ...of,
          about: 'messages',
          change: 'updated',
          messageIds: [messageId],
        }))
      }),
    publishDeliveries: (deliveryIds) =>
      publishFound(async () => {
        const owners = await store.deliveries.listOwners(deliveryIds)
        return owners.map((owner) => ({ ...owner, about: 'delivery' }))
      }),
    connectNodes: (sendToNodes) => {
      send = sendToNodes
    },
    stop: async () => {
      await ticking.stop()
      await feeds.stop()
    },
  }
}
