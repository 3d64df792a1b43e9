import type { CallOptions } from './call-options.ts'
import type { MessageSummary, Otp } from './messages.ts'
import type { Requester } from './request.ts'

/** A registered endpoint, as it was just made. */
export type CreatedWebhook = {
  readonly id: string
  readonly url: string
  readonly createdAt: string
}

/** A registered endpoint and how it fares. */
export type Webhook = CreatedWebhook & {
  readonly lastDeliveryAt: string | null
  readonly lastStatus: string | number | null
  /** Set when the endpoint answered 410 and gets nothing any more. */
  readonly disabledAt: string | null
}

/** One attempt to deliver an event. */
export type DeliveryAttempt = {
  readonly at: string
  readonly status: number | null
  readonly error: string | null
  readonly durationMs: number
}

/** An entry of the delivery log; its id is the id of the event. */
export type Delivery = {
  readonly id: string
  readonly webhookId: string
  readonly url: string
  readonly event: 'message.received'
  readonly inboxId: string
  readonly messageId: string
  readonly status: 'pending' | 'succeeded' | 'failed'
  readonly attempts: readonly DeliveryAttempt[]
  readonly createdAt: string
  readonly nextAttemptAt: string | null
}

/** One page of the delivery log, newest first. */
export type DeliveryPage = {
  readonly deliveries: readonly Delivery[]
  readonly nextCursor: string | null
}

/** What is posted to an endpoint. Retries and replays carry the same id. */
export type WebhookEvent = {
  readonly id: string
  readonly type: 'message.received'
  readonly createdAt: string
  readonly data: {
    readonly inbox: { readonly id: string; readonly emailAddress: string }
    readonly message: MessageSummary
    readonly otp: Otp | null
  }
}

/** Which part of the delivery log is read. */
export type ListDeliveriesOptions = CallOptions & {
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** Calls about webhooks. */
export type WebhookCalls = {
  /** Registers an `https://` endpoint; the signing secret is shown this once. */
  create(
    url: string,
    options?: CallOptions,
  ): Promise<{ readonly webhook: CreatedWebhook; readonly secret: string }>
  list(options?: CallOptions): Promise<readonly Webhook[]>
  delete(webhookId: string, options?: CallOptions): Promise<void>
  /** The delivery log, newest first. */
  deliveries(options?: ListDeliveriesOptions): Promise<DeliveryPage>
  /** Sends a past delivery once more, signed afresh. */
  replay(
    deliveryId: string,
    options?: CallOptions,
  ): Promise<{ readonly replayed: boolean; readonly eventId: string }>
}

/** Binds the calls about webhooks. */
export function webhookCalls(requester: Requester): WebhookCalls {
  const path = '/v1/webhooks'
  const log = `${path}/deliveries`
  return {
    create: (url, { signal } = {}) =>
      requester.json({ method: 'POST', path, body: { url }, signal }),
    list: async ({ signal } = {}) =>
      (await requester.json<{ webhooks: Webhook[] }>({ method: 'GET', path, signal })).webhooks,
    delete: (webhookId, { signal } = {}) =>
      requester.done({
        method: 'DELETE',
        path: `${path}/${encodeURIComponent(webhookId)}`,
        signal,
      }),
    deliveries: ({ signal, ...query } = {}) =>
      requester.json({ method: 'GET', path: log, query, signal }),
    replay: (deliveryId, { signal } = {}) => {
      const replay = `${log}/${encodeURIComponent(deliveryId)}/replay`
      return requester.json({ method: 'POST', path: replay, signal })
    },
  }
}
