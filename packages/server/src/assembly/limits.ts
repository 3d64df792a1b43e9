import {
  LeasedWaitSlots,
  RENEW_WAIT_SLOTS_MS,
  type SLOT_NUMBERS,
} from '../features/limits/leased-wait-slots.ts'
import { MemoryWindows } from '../features/limits/memory-windows.ts'
import { RateLimiter } from '../features/limits/rate-limiter.ts'
import { RequestCounter } from '../features/limits/usage.ts'
import { MemoryWaitSlots, type WaitSlotHolder } from '../features/limits/wait-slots.ts'
import type { Clock } from '../platform/clock.ts'
import type { Ids } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import type { Store } from '../store/open.ts'
import { type Background, runEvery } from './background.ts'

/** What counts and limits requests on this node. */
export type LimitParts = {
  readonly requestCounter: RequestCounter
  readonly rateLimiter: RateLimiter
  readonly waitSlots: WaitSlotHolder
  readonly streamSlots: WaitSlotHolder
  readonly linkSlots: WaitSlotHolder
  /** Writes what is counted; to be called after the last request. */
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
}): LimitParts {
  const { store, clock, log } = deps
  const requestCounter = new RequestCounter(clock)
  const rateLimiter = new RateLimiter(
    clock,
    store.isShared ? store.rateWindows : new MemoryWindows(),
  )
  const { renewing, ...slots } = startSlots(deps)
  const flushing = runEvery(FLUSH_MS, { name: 'writing usage', log }, () =>
    requestCounter.flush(store),
  )
  const about = { name: 'cleanup of ended rate-limit windows and wait slots', log }
  const cleaning = runEvery(CLEANUP_MS, about, async () => {
    await rateLimiter.deleteEnded()
    if (store.isShared) await store.waitSlots.deleteEnded(clock.now())
  })
  return {
    requestCounter,
    rateLimiter,
    ...slots,
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

type Slots = Pick<LimitParts, 'waitSlots' | 'streamSlots' | 'linkSlots'>

function startSlots(deps: Parameters<typeof startLimits>[0]): Slots & {
  renewing: readonly Background[]
} {
  const { store, clock, ids, log } = deps
  if (!store.isShared) {
    return {
      waitSlots: new MemoryWaitSlots(),
      streamSlots: new MemoryWaitSlots(),
      linkSlots: new MemoryWaitSlots(),
      renewing: [],
    }
  }
  const node = ids.node()
  const onReleaseFailed = (error: unknown) => {
    log.warn({ err: error }, 'a slot could not be released; its lease expires within 60 s')
  }
  const create = (kind: keyof typeof SLOT_NUMBERS) =>
    new LeasedWaitSlots({ store, clock, kind, node, onReleaseFailed })
  const slots = {
    waitSlots: create('waits'),
    streamSlots: create('streams'),
    linkSlots: create('links'),
  }
  const about = { name: 'renewing the leases of slots', log }
  const renewing = runEvery(RENEW_WAIT_SLOTS_MS, about, async () => {
    for (const holder of Object.values(slots)) await holder.renew()
  })
  return { ...slots, renewing: [renewing] }
}
