import type { EventId } from '@mayfly/contract'
import type { Config } from '../config/config.ts'
import { attemptDelivery, type EventToSend } from '../features/webhooks/attempt.ts'
import { LEASE_MS } from '../features/webhooks/claim.ts'
import { type DispatchDeps, Dispatcher } from '../features/webhooks/dispatch.ts'
import {
  type DeliveryAttemptRecord,
  type RecordAttemptsDeps,
  recordAttempts,
} from '../features/webhooks/record.ts'
import type { ReplayDeps } from '../features/webhooks/replay.ts'
import { type FailedAttempt, nextAttemptAt } from '../features/webhooks/schedule.ts'
import { runEvery } from '../platform/background.ts'
import { createBatching } from '../platform/batching.ts'
import type { Clock } from '../platform/clock.ts'
import { createIds } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import type { SecretBox } from '../platform/secret-box.ts'
import type { Signals } from '../signals/thread-signals.ts'
import type { Store } from '../store/open.ts'
import { sqlitePathOf } from '../store/sqlite/path.ts'
import type { RunningOutbound } from './outbound.ts'
import { openSecretBox } from './webhook-secrets.ts'

export type DispatchingDeps = {
  readonly config: Config
  readonly log: Log
  readonly clock: Clock
  readonly store: Store
  readonly signals: Signals
  readonly outbound: Pick<RunningOutbound, 'request'>
  /** Attempts of these deliveries were recorded. */
  readonly publishDeliveries: (ids: readonly EventId[]) => void
  /** Replaces the lease and the retry schedule in tests. */
  readonly pace?: Pick<DispatchDeps, 'leaseMs'> & Pick<RecordAttemptsDeps, 'planRetry'>
}

/** The running dispatcher, and the functions that the API needs. */
export type Dispatching = Pick<ReplayDeps, 'attemptDelivery' | 'recordAttempt'> & {
  readonly secretBox: SecretBox
  /** Stops claiming; attempts that have not ended after `graceMs` are aborted and stay due. */
  stop(graceMs: number): Promise<void>
}

/** How often the store is polled for due deliveries without a signal, such as retries. */
const SWEEP_MS = 1_000

/** Attempts recorded in one transaction: more would block the API's thread on SQLite. */
const RECORDS_MAX = 50

/** Starts to send due deliveries. */
export async function startDispatching(deps: DispatchingDeps): Promise<Dispatching> {
  const { store, clock, log, signals } = deps
  const secretBox = await openSecretBox(deps)
  // No other process dispatches from an SQLite store: existing leases are from a crash.
  if (sqlitePathOf(deps.config.MAYFLY_DATABASE_URL) !== null) await store.dispatches.releaseAll()
  const ids = createIds(clock)
  const stopped = new AbortController()
  const attempt = (event: EventToSend, signal: AbortSignal) =>
    attemptDelivery({ clock, request: deps.outbound.request, secretBox }, event, signal)
  const { planRetry, leaseMs } = deps.pace ?? {
    planRetry: (failed: FailedAttempt) => nextAttemptAt(failed, ids.fraction()),
    leaseMs: LEASE_MS,
  }
  const record = createBatching(
    async (batch: readonly DeliveryAttemptRecord[]) => {
      const recorded = await recordAttempts({ store, planRetry }, batch)
      deps.publishDeliveries(batch.map(({ deliveryId }) => deliveryId))
      return recorded
    },
    { batchMax: RECORDS_MAX },
  )
  const onError = (error: unknown) =>
    log.warn({ err: error }, 'dispatching a delivery failed; it stays due')
  const dispatcher = new Dispatcher({ store, clock, attempt, record, onError, leaseMs })
  const stopListening = signals.listen((signal) => {
    if (signal.name === 'mailsStored' && signal.webhookIds.length > 0) {
      dispatcher.wake(signal.webhookIds)
    }
  })
  const about = { name: 'polling for due deliveries', log }
  const sweeping = runEvery(SWEEP_MS, about, () => dispatcher.sweep())
  return {
    secretBox,
    attemptDelivery: (event) => attempt(event, stopped.signal),
    recordAttempt: record,
    stop: async (graceMs) => {
      stopListening()
      const timer = setTimeout(() => stopped.abort(), graceMs)
      await Promise.all([sweeping.stop(), dispatcher.stop(graceMs)])
      clearTimeout(timer)
      stopped.abort()
    },
  }
}
