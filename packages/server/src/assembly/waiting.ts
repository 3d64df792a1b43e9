import type { AccountId, InboxId } from '@mayfly/contract'
import type { Config } from '../config/config.ts'
import { AnnouncedMessages } from '../features/waiting/announced-messages.ts'
import { endRevokedKeys } from '../features/waiting/key-sweep.ts'
import { Subscriptions } from '../features/waiting/subscriptions.ts'
import { ArrivalSweep } from '../features/waiting/sweep.ts'
import type { Log } from '../platform/log.ts'
import type { Signals } from '../signals/thread-signals.ts'
import type { Store } from '../store/open.ts'
import { runEvery } from './background.ts'
import type { EventParts } from './events.ts'
import { WatchedElsewhere } from './watched-elsewhere.ts'

/** All waits and streams that this node holds. */
export type HeldCalls = Pick<Subscriptions<string>, 'keys' | 'endKey' | 'close'>

/** What held waits are woken by. */
export type WaitingParts = {
  readonly subscriptions: Subscriptions<InboxId>
  readonly announced: AnnouncedMessages
  readonly held: HeldCalls
  /** Announces to every thread and node that something happened in these inboxes. */
  readonly announce: (inboxIds: readonly InboxId[]) => void
  stop(): Promise<void>
}

/** How often new mail is polled for, so that a lost announcement is harmless. */
const SWEEP_MS = 5_000

/** How often the keys of held waits and streams are checked. */
const KEY_SWEEP_MS = 500

/** Starts to wake the waits of this node when any thread or node announces new mail. */
export async function startWaiting(deps: {
  readonly store: Store
  readonly signals: Signals
  readonly log: Log
  readonly config: Pick<Config, 'MAYFLY_DATABASE_DIRECT_URL' | 'MAYFLY_DATABASE_URL'>
  /** Identifies this node in its announcements. */
  readonly signalsName: string
  readonly events: EventParts
  /** An inbox has its first wait or stream, or none any more. */
  readonly onWatched: (id: InboxId | AccountId, isWatched: boolean) => void
}): Promise<WaitingParts> {
  const { store, signals, log, events } = deps
  const elsewhere = new WatchedElsewhere({
    watch: deps.onWatched,
    topics: () => all.flatMap((some): (InboxId | AccountId)[] => some.topics()),
    send: (message) => nodes?.send(message),
  })
  const subscriptions = new Subscriptions<InboxId>({
    onWatched: (inboxId, isWatched) => {
      deps.onWatched(inboxId, isWatched)
      elsewhere.onWatched(inboxId, isWatched)
    },
  })
  const announced = new AnnouncedMessages()
  const sweep = new ArrivalSweep()
  const all = [subscriptions, events.accountSubscriptions]
  const held = heldCalls(all)
  const onMissed = () => {
    subscriptions.wake(subscriptions.topics())
    events.feeds.reset()
  }
  const url = deps.config.MAYFLY_DATABASE_DIRECT_URL ?? deps.config.MAYFLY_DATABASE_URL
  const nodes = url.startsWith('postgres')
    ? (await import('../signals/node-signals.ts')).openNodeSignals({
        url,
        node: deps.signalsName,
        onSignal: (inboxIds) => {
          subscriptions.wake(inboxIds)
          events.feeds.wake(inboxIds)
        },
        onMessage: (message) => {
          events.receive(message)
          elsewhere.receive(message)
        },
        onReconnect: onMissed,
        onLost: onMissed,
        onForeign: (count) => warnOfForeign(log, count),
        onError: (error) =>
          log.warn({ err: error }, 'LISTEN/NOTIFY failed; falling back to polling every 5 s'),
      })
    : null
  const stopListening = signals.listen((signal) => {
    const { inboxIds, dropped = [], messages = [] } = signal
    announced.add(messages)
    subscriptions.wake(inboxIds)
    events.feeds.wake(inboxIds)
    for (const of of dropped) events.publish({ ...of, about: 'messages', change: 'deleted' })
    nodes?.announce(inboxIds)
    if (signal.storesLater === true) elsewhere.storesLater()
    if (signal.wanted !== undefined) elsewhere.want(signal.wanted)
  })
  if (nodes !== null) events.connectNodes((message) => nodes.send(message))
  const sweeping = runEvery(SWEEP_MS, { name: 'polling for new mail', log }, () =>
    sweep.run({ store, subscriptions }),
  )
  const checking = runEvery(
    KEY_SWEEP_MS,
    { name: 'checking the API keys of open waits', log },
    () => endRevokedKeys({ store, subscriptions: held }),
  )
  return {
    subscriptions,
    announced,
    held,
    announce: (inboxIds) => signals.announce({ inboxIds, mailIds: [] }),
    stop: async () => {
      await sweeping.stop()
      await checking.stop()
      stopListening()
      await nodes?.close()
    },
  }
}

/** Warns at 1, 10, 100 and so on: whoever sends such notifications must not fill the log. */
function warnOfForeign(log: Log, count: number): void {
  if (!Number.isInteger(Math.log10(count))) return
  log.warn({ count }, 'notifications that are not from Mayfly were ignored')
}

function heldCalls(all: readonly HeldCalls[]): HeldCalls {
  return {
    keys: () => all.flatMap((some) => some.keys()),
    endKey: (key) => {
      for (const some of all) some.endKey(key)
    },
    close: () => {
      for (const some of all) some.close()
    },
  }
}
