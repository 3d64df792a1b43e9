import { LeasedSlots, RENEW_SLOTS_MS } from '../features/limits/leased-slots.ts'
import { MemoryWindows, type WindowCounter } from '../features/limits/memory-windows.ts'
import { MemorySlots, type SlotHolder } from '../features/limits/slots.ts'
import { RequestCounter } from '../features/limits/usage.ts'
import { type Background, runEvery } from '../platform/background.ts'
import type { Clock } from '../platform/clock.ts'
import type { Ids } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import type { Store } from '../store/open.ts'

/** The counters and limits of requests on this node. */
export type RunningLimits = {
  readonly requestCounter: RequestCounter
  readonly rateWindows: WindowCounter
  readonly slots: SlotHolder
  /** Writes the counts; to be called after the last request. */
  stop(): Promise<void>
}

/** How often counted requests are written. */
const FLUSH_MS = 1_000

/** How often ended windows and expired leases are deleted. */
const CLEANUP_MS = 60_000

/** Starts counting: in memory on one node, in the store on several. */
export function startLimits(deps: {
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
}): RunningLimits {
  const { store, clock, log } = deps
  const requestCounter = new RequestCounter(clock)
  const rateWindows = store.isShared ? store.rateWindows : new MemoryWindows()
  const { slots, renewing } = startSlots(deps)
  const flushing = runEvery(FLUSH_MS, { name: 'writing usage', log }, () =>
    requestCounter.flush(store),
  )
  const about = { name: 'cleanup of ended rate-limit windows and slots', log }
  const cleaning = runEvery(CLEANUP_MS, about, async () => {
    await rateWindows.deleteEnded(clock.now())
    if (store.isShared) await store.slots.deleteEnded(clock.now())
  })
  return {
    requestCounter,
    rateWindows,
    slots,
    stop: async () => {
      for (const background of [...renewing, cleaning, flushing]) await background.stop()
      await requestCounter.flush(store).catch((error: unknown) => {
        log.error(
          { err: error },
          'writing usage failed during shutdown; the counts of the last second are lost',
        )
      })
    },
  }
}

function startSlots({ store, clock, ids, log }: Parameters<typeof startLimits>[0]): {
  readonly slots: SlotHolder
  readonly renewing: readonly Background[]
} {
  if (!store.isShared) return { slots: new MemorySlots(), renewing: [] }
  const onReleaseFailed = (error: unknown) => {
    log.warn({ err: error }, 'a slot could not be released; its lease expires within 60 s')
  }
  const slots = new LeasedSlots({ store, clock, node: ids.node(), onReleaseFailed })
  const about = { name: 'renewing the leases of slots', log }
  return { slots, renewing: [runEvery(RENEW_SLOTS_MS, about, () => slots.renew())] }
}
