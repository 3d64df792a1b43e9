import { z } from 'zod'
import { DELIVERIES_PAGE, WEBHOOK_URL_LENGTH_MAX } from './bounds.ts'
import { dateTimeSchema } from './date-times.ts'
import { errorResponses } from './error-responses.ts'
import { EVENT_TYPE } from './event-type.ts'
import { idSchema } from './id-schema.ts'
import { messageSummarySchema, otpSchema } from './messages.ts'
import { cursorSchema, nextCursorSchema, queryInteger } from './query.ts'
import { KEY_ERRORS, SECURITY } from './security.ts'

/** An endpoint that all messages of the account are sent to. */
export const webhookSchema = z
  .object({
    id: idSchema('webhook'),
    url: z.string().meta({ example: 'https://example.com/hooks/mail' }),
    createdAt: dateTimeSchema,
    lastDeliveryAt: dateTimeSchema.nullable().describe('When the last attempt was made.'),
    lastStatus: z
      .number()
      .int()
      .nullable()
      .describe('HTTP status of the last attempt; null without a response.')
      .meta({ example: 200 }),
    disabledAt: dateTimeSchema
      .nullable()
      .describe(
        'When the endpoint responded with 410. Nothing has been sent to it since; register it again to resume.',
      ),
  })
  .meta({ id: 'Webhook' })

/** An endpoint that all messages of the account are sent to. */
export type Webhook = z.infer<typeof webhookSchema>

/** Why an attempt failed. */
export const attemptErrorSchema = z.enum([
  'status',
  'redirect',
  'gone',
  'dns',
  'connect',
  'tls',
  'timeout',
  'reset',
  'protocol',
  'refused',
  'secret',
  'internal',
])

/** Why an attempt failed. */
export type AttemptError = z.infer<typeof attemptErrorSchema>

/** One attempt to deliver an event. */
export const deliveryAttemptSchema = z
  .object({
    at: dateTimeSchema,
    status: z
      .number()
      .int()
      .nullable()
      .describe('The HTTP status; null without a response.')
      .meta({ example: 200 }),
    error: attemptErrorSchema
      .nullable()
      .describe('The kind of failure; null when it succeeded.')
      .meta({ example: null }),
    detail: z.string().nullable().describe('The failure, for a person.').meta({ example: null }),
    durationMs: z.number().int().meta({ example: 34 }),
  })
  .meta({ id: 'DeliveryAttempt' })

/** One attempt to deliver an event. */
export type DeliveryAttempt = z.infer<typeof deliveryAttemptSchema>

/** The status of a delivery: pending while attempts remain. */
export const deliveryStatusSchema = z.enum(['pending', 'succeeded', 'failed'])

/** The status of a delivery. */
export type DeliveryStatus = z.infer<typeof deliveryStatusSchema>

/** An event for one webhook, with its attempts. */
export const deliverySchema = z
  .object({
    id: idSchema('event').describe('The event id, as in the header of every attempt.'),
    webhookId: idSchema('webhook'),
    url: z.string().meta({ example: 'https://example.com/hooks/mail' }),
    event: z.string().meta({ example: EVENT_TYPE }),
    inboxId: idSchema('inbox'),
    messageId: idSchema('message'),
    status: deliveryStatusSchema,
    attempts: z.array(deliveryAttemptSchema).describe('Oldest first, replays included.'),
    createdAt: dateTimeSchema,
    nextAttemptAt: dateTimeSchema.nullable().describe('Null when no attempt is left.'),
  })
  .meta({ id: 'Delivery' })

/** An event for one webhook, with its attempts. */
export type Delivery = z.infer<typeof deliverySchema>

/** The body of a delivery. */
export const webhookEventSchema = z
  .object({
    id: idSchema('event'),
    type: z.literal(EVENT_TYPE),
    createdAt: dateTimeSchema,
    test: z.literal(true).optional().describe('Present only in sample events.'),
    data: z.object({
      inbox: z.object({
        id: idSchema('inbox'),
        emailAddress: z.string().meta({ example: 'signup-7f3k2m9q@mayfly.test' }),
      }),
      message: messageSummarySchema,
      otp: otpSchema.nullable(),
    }),
  })
  .meta({ id: 'WebhookEvent' })

/** The body of a delivery. */
export type WebhookEvent = z.infer<typeof webhookEventSchema>

const URL_RULE = 'must be an https:// URL'

/** The URL of a webhook. */
export const webhookUrlSchema = z
  .string()
  .max(WEBHOOK_URL_LENGTH_MAX)
  // The URL parser drops invisible characters: the log would show another URL than is called.
  .regex(
    /^(?:[Hh][Tt][Tt][Pp][Ss]:\/\/[^\s\x00-\x1f\x7f-\x9f\\]+|http:\/\/(?:localhost|127(?:\.[0-9]{1,3}){3}|\[::1\])(?:[:/?][^\s\x00-\x1f\x7f-\x9f\\]*)?)$/,
    { error: URL_RULE, abort: true },
  )
  .refine((url) => URL.canParse(url), { error: URL_RULE, abort: true })
  .refine((url) => !/@/.test(authorityOf(url)), { error: 'must not contain a user or a password' })
  .refine((url) => !url.includes('#'), { error: 'must not have a fragment' })
  .describe(
    'An https:// URL. The local account may also use http:// to localhost or a loopback address.',
  )
  .meta({ example: 'https://example.com/hooks/mail' })

/** From the scheme to the path: `user:password@host:port`. */
function authorityOf(url: string): string {
  return /^https?:\/\/([^/?#]*)/i.exec(url)?.[1] ?? ''
}

const WEBHOOK_ERRORS = [...KEY_ERRORS, 'webhook_not_found'] as const

/** POST /v1/webhooks */
export const createWebhook = {
  operationId: 'createWebhook',
  tags: ['Webhooks'],
  summary: 'Register a webhook',
  description:
    'All messages of the account are sent to it from then on. The returned signing secret is shown only once.',
  security: SECURITY,
  body: z.strictObject({ url: webhookUrlSchema }),
  response: {
    201: z.object({
      webhook: webhookSchema,
      secret: z.string().meta({ example: 'whsec_NfV1Y2x5b3VmaW5kYm9vdGhpc2lzbm90YXNlY3JldCE=' }),
    }),
    ...errorResponses('invalid_json', 'invalid_parameter', ...KEY_ERRORS, 'plan_limit'),
  },
}

/** GET /v1/webhooks */
export const listWebhooks = {
  operationId: 'listWebhooks',
  tags: ['Webhooks'],
  summary: 'List webhooks',
  security: SECURITY,
  response: {
    200: z.object({ webhooks: z.array(webhookSchema) }),
    ...errorResponses(...KEY_ERRORS),
  },
}

/** DELETE /v1/webhooks/{id} */
export const deleteWebhook = {
  operationId: 'deleteWebhook',
  tags: ['Webhooks'],
  summary: 'Delete a webhook',
  description: 'Nothing more is sent to it. Past deliveries stay in the log.',
  security: SECURITY,
  params: z.object({ id: idSchema('webhook') }),
  response: { 204: z.null().describe('Deleted.'), ...errorResponses(...WEBHOOK_ERRORS) },
}

/** POST /v1/webhooks/{id}/test */
export const testWebhook = {
  operationId: 'testWebhook',
  tags: ['Webhooks'],
  summary: 'Send a sample event',
  description:
    'Sends one signed sample event and returns the result. It is not retried and not logged.',
  security: SECURITY,
  params: z.object({ id: idSchema('webhook') }),
  response: {
    200: z.object({
      delivered: z.boolean().describe('Whether the endpoint responded with 2xx.'),
      eventId: idSchema('event'),
      attempt: deliveryAttemptSchema,
    }),
    ...errorResponses(...WEBHOOK_ERRORS, 'shutting_down'),
  },
}

/** GET /v1/webhooks/deliveries */
export const listDeliveries = {
  operationId: 'listDeliveries',
  tags: ['Webhooks'],
  summary: 'The delivery log',
  description: 'Newest first, kept for 30 days. Entries are deleted with their inbox.',
  security: SECURITY,
  querystring: z.strictObject({
    cursor: cursorSchema,
    limit: queryInteger(DELIVERIES_PAGE),
  }),
  response: {
    200: z.object({
      deliveries: z.array(deliverySchema),
      nextCursor: nextCursorSchema,
    }),
    ...errorResponses('invalid_parameter', ...KEY_ERRORS),
  },
}

/** POST /v1/webhooks/deliveries/{id}/replay */
export const replayDelivery = {
  operationId: 'replayDelivery',
  tags: ['Webhooks'],
  summary: 'Send a delivery again',
  description:
    'Makes one more attempt with the same id and body and a new signature, and returns its result. It does not count as one of the five attempts; when it succeeds, pending retries are cancelled.',
  security: SECURITY,
  params: z.object({ id: idSchema('event') }),
  response: {
    200: z.object({
      replayed: z.boolean().describe('Whether the event was sent; `delivery` has the result.'),
      eventId: idSchema('event'),
      delivery: deliverySchema.describe('The delivery after the attempt.'),
    }),
    ...errorResponses(...WEBHOOK_ERRORS, 'delivery_not_found', 'shutting_down'),
  },
}
