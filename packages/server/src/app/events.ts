import type { AccountId, EventId } from '@mayfly/contract'
import { AccountFeeds } from '../features/events/feeds.ts'
import { signalsOfDeliveries, signalsOfMails } from '../features/events/found-signals.ts'
import { NodeEventRelay } from '../features/events/node-event-relay.ts'
import type { AccountSignal, NodeMessage } from '../features/events/signal.ts'
import { OpenWaits } from '../features/waiting/open-waits.ts'
import { Subscriptions } from '../features/waiting/subscriptions.ts'
import type { FindDeps } from '../features/waiting/wait.ts'
import { runEvery } from '../platform/background.ts'
import type { Clock } from '../platform/clock.ts'
import type { Ids } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import type { Store } from '../store/open.ts'

/** The sources of the event streams of accounts. */
export type RunningEvents = {
  readonly feeds: AccountFeeds
  /** Handles a message of another node. */
  readonly receive: (message: unknown) => void
  readonly accountSubscriptions: Subscriptions<AccountId>
  readonly registerWait: FindDeps['registerWait']
  /** Sends a change in an account to its streams. */
  readonly publish: (signal: AccountSignal) => void
  /** The same for the messages of mails whose sender or attachments were checked. */
  readonly publishMails: (mailIds: readonly string[]) => void
  /** The same for deliveries after an attempt. */
  readonly publishDeliveries: (ids: readonly EventId[]) => void
  /** From now on, sends the signals that other nodes requested. */
  readonly connectNodes: (send: (message: NodeMessage) => void) => void
  stop(): Promise<void>
}

/** How often expired inboxes and lost waits are searched for. */
const TICK_MS = 1_000

/** Starts to feed the streams of this node. */
export function startEvents(deps: {
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
}): RunningEvents {
  const { store, clock, ids, log } = deps
  const onError = (error: unknown) =>
    log.warn({ err: error }, 'following the changes of an account failed; trying again')
  const accountSubscriptions = new Subscriptions<AccountId>()
  let send: (message: NodeMessage) => void = () => {}
  const openWaits = new OpenWaits({
    node: ids.mark(),
    onChange: (accountId, change, wait) => publish({ accountId, about: 'wait', change, wait }),
  })
  const listWaits = (accountId: AccountId) => openWaits.list(accountId)
  const feeds = new AccountFeeds({
    store,
    clock,
    subscriptions: accountSubscriptions,
    newFeedId: () => ids.inCell(ids.mark()),
    newStageId: () => ids.next('diagnostic'),
    openWaits: listWaits,
    onWatched: (accountId) => relay.watch(accountId),
    onError,
  })
  const relay = new NodeEventRelay({
    feeds,
    clock,
    openWaits: listWaits,
    send: (message) => send(message),
  })
  const publish = (signal: AccountSignal) => relay.publish(signal)
  /** Without an open stream the query is skipped. */
  const publishFound = (find: () => Promise<readonly AccountSignal[]>) => {
    if (feeds.isEmpty && !relay.isWatched) return
    find().then((signals) => signals.forEach(publish), onError)
  }
  const ticking = runEvery(TICK_MS, { name: 'following accounts', log }, () => feeds.tick())
  return {
    feeds,
    receive: (message) => relay.receive(message),
    accountSubscriptions,
    registerWait: (accountId, { inboxId, for: what, timeoutMs }) =>
      openWaits.register(accountId, { inboxId, for: what, until: clock.now() + timeoutMs }),
    publish,
    publishMails: (mailIds) => publishFound(() => signalsOfMails(store, mailIds)),
    publishDeliveries: (ids) => publishFound(() => signalsOfDeliveries(store, ids)),
    connectNodes: (sendToNodes) => {
      send = sendToNodes
    },
    stop: async () => {
      await ticking.stop()
      await feeds.stop()
    },
  }
}
