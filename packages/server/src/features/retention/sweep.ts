import { setImmediate as yieldToLoop } from 'node:timers/promises'
import type { Limits, Plan } from '@mayfly/contract'
import type { Clock } from '../../platform/clock.ts'
import type { Store } from '../../store/open.ts'
import type { ExpiredInbox } from '../../store/tables/inboxes.ts'
import { keptUntil } from '../rules/plans.ts'
import type { Purging } from './purge.ts'

export type SweepDeps = {
  readonly store: Store
  readonly purgeInbox: Purging['purgeInbox']
  /** Deletes mails that no message refers to; not on the thread of the API. */
  readonly deleteMails: Store['deleteMails']
  readonly clock: Clock
  readonly limitsOf: (plan: Plan) => Limits
  readonly elapsedMs: () => number
  readonly pause: (ms: number) => Promise<void>
  /** Whether the service is stopping; the rest is purged after its next start. */
  readonly isStopped: () => boolean
}

/** The last inbox that a sweep has read. */
type Position = { readonly expiresAt: number; readonly id: string }

const START: Position = { expiresAt: Number.MIN_SAFE_INTEGER, id: '' }

const PLANS: readonly Plan[] = ['key_only', 'connected', 'unlimited']
const HOUR_MS = 60 * 60 * 1000
const DAY_MS = 24 * HOUR_MS

/** Rows that one statement reads or deletes; the sweep yields between two of them. */
const BATCH = 500
const DELETED_BATCH = 100

/** Inboxes and messages that PostgreSQL purges in one transaction. */
const CHUNK_INBOXES = 50
const CHUNK_MESSAGES = 500

/**
 * How long a purge pauses, as a multiple of the time it took: receiving has priority. Shorter when
 * the purge is late, so that it keeps up with receiving.
 */
const PAUSE = 15
const LATE_PAUSE = 3
const LATE_MS = HOUR_MS

/** How often all expired inboxes are read again: an account may have changed its plan. */
const RESTART_MS = 6 * HOUR_MS

/** Failures that a sweep reports: while the storage is unavailable, every step fails. */
const FAILURES_MAX = 5

/** How long the delivery log, disabled webhooks and revoked keys are kept. */
const LOG_DAYS = 30

/** Usage is shown for 90 days, today included. */
const USAGE_DAYS = 90

/** Refusals count against a domain for a day. */
const REFUSALS_MS = 2 * DAY_MS

/** A mail without a message is searched for once its transaction must have ended. */
const MAIL_MS = HOUR_MS

/**
 * The position of the sweeps. Each reads only what has become old since the one before: inboxes
 * that their plan keeps longer are not read again each minute.
 */
export class SweepProgress {
  readonly #positions = new Map<Plan, Position>()
  #startedAt = Number.NEGATIVE_INFINITY
  /** The last mail that was read. */
  mailId = ''
  /** The last inbox whose deliveries were read. */
  deliveriesOf = ''

  /** Starts over when that is due. */
  begin(now: number): void {
    if (Math.abs(now - this.#startedAt) < RESTART_MS) return
    this.#startedAt = now
    this.#positions.clear()
  }

  of(plan: Plan): Position {
    return this.#positions.get(plan) ?? START
  }

  advance(plan: Plan, position: Position): void {
    this.#positions.set(plan, position)
  }
}

/**
 * Purges what is older than its retention; returns the number of inboxes.
 *
 * A failure does not keep the rest from being purged: failures are thrown at the end, and the next
 * sweep tries again.
 */
export async function sweepExpired(
  deps: SweepDeps,
  progress: SweepProgress = new SweepProgress(),
): Promise<number> {
  const { store } = deps
  const now = deps.clock.now()
  const logBefore = now - LOG_DAYS * DAY_MS
  const usageBefore = new Date(now - USAGE_DAYS * DAY_MS).toISOString().slice(0, 10)
  progress.begin(now)
  const failures: unknown[] = []
  const onFailure = (error: unknown) => {
    if (failures.length < FAILURES_MAX) failures.push(error)
  }
  let purged = 0
  const sweepPlans = PLANS.map((plan) => async () => {
    const { retentionDays } = deps.limitsOf(plan)
    if (retentionDays === null) return
    const until = now - retentionDays * DAY_MS
    purged += await sweepPlan(deps, progress, { plan, until, now, onFailure })
  })
  const steps: readonly (() => Promise<unknown>)[] = [
    ...sweepPlans,
    () => sweepMails(deps, progress, now - MAIL_MS),
    () => sweepDeliveries(deps, progress),
    () => store.idempotencyKeys.deleteOld(now),
    () => store.providers.mails.deleteOld(logBefore),
    () => inBatches((limit) => store.deliveries.deleteOld(logBefore, limit)),
    () => store.webhooks.deleteDisabled(logBefore),
    () => inBatches((limit) => store.addresses.deleteFree(now, limit)),
    () => inBatches((limit) => store.usage.deleteOld(usageBefore, limit)),
    () => inBatches((limit) => store.keys.deleteRevoked(logBefore, limit)),
    () => store.domains.deleteRefusals(now - REFUSALS_MS),
    () => makeMailPartitions(deps),
    () =>
      store.dropPartitions({
        ...retentionAt(deps, now),
        keptUntil: (inbox) => keptUntil(deps.limitsOf, inbox),
      }),
  ]
  for (const step of steps) await step().catch(onFailure)
  if (failures.length > 1) throw new AggregateError(failures, 'Parts of the sweep failed.')
  if (failures.length === 1) throw failures[0]
  return purged
}

/** Makes the tables of the days on which the mails of now and of the next days are purged. */
export async function makeMailPartitions(
  deps: Pick<SweepDeps, 'store' | 'clock' | 'limitsOf'>,
): Promise<void> {
  await deps.store.makePartitions(retentionAt(deps, deps.clock.now()))
}

function retentionAt({ limitsOf }: Pick<SweepDeps, 'limitsOf'>, now: number) {
  const retentionDays = PLANS.flatMap((plan) => limitsOf(plan).retentionDays ?? [])
  return { now, retentionDays }
}

/** Inboxes that are purged together: in one transaction, or one by one where each has its own. */
function inChunks(
  { purgeDue }: Store,
  inboxes: readonly ExpiredInbox[],
): readonly (readonly ExpiredInbox[])[] {
  if (purgeDue === null) return inboxes.map((inbox) => [inbox])
  const chunks: ExpiredInbox[][] = []
  let messages = 0
  for (const inbox of inboxes) {
    messages += inbox.messageCount
    const chunk = chunks.at(-1)
    if (chunk === undefined || messages > CHUNK_MESSAGES || chunk.length === CHUNK_INBOXES) {
      messages = inbox.messageCount
      chunks.push([inbox])
    } else chunk.push(inbox)
  }
  return chunks
}

async function purgeSome(
  { store, purgeInbox }: SweepDeps,
  inboxes: readonly ExpiredInbox[],
  now: number,
): Promise<number> {
  if (store.purgeDue !== null) {
    const ids = inboxes.map(({ id }) => id)
    return store.purgeDue(ids, now)
  }
  let purged = 0
  for (const { id, accountId } of inboxes) {
    if (await purgeInbox(accountId, { id, now })) purged += 1
  }
  return purged
}

async function sweepPlan(
  deps: SweepDeps,
  progress: SweepProgress,
  sweep: {
    readonly plan: Plan
    readonly until: number
    readonly now: number
    readonly onFailure: (error: unknown) => void
  },
): Promise<number> {
  let purged = 0
  let hasFailed = false
  let after = progress.of(sweep.plan)
  for (;;) {
    const inboxes = await deps.store.inboxes.listExpired({
      after,
      until: sweep.until,
      limit: BATCH,
    })
    const ofPlan = inboxes.filter(({ plan }) => plan === sweep.plan)
    for (const some of inChunks(deps.store, ofPlan)) {
      if (deps.isStopped()) return purged
      const begunAt = deps.elapsedMs()
      try {
        purged += await purgeSome(deps, some, sweep.now)
      } catch (error) {
        hasFailed = true
        sweep.onFailure(error)
      }
      const isLate = sweep.until - (some[0]?.expiresAt ?? sweep.until) > LATE_MS
      await deps.pause((deps.elapsedMs() - begunAt) * (isLate ? LATE_PAUSE : PAUSE))
    }
    after = inboxes.at(-1) ?? after
    // The next sweep begins with the page of the first failure.
    if (!hasFailed) progress.advance(sweep.plan, after)
    if (inboxes.length < BATCH) return purged
  }
}

/** Deletes mails that have no message after a crash: a part in each sweep. */
async function sweepMails(
  { store, deleteMails }: SweepDeps,
  progress: SweepProgress,
  until: number,
): Promise<void> {
  const page = { after: progress.mailId, until, limit: BATCH }
  const { mails, last } = await store.mails.listUnshared(page)
  // Before they are deleted: mails that cannot be deleted must not keep others from being found.
  progress.mailId = last ?? ''
  if (mails.length > 0) await deleteMails(mails)
}

/** Deletes deliveries whose inboxes are purged, in parts like `sweepMails`. */
async function sweepDeliveries(deps: SweepDeps, progress: SweepProgress): Promise<void> {
  const { deliveries } = deps.store
  const page = { after: progress.deliveriesOf, limit: BATCH }
  const { inboxIds, last } = await deliveries.listPurgedInboxes(page)
  progress.deliveriesOf = last ?? ''
  if (inboxIds.length === 0) return
  while (!deps.isStopped()) {
    const begunAt = deps.elapsedMs()
    if ((await deliveries.deleteOfInboxes(inboxIds, BATCH)) < BATCH) return
    await deps.pause((deps.elapsedMs() - begunAt) * LATE_PAUSE)
  }
}

async function inBatches(deleteSome: (limit: number) => Promise<number>): Promise<void> {
  while ((await deleteSome(DELETED_BATCH)) === DELETED_BATCH) await yieldToLoop()
}
