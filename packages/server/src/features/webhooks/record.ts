import type { EventId, WebhookId } from '@mayfly/contract'
import type { Store, Tables } from '../../store/open.ts'
import type { DeliveryState, NewAttempt } from '../../store/tables/dispatches.ts'
import type { Attempted } from './attempt.ts'
import { type FailedAttempt, isGone } from './schedule.ts'

/** An attempt that was made, to be written down. */
export type MadeAttempt = {
  readonly deliveryId: EventId
  readonly webhookId: WebhookId
  /** The lease it was made under; null for a replay. */
  readonly leasedUntil: number | null
  readonly attempted: Attempted
}

/** An attempt as far as its webhook is concerned. */
export type NotedAttempt = Pick<MadeAttempt, 'webhookId' | 'attempted'>

/** What recording needs. */
export type RecordDeps = {
  readonly store: Store
  /** When to try again, or null when that was the last time. */
  readonly planRetry: (failed: FailedAttempt) => Date | null
}

/** Writes attempts and what follows from them, in one transaction. */
export async function recordAttempts(
  deps: RecordDeps,
  batch: readonly MadeAttempt[],
): Promise<readonly 'recorded'[]> {
  await deps.store.transaction(async (tx) => {
    await noteOnWebhooks(tx, batch)
    const ids = [...new Set(batch.map(({ deliveryId }) => deliveryId))]
    const states = await tx.dispatches.lockStates(ids)
    const numbers = await tx.dispatches.countAttempts(ids)
    const rows: NewAttempt[] = []
    for (const made of batch) {
      const state = states.get(made.deliveryId)
      // Purged meanwhile, with its inbox.
      if (state === undefined) continue
      states.set(made.deliveryId, stateAfter(state, made, deps.planRetry))
      const number = (numbers.get(made.deliveryId) ?? 0) + 1
      numbers.set(made.deliveryId, number)
      rows.push(attemptRow(made, number))
    }
    for (const [id, state] of states) await tx.dispatches.setState(id, state)
    await tx.dispatches.addAttempts(rows)
  })
  await endRetriesOfGone(deps.store, batch)
  return batch.map(() => 'recorded')
}

/** Notes attempts on their webhooks, and disables those that are gone. */
export async function noteOnWebhooks(tx: Tables, batch: readonly NotedAttempt[]): Promise<void> {
  await tx.dispatches.lockWebhooks([...new Set(batch.map(({ webhookId }) => webhookId))])
  for (const [id, made] of Map.groupBy(batch, ({ webhookId }) => webhookId)) {
    const [latest] = made.map(({ attempted }) => attempted).sort((a, b) => b.at - a.at)
    if (latest !== undefined) await tx.webhooks.noteAttempt(id, latest)
    const gone = made.find(({ attempted }) => isGone(attempted.status))
    if (gone !== undefined) await tx.webhooks.disable(id, gone.attempted.endedAt)
  }
}

/**
 * Gives up what is pending to webhooks that are gone.
 *
 * After the commit that disabled them, so that deliveries are locked in one order. Never throws:
 * the attempts are written already, and what is left pending is given up when it falls due.
 */
export async function endRetriesOfGone(
  store: Tables,
  batch: readonly NotedAttempt[],
): Promise<void> {
  const gone = batch.filter(({ attempted }) => isGone(attempted.status))
  const ids = [...new Set(gone.map(({ webhookId }) => webhookId))]
  await Promise.allSettled(ids.map((id) => store.dispatches.endPending(id)))
}

/**
 * Where a delivery stands after an attempt.
 *
 * A success ends it, whoever made it. A failure counts only under a lease that still holds: a
 * replay counts towards no limit, and who lost his lease to another process has no say.
 */
export function stateAfter(
  state: DeliveryState,
  made: Pick<MadeAttempt, 'leasedUntil' | 'attempted'>,
  planRetry: RecordDeps['planRetry'],
): DeliveryState {
  const { attempted, leasedUntil } = made
  const isHolder = leasedUntil !== null && leasedUntil === state.leasedUntil
  const attemptsMade = state.attemptsMade + (isHolder ? 1 : 0)
  if (attempted.error === null) {
    return { status: 'succeeded', attemptsMade, nextAttemptAt: null, leasedUntil: null }
  }
  if (!isHolder) return state
  const retryAt = planRetry({
    attempt: attemptsMade,
    failedAt: new Date(attempted.endedAt),
    status: attempted.status,
    retryAfter: attempted.retryAfter,
  })
  return {
    status: retryAt === null ? 'failed' : 'pending',
    attemptsMade,
    nextAttemptAt: retryAt === null ? null : retryAt.getTime(),
    leasedUntil: null,
  }
}

function attemptRow({ deliveryId, attempted }: MadeAttempt, number: number): NewAttempt {
  const { at, status, error, detail, durationMs } = attempted
  return { deliveryId, number, at, status, error, detail, durationMs }
}
