import type { EventId, WebhookId } from '@mayfly/contract'
import type { Tables } from '../../store/all-tables.ts'
import type { Store } from '../../store/open.ts'
import type { DeliveryState, NewAttempt } from '../../store/tables/dispatches.ts'
import { type FinishedAttempt, logFields } from './attempt.ts'
import { failPending } from './fail-pending.ts'
import { type FailedAttempt, isGone } from './schedule.ts'

/** A finished attempt and the delivery that it belongs to. */
export type DeliveryAttemptRecord = {
  readonly deliveryId: EventId
  readonly webhookId: WebhookId
  /** The lease that the attempt was made under; null for a replay. */
  readonly leasedUntil: number | null
  readonly attempt: FinishedAttempt
}

/** A finished attempt and its webhook. */
export type WebhookAttemptRecord = Pick<DeliveryAttemptRecord, 'webhookId' | 'attempt'>

export type RecordAttemptsDeps = {
  readonly store: Store
  /** When to try again, or null when no attempt remains. */
  readonly planRetry: (failed: FailedAttempt) => Date | null
}

/**
 * Writes attempts and the new states of deliveries and webhooks in one transaction. An attempt that
 * is already recorded is unchanged: the dispatcher repeats the call when a confirmation was lost.
 */
export async function recordAttempts(
  deps: RecordAttemptsDeps,
  batch: readonly DeliveryAttemptRecord[],
): Promise<readonly 'recorded'[]> {
  await deps.store.transaction(async (tx) => {
    await recordOnWebhooks(tx, batch)
    const ids = [...new Set(batch.map(({ deliveryId }) => deliveryId))]
    const states = await tx.dispatches.lockStates(ids)
    const numbers = await tx.dispatches.countAttempts(ids)
    const rows: NewAttempt[] = []
    for (const record of batch) {
      const { deliveryId, attempt } = record
      const state = states.get(deliveryId)
      // Purged with its inbox since the attempt began.
      if (state === undefined || (await isRecorded(tx, state, record))) continue
      states.set(deliveryId, stateAfter(state, record, deps.planRetry))
      const number = (numbers.get(deliveryId) ?? 0) + 1
      numbers.set(deliveryId, number)
      const { at, durationMs } = attempt
      rows.push({ deliveryId, number, at, durationMs, ...logFields(attempt) })
    }
    for (const [id, state] of states) await tx.dispatches.setState(id, state)
    await tx.dispatches.addAttempts(rows)
  })
  await failPendingOfGone(deps.store, batch)
  return batch.map(() => 'recorded')
}

/** Whether an attempt is in the log already. Not while it has its lease: recording ends that. */
async function isRecorded(
  tx: Tables,
  state: DeliveryState,
  record: DeliveryAttemptRecord,
): Promise<boolean> {
  const { deliveryId, leasedUntil, attempt } = record
  // Recording a replay is not repeated.
  if (leasedUntil === null || holdsLease(state, leasedUntil)) return false
  return tx.dispatches.hasAttempt(deliveryId, attempt.at)
}

/** Sets the last attempt of webhooks, and disables those that responded with 410. */
export async function recordOnWebhooks(
  tx: Tables,
  batch: readonly WebhookAttemptRecord[],
): Promise<void> {
  await tx.dispatches.lockWebhooks([...new Set(batch.map(({ webhookId }) => webhookId))])
  for (const [id, records] of Map.groupBy(batch, ({ webhookId }) => webhookId)) {
    const attempts = records.map(({ attempt }) => attempt)
    const [latest] = attempts.toSorted((a, b) => b.at - a.at)
    if (latest !== undefined) {
      await tx.webhooks.setLastAttempt(id, { at: latest.at, status: logFields(latest).status })
    }
    const gone = attempts.find(isGoneAttempt)
    if (gone !== undefined) await tx.webhooks.disable(id, gone.endedAt)
  }
}

/**
 * Fails the pending deliveries of webhooks that responded with 410.
 *
 * After the commit that disabled them, so that deliveries are always locked in one order. Never
 * throws: the attempts are stored already, and deliveries that stay pending fail when they are next
 * claimed.
 */
export async function failPendingOfGone(
  store: Tables,
  batch: readonly WebhookAttemptRecord[],
): Promise<void> {
  const gone = batch.filter(({ attempt }) => isGoneAttempt(attempt))
  const ids = [...new Set(gone.map(({ webhookId }) => webhookId))]
  await Promise.allSettled(ids.map((id) => failPending(store, id)))
}

function isGoneAttempt(attempt: FinishedAttempt): boolean {
  return attempt.state === 'rejected' && isGone(attempt.status)
}

/**
 * The state of a delivery after an attempt.
 *
 * A success always counts. A failure counts only under the current lease: a replay does not use
 * up scheduled attempts, and results from expired leases are ignored.
 */
export function stateAfter(
  state: DeliveryState,
  record: Pick<DeliveryAttemptRecord, 'leasedUntil' | 'attempt'>,
  planRetry: RecordAttemptsDeps['planRetry'],
): DeliveryState {
  const { attempt, leasedUntil } = record
  const isCurrent = holdsLease(state, leasedUntil)
  const attemptsMade = state.attemptsMade + (isCurrent ? 1 : 0)
  if (attempt.state === 'delivered') return { status: 'succeeded', attemptsMade }
  if (!isCurrent) return state
  const retryAt = planRetry({
    attempt: attemptsMade,
    failedAt: new Date(attempt.endedAt),
    status: attempt.state === 'rejected' ? attempt.status : null,
    retryAfter: attempt.state === 'rejected' ? attempt.retryAfter : null,
  })
  if (retryAt === null) return { status: 'failed', attemptsMade }
  return { status: 'pending', attemptsMade, nextAttemptAt: retryAt.getTime(), leasedUntil: null }
}

function holdsLease(state: DeliveryState, leasedUntil: number | null): boolean {
  return state.status === 'pending' && leasedUntil !== null && leasedUntil === state.leasedUntil
}
