import type { InboxId } from '@mayfly/contract'
import type { Config } from '../config/config.ts'
import { endRevokedKeys } from '../features/waiting/key-sweep.ts'
import { Subscriptions } from '../features/waiting/subscriptions.ts'
import { ArrivalSweep } from '../features/waiting/sweep.ts'
import { runEvery } from '../platform/background.ts'
import type { Clock } from '../platform/clock.ts'
import type { Log } from '../platform/log.ts'
import type { Signals } from '../signals/thread-signals.ts'
import type { Store } from '../store/open.ts'
import type { RunningEvents } from './events.ts'

/** All waits and streams of this node. */
type OpenCalls = Pick<Subscriptions<string>, 'keys' | 'endKey' | 'close'>

/** The signals that wake open waits. */
export type RunningWaits = {
  readonly subscriptions: Subscriptions<InboxId>
  readonly held: OpenCalls
  /** Announces to every thread and node that something happened in these inboxes. */
  readonly announce: (inboxIds: readonly InboxId[]) => void
  stop(): Promise<void>
}

/** How often new mail is polled for, so that a lost announcement is harmless. */
const SWEEP_MS = 5_000

/** How often the keys of open waits and streams are checked. */
const KEY_SWEEP_MS = 500

/** Starts to wake the waits of this node when any thread or node announces new mail. */
export async function startWaiting(deps: {
  readonly store: Store
  readonly signals: Signals
  readonly clock: Clock
  readonly log: Log
  readonly config: Pick<Config, 'MAYFLY_DATABASE_DIRECT_URL' | 'MAYFLY_DATABASE_URL'>
  /** Identifies this node in its announcements. */
  readonly signalsName: string
  readonly events: RunningEvents
  /** How often new mail is polled for. */
  readonly mailPollMs?: number | undefined
}): Promise<RunningWaits> {
  const { store, signals, log, events, mailPollMs = SWEEP_MS } = deps
  const subscriptions = new Subscriptions<InboxId>()
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
        onMessage: events.receive,
        onReconnect: onMissed,
        onLost: onMissed,
        onForeign: (count) => warnOfForeign(log, count),
        onError: (error) =>
          log.warn({ err: error }, 'LISTEN/NOTIFY failed; falling back to polling every 5 s'),
      })
    : null
  const stopListening = signals.listen((signal) => {
    if (signal.name !== 'mailsStored' && signal.name !== 'inboxesChanged') return
    const { inboxIds } = signal
    subscriptions.wake(inboxIds)
    events.feeds.wake(inboxIds)
    nodes?.announce(inboxIds)
    if (signal.name === 'inboxesChanged') return
    for (const of of signal.dropped) events.publish({ ...of, about: 'messages', change: 'deleted' })
  })
  if (nodes !== null) events.connectNodes((message) => nodes.send(message))
  const sweeping = runEvery(mailPollMs, { name: 'polling for new mail', log }, () =>
    sweep.run({ store, subscriptions }),
  )
  const checking = runEvery(
    KEY_SWEEP_MS,
    { name: 'checking the API keys of open waits', log },
    () => endRevokedKeys({ store, clock: deps.clock, subscriptions: held }),
  )
  return {
    subscriptions,
    held,
    announce: (inboxIds) => signals.announce({ name: 'inboxesChanged', inboxIds }),
    stop: async () => {
      await sweeping.stop()
      await checking.stop()
      stopListening()
      await nodes?.close()
    },
  }
}

/** Warns at 1, 10, 100 and so on: their sender must not fill the log. */
function warnOfForeign(log: Log, count: number): void {
  if (!Number.isInteger(Math.log10(count))) return
  log.warn({ count }, 'notifications that are not from Mayfly were ignored')
}

function heldCalls(all: readonly OpenCalls[]): OpenCalls {
  return {
    keys: () => all.flatMap((some) => some.keys()),
    endKey: (...ended) => {
      for (const some of all) some.endKey(...ended)
    },
    close: () => {
      for (const some of all) some.close()
    },
  }
}
