import { existsSync } from 'node:fs'
import type { Config } from '../config/config.ts'
import { StartRefused } from '../errors.ts'
import { attemptDelivery, type EventToSend } from '../features/webhooks/attempt.ts'
import { LEASE_MS } from '../features/webhooks/claim.ts'
import { type DispatchDeps, Dispatcher } from '../features/webhooks/dispatch.ts'
import {
  type DeliveryAttemptRecord,
  type RecordAttemptsDeps,
  recordAttempts,
} from '../features/webhooks/record.ts'
import { type FailedAttempt, nextAttemptAt } from '../features/webhooks/schedule.ts'
import type { Clock } from '../platform/clock.ts'
import { createGroupCommit } from '../platform/group-commit.ts'
import { createIds } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import type { Outbound } from '../platform/outbound/http-client.ts'
import { createSecretBox, type SecretBox, withOlderBoxes } from '../platform/secret-box.ts'
import { loadSecretKey, newSecretKey, type SecretKeySource } from '../platform/secret-key.ts'
import type { Signals } from '../signals/thread-signals.ts'
import { type Store, sqlitePathOf } from '../store/open.ts'
import type { AppDeps } from './api.ts'
import { runEvery } from './background.ts'

/** What the sending side works with. */
export type DispatchingDeps = {
  readonly config: Config
  readonly log: Log
  readonly clock: Clock
  readonly store: Store
  readonly signals: Signals
  readonly outbound: Outbound
  /** What a test may put in place of the usual pace. */
  readonly pace?: Pick<DispatchDeps, 'leaseMs'> & Pick<RecordAttemptsDeps, 'planRetry'>
}

/** The sending side: events go out, and what the API needs of it. */
export type Dispatching = AppDeps['dispatching'] & {
  /** Claims nothing more; what is not finished after `graceMs` is given up and stays due. */
  stop(graceMs: number): Promise<void>
}

/** How often due deliveries are looked for that no signal told of: retries, above all. */
const SWEEP_MS = 1_000

/** Starts to send what is due. */
export async function startDispatching(deps: DispatchingDeps): Promise<Dispatching> {
  const { store, clock, log, signals } = deps
  const box = await openSecretBox(deps)
  // Nobody else dispatches from an embedded store: leases are left from a crash.
  if (sqlitePathOf(deps.config.MAYFLY_DATABASE_URL) !== null) await store.dispatches.releaseAll()
  const ids = createIds(clock)
  const givenUp = new AbortController()
  const attempt = (event: EventToSend, signal: AbortSignal) =>
    attemptDelivery({ clock, request: deps.outbound.request, openSecret: box.open }, event, signal)
  const { planRetry, leaseMs } = deps.pace ?? {
    planRetry: (failed: FailedAttempt) => nextAttemptAt(failed, ids.fraction()),
    leaseMs: LEASE_MS,
  }
  const record = createGroupCommit((batch: readonly DeliveryAttemptRecord[]) =>
    recordAttempts({ store, planRetry }, batch),
  )
  const onError = (error: unknown) => log.warn({ err: error }, 'a delivery is left for later')
  const dispatcher = new Dispatcher({ store, clock, attempt, record, onError, leaseMs })
  const stopListening = signals.listen(({ webhookIds = [] }) => {
    if (webhookIds.length > 0) dispatcher.wake(webhookIds)
  })
  const about = { name: 'looking for due deliveries', log }
  const sweeping = runEvery(SWEEP_MS, about, () => dispatcher.sweep())
  return {
    sealSecret: box.seal,
    attempt: (event) => attempt(event, givenUp.signal),
    record,
    stop: async (graceMs) => {
      stopListening()
      const timer = setTimeout(() => givenUp.abort(), graceMs)
      await Promise.all([sweeping.stop(), dispatcher.stop(graceMs)])
      clearTimeout(timer)
      givenUp.abort()
    },
  }
}

/**
 * What secrets of webhooks are sealed with: the configured key; or one that is made and kept,
 * beside an embedded store, or in PostgreSQL, where all nodes find it. A key that was kept before
 * one was configured still opens what it sealed.
 */
async function openSecretBox(deps: DispatchingDeps): Promise<SecretBox> {
  const { config, store } = deps
  const configured = config.MAYFLY_SECRET_KEY
  const sqlitePath = sqlitePathOf(config.MAYFLY_DATABASE_URL)
  const file = sqlitePath === null ? null : `${sqlitePath}.key`
  if (configured === null) {
    const kept = file === null ? await keptInStore(deps) : null
    return createSecretBox(await readKey({ configured: kept, file }))
  }
  const box = createSecretBox(await readKey({ configured, file: null }))
  const kept = file === null ? await store.secretKeys.find() : null
  const isKept = kept !== null || (file !== null && existsSync(file))
  if (!isKept) return box
  return withOlderBoxes(box, [createSecretBox(await readKey({ configured: kept, file }))])
}

async function keptInStore({ store, clock, log }: DispatchingDeps): Promise<string> {
  log.warn(
    'MAYFLY_SECRET_KEY is not set: the key that seals webhook secrets is kept in the same database',
  )
  return store.secretKeys.keep(newSecretKey(), clock.now())
}

async function readKey(source: SecretKeySource): Promise<Buffer> {
  try {
    return await loadSecretKey(source)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new StartRefused(`${reason}. Check MAYFLY_SECRET_KEY; openssl rand -base64 32 makes one.`)
  }
}
