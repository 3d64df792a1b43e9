import type { CallOptions } from './connection.ts'
import type { MessageSummary, Otp } from './messages.ts'
import { callOptions } from './options.ts'
import { type Pages, pages } from './pages.ts'
import type { Requester } from './request.ts'

/** An endpoint that receives an event for every message. */
export type Webhook = {
  readonly id: string
  readonly url: string
  readonly createdAt: string
  /** When an event was last sent to it. */
  readonly lastDeliveryAt: string | null
  /** The status of that attempt; null without a response. */
  readonly lastStatus: number | null
  /** When it responded with 410. Nothing is sent to it since; register it again. */
  readonly disabledAt: string | null
}

/** Why an attempt failed. */
type AttemptError =
  | 'status'
  | 'redirect'
  | 'gone'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'reset'
  | 'protocol'
  | 'refused'
  | 'secret'
  | 'internal'

/** One attempt to deliver an event. */
type DeliveryAttempt = {
  readonly at: string
  /** The HTTP status; null without a response. */
  readonly status: number | null
  /** The kind of failure; null when it succeeded. */
  readonly error: AttemptError | null
  /** The failure in words. */
  readonly detail: string | null
  readonly durationMs: number
}

/** An entry of the delivery log; its id is the id of the event. */
export type Delivery = {
  readonly id: string
  readonly webhookId: string
  readonly url: string
  readonly event: string
  readonly inboxId: string
  readonly messageId: string
  readonly status: 'pending' | 'succeeded' | 'failed'
  readonly attempts: readonly DeliveryAttempt[]
  readonly createdAt: string
  readonly nextAttemptAt: string | null
}

/** One page of the delivery log, newest first. */
type DeliveryPage = {
  readonly deliveries: readonly Delivery[]
  readonly nextCursor: string | null
}

/** The body of a delivery. Retries and replays have the same id. */
export type WebhookEvent = {
  readonly id: string
  readonly type: 'message.received'
  readonly createdAt: string
  /** Present only in a sample event. */
  readonly test?: true | undefined
  readonly data: {
    readonly inbox: { readonly id: string; readonly emailAddress: string }
    readonly message: MessageSummary
    readonly otp: Otp | null
  }
}

/** Which part of the delivery log is read. */
type ListDeliveriesOptions = CallOptions & {
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** The result of a replay. */
export type ReplayResult = {
  readonly replayed: boolean
  readonly eventId: string
  /** Its state after the attempt. */
  readonly delivery: Delivery
}

/** The result of a sample event. */
export type TestDelivery = {
  /** Whether the endpoint responded with a 2xx status. */
  readonly delivered: boolean
  readonly eventId: string
  readonly attempt: DeliveryAttempt
}

/** Calls about webhooks. */
export type WebhookCalls = {
  /** Registers an `https://` endpoint; the signing secret is returned only here. */
  create(
    url: string,
    options?: CallOptions,
  ): Promise<{ readonly webhook: Webhook; readonly secret: string }>
  list(options?: CallOptions): Promise<readonly Webhook[]>
  delete(webhookId: string, options?: CallOptions): Promise<void>
  /** The delivery log, newest first. */
  deliveries(options?: ListDeliveriesOptions): Pages<DeliveryPage, Delivery>
  /** Resends a past delivery with a new signature. */
  replay(deliveryId: string, options?: CallOptions): Promise<ReplayResult>
  /** Sends one signed sample event; returns the result. */
  test(webhookId: string, options?: CallOptions): Promise<TestDelivery>
}

/** Binds the calls about webhooks. */
export function webhookCalls(requester: Requester): WebhookCalls {
  const path = '/v1/webhooks'
  const log = `${path}/deliveries`
  const pathOf = (webhookId: string) => `${path}/${encodeURIComponent(webhookId)}`
  return {
    create: async (url, options) =>
      requester.json({ method: 'POST', path, body: { url }, ...callOptions(options) }),
    list: async (options) =>
      requester.field('webhooks', { method: 'GET', path, ...callOptions(options) }),
    delete: async (webhookId, options) =>
      requester.done({
        method: 'DELETE',
        path: pathOf(webhookId),
        ...callOptions(options),
      }),
    deliveries: ({ signal, ...query } = {}) =>
      pages(
        query,
        (of) => requester.json<DeliveryPage>({ method: 'GET', path: log, query: of, signal }),
        ({ deliveries }) => deliveries,
      ),
    replay: async (deliveryId, options) => {
      const replay = `${log}/${encodeURIComponent(deliveryId)}/replay`
      return requester.json({ method: 'POST', path: replay, ...callOptions(options) })
    },
    test: async (webhookId, options) =>
      requester.json({
        method: 'POST',
        path: `${pathOf(webhookId)}/test`,
        ...callOptions(options),
      }),
  }
}
