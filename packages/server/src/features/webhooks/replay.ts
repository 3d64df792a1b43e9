import type { Delivery, DeliveryAttempt, EventId, WebhookId } from '@mayfly/contract'
import { ServiceError } from '../../errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Ids } from '../../platform/ids.ts'
import type { Store } from '../../store/open.ts'
import type { Caller } from '../accounts/authenticate.ts'
import {
  type AttemptOutcome,
  type EventToSend,
  type FinishedAttempt,
  logFields,
} from './attempt.ts'
import { sampleEvent } from './event.ts'
import { type DeliveryAttemptRecord, failPendingOfGone, recordOnWebhooks } from './record.ts'

export type ReplayDeps = {
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
  readonly attemptDelivery: (event: EventToSend) => Promise<AttemptOutcome>
  /** Resolves once the attempt is stored. */
  readonly recordAttempt: (record: DeliveryAttemptRecord) => Promise<unknown>
}

/** Seconds after which this node has restarted, or another one responds. */
const STOPPED_RETRY_SECONDS = 2

const DELETED_WEBHOOK = 'The webhook of this delivery was deleted, and its secret with it.'

/** Sends a past delivery again, with a new signature; its log has the attempt when this returns. */
export async function replayDelivery(
  deps: ReplayDeps,
  caller: Caller,
  id: EventId,
): Promise<{ replayed: boolean; eventId: EventId; delivery: Delivery }> {
  const { store } = deps
  const event = await store.deliveries.findEvent(caller.accountId, id)
  if (event === null) throw new ServiceError('delivery_not_found')
  const { webhookId } = event
  const webhook = await store.webhooks.find(caller.accountId, webhookId)
  if (webhook === null) throw new ServiceError('webhook_not_found', { message: DELETED_WEBHOOK })

  const { accountId } = caller
  const { secretSealed } = webhook
  const attempt = await attemptNow(deps, { ...event, accountId, secretSealed })
  await deps.recordAttempt({ deliveryId: id, webhookId, leasedUntil: null, attempt })
  const delivery = await store.deliveries.find(caller.accountId, id)
  // Purged since the attempt began.
  if (delivery === null) throw new ServiceError('delivery_not_found')
  return { replayed: attempt.state !== 'unsent', eventId: id, delivery }
}

/** Sends a sample event once. */
export async function testWebhook(
  deps: ReplayDeps,
  caller: Caller,
  id: WebhookId,
): Promise<{ delivered: boolean; eventId: EventId; attempt: DeliveryAttempt }> {
  const webhook = await deps.store.webhooks.find(caller.accountId, id)
  if (webhook === null) throw new ServiceError('webhook_not_found')
  const { accountId } = caller
  const { url, secretSealed } = webhook
  const eventId = deps.ids.next('event')
  const payload = JSON.stringify(sampleEvent(eventId, deps.clock.now()))

  const attempt = await attemptNow(deps, { id: eventId, accountId, url, payload, secretSealed })
  const records = [{ webhookId: id, attempt }]
  await deps.store.transaction((tx) => recordOnWebhooks(tx, records))
  await failPendingOfGone(deps.store, records)
  const { at, durationMs } = attempt
  return {
    delivered: attempt.state === 'delivered',
    eventId,
    attempt: { at: new Date(at).toISOString(), durationMs, ...logFields(attempt) },
  }
}

async function attemptNow(deps: ReplayDeps, event: EventToSend): Promise<FinishedAttempt> {
  const outcome = await deps.attemptDelivery(event)
  if (outcome.state !== 'aborted') return outcome
  throw new ServiceError('shutting_down', { retryAfterSeconds: STOPPED_RETRY_SECONDS })
}
