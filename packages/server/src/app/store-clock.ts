import { runEvery } from '../platform/background.ts'
import { type Clock, clockIn, elapsedMs, systemClock } from '../platform/clock.ts'
import type { Log } from '../platform/log.ts'
import { SyncedClock } from '../platform/synced-clock.ts'
import type { Store } from '../store/open.ts'

/** How often the time of the database is queried. */
const SYNC_MS = 10_000

/**
 * The clock that all users of a store share: of the machine, or of the database when several
 * machines use it. Leases, expiry, `since` and the timestamps of webhooks go by it.
 */
export async function startStoreClock(
  store: Store,
  log: Log,
  /** Of a clock that a test sets; null for a real one. */
  memory: SharedArrayBuffer | null,
): Promise<{ readonly clock: Clock; stop(): Promise<void> }> {
  if (memory !== null) return { clock: clockIn(memory), stop: async () => {} }
  if (!store.isShared) return { clock: systemClock, stop: async () => {} }
  const clock = new SyncedClock(() => store.operator.databaseTime(), elapsedMs)
  await clock.start()
  const syncing = runEvery(SYNC_MS, { name: 'reading the clock of the database', log }, () =>
    clock.sync(),
  )
  return { clock, stop: () => syncing.stop() }
}
