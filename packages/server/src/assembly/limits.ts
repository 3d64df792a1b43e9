import { LeasedWaitSlots, RENEW_WAIT_SLOTS_MS } from '../features/limits/leased-wait-slots.ts'
import { MemoryWindows } from '../features/limits/memory-windows.ts'
import { RateLimiter } from '../features/limits/rate-limiter.ts'
import { RequestCounter } from '../features/limits/usage.ts'
import { MemoryWaitSlots, type WaitSlotHolder } from '../features/limits/wait-slots.ts'
import type { Clock } from '../platform/clock.ts'
import type { Ids } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import type { Store } from '../store/open.ts'
import { type Background, runEvery } from './background.ts'

/** What counts and limits on this node. */
export type LimitParts = {
  readonly requestCounter: RequestCounter
  readonly rateLimiter: RateLimiter
  readonly waitSlots: WaitSlotHolder
  /** Writes what is counted and stops; after the last request. */
  stop(): Promise<void>
}

/** How often counted requests are written. */
const FLUSH_MS = 1_000

/** How often windows and leases that are over are forgotten. */
const FORGET_MS = 60_000

/** Starts what counts and limits: in memory on one node, in the store on several. */
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
  const { waitSlots, renewing } = startWaitSlots(deps)
  const flushing = runEvery(FLUSH_MS, { name: 'writing usage', log }, () =>
    requestCounter.flush(store),
  )
  const forgetting = runEvery(FORGET_MS, { name: 'forgetting what is over', log }, async () => {
    await rateLimiter.forgetEnded()
    if (store.isShared) await store.waitSlots.forgetEnded(clock.now())
  })
  return {
    requestCounter,
    rateLimiter,
    waitSlots,
    stop: async () => {
      for (const background of [...renewing, forgetting, flushing]) await background.stop()
      await requestCounter.flush(store).catch((error: unknown) => {
        log.error({ err: error }, 'the usage of the last second is lost')
      })
    },
  }
}

function startWaitSlots(deps: Parameters<typeof startLimits>[0]): {
  waitSlots: WaitSlotHolder
  renewing: readonly Background[]
} {
  const { store, clock, ids, log } = deps
  if (!store.isShared) return { waitSlots: new MemoryWaitSlots(), renewing: [] }
  const waitSlots = new LeasedWaitSlots({
    store,
    clock,
    node: ids.node(),
    onReleaseFailed: (error) => {
      log.warn({ err: error }, 'the place of a wait could not be given back; its lease will end')
    },
  })
  const renewing = runEvery(RENEW_WAIT_SLOTS_MS, { name: 'keeping places of waits', log }, () =>
    waitSlots.renew(),
  )
  return { waitSlots, renewing: [renewing] }
}
