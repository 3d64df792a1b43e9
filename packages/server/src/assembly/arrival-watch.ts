import type { InboxId } from '@mayfly/contract'
import { Arrivals } from '../features/waiting/arrivals.ts'
import { ArrivalSweep } from '../features/waiting/sweep.ts'
import type { Log } from '../platform/log.ts'
import type { Signals } from '../signals/thread-signals.ts'
import type { Store } from '../store/open.ts'

/** Wakes the waits of this node when another thread or node announces new mail. */
export type ArrivalWatch = {
  readonly arrivals: Arrivals
  /** Tells every thread and node that something happened in these inboxes. */
  readonly announce: (inboxIds: readonly InboxId[]) => void
  /** When a client last connected to the SMTP port. */
  readonly lastConnectionAt: () => number | null
  stop(): Promise<void>
}

/** What the watch works with. */
export type ArrivalWatchDeps = {
  readonly store: Store
  readonly signals: Signals
  readonly log: Log
  readonly databaseUrl: string
  /** Names this node in what it announces. */
  readonly signalsName: string
}

/** How often new mail is polled for, so that a lost announcement is harmless. */
const SWEEP_MS = 5_000

/** Starts to listen. */
export async function watchArrivals(deps: ArrivalWatchDeps): Promise<ArrivalWatch> {
  const { store, signals, log } = deps
  const arrivals = new Arrivals()
  const sweep = new ArrivalSweep()
  let lastConnectionAt: number | null = null
  const nodes = deps.databaseUrl.startsWith('postgres')
    ? (await import('../signals/node-signals.ts')).openNodeSignals({
        url: deps.databaseUrl,
        node: deps.signalsName,
        onSignal: (inboxIds) => arrivals.wake(inboxIds),
        onReconnect: () => arrivals.wake(arrivals.awaited()),
        onError: (error) =>
          log.warn({ err: error }, 'LISTEN/NOTIFY failed; falling back to polling every 5 s'),
      })
    : null
  const stopListening = signals.listen(({ inboxIds, connectedAt }) => {
    arrivals.wake(inboxIds)
    nodes?.tell(inboxIds)
    lastConnectionAt = connectedAt ?? lastConnectionAt
  })
  const sweeping = setInterval(() => {
    sweep.run({ store, arrivals }).catch((error: unknown) => {
      log.warn({ err: error }, 'polling for new mail failed; trying again')
    })
  }, SWEEP_MS)
  return {
    arrivals,
    announce: (inboxIds) => signals.announce({ inboxIds, mailIds: [] }),
    lastConnectionAt: () => lastConnectionAt,
    stop: async () => {
      clearInterval(sweeping)
      stopListening()
      await nodes?.close()
    },
  }
}
