import { z } from 'zod'
import {
  DOMAIN_LENGTH_MAX,
  IDEMPOTENCY_KEY_LENGTH_MAX,
  INBOX_TTL_SECONDS,
  INBOXES_PAGE,
  KEEP_MESSAGES,
  LOCAL_PART_LENGTH_MAX,
} from './bounds.ts'
import { dateTimeSchema } from './date-times.ts'
import { errorResponses } from './error-responses.ts'
import { idSchema, inboxRefSchema } from './id-schema.ts'
import { environmentSchema } from './keys.ts'
import { cursorSchema, nextCursorSchema, queryInteger } from './query.ts'
import { KEY_ERRORS, SECURITY } from './security.ts'

/** The state of an inbox: it accepts mail only while it is active. */
export const inboxStateSchema = z.enum(['active', 'expired', 'suspended'])

/** The state of an inbox. */
export type InboxState = z.infer<typeof inboxStateSchema>

/** Which inboxes a list has. */
export const inboxListStateSchema = z
  .enum([...inboxStateSchema.options, 'unexpired', 'all'])
  .describe(
    'Only inboxes in this state; `unexpired` lists the active and the suspended ones, `all` also the expired ones.',
  )

/** Which inboxes a list has. */
export type InboxListState = z.infer<typeof inboxListStateSchema>

/** An inbox. */
export const inboxSchema = z
  .object({
    id: idSchema('inbox'),
    emailAddress: z.string().meta({ example: 'signup-7f3k2m9q@mayfly.test' }),
    createdAt: dateTimeSchema,
    expiresAt: dateTimeSchema
      .nullable()
      .describe('Null for a catch-all inbox: it does not expire.'),
    messageCount: z.number().int().meta({ example: 3 }),
    unreadCount: z.number().int().describe('Messages that are not marked as read.'),
    state: inboxStateSchema,
    environment: environmentSchema.describe('The environment of the key that created it.'),
    watermark: z
      .string()
      .describe('Marks the messages so far. Pass it as `after` to match only later ones.')
      .meta({ example: '3' }),
    catchAll: z
      .boolean()
      .describe('Whether it is a catch-all inbox: it takes mail for any recipient of any domain.'),
    keepMessages: z
      .number()
      .int()
      .nullable()
      .describe('How many of its newest messages a catch-all inbox keeps; null for others.')
      .meta({ example: null }),
  })
  .meta({ id: 'Inbox' })

/** An inbox. */
export type Inbox = z.infer<typeof inboxSchema>

/** The `watermark` of an inbox, from a caller. */
export const watermarkSchema = z
  .string()
  .regex(/^\d{1,15}$/, { error: 'must be the watermark of an inbox' })
  .describe('Match only messages that arrive after this `watermark` of the inbox.')
  .meta({ example: '3' })

/** The value of `domain` that lets the service choose. */
export const SMART_DOMAIN = 'smart'

const LOCAL_PART_RULE =
  'must be 1 to 64 characters of a-z, 0-9, ".", "_", "-", without a dot at either end or two in a row'

/** A local part chosen by a caller; converted to lower case. */
export const localPartSchema = z
  .string()
  .min(1, { error: LOCAL_PART_RULE })
  .max(LOCAL_PART_LENGTH_MAX, { error: LOCAL_PART_RULE })
  .regex(/^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*$/, { error: LOCAL_PART_RULE })
  .toLowerCase()

/** The properties of a new inbox; all are optional. */
export const createInboxBody = z.strictObject({
  domain: z
    .string()
    .trim()
    .toLowerCase()
    .min(1)
    .max(DOMAIN_LENGTH_MAX)
    .optional()
    .describe(
      'A domain of GET /v1/domains, or `smart` for the best one. By default the first public domain.',
    )
    .meta({ example: 'smart' }),
  localPart: localPartSchema
    .optional()
    .describe('The part before the @. Random by default.')
    .meta({ example: 'signup.test' }),
  ttlSeconds: z
    .int()
    .min(INBOX_TTL_SECONDS.min)
    .max(INBOX_TTL_SECONDS.max)
    .default(INBOX_TTL_SECONDS.default)
    .describe('Seconds until the inbox expires. Without effect on a catch-all inbox.'),
  catchAll: z
    .boolean()
    .default(false)
    .describe(
      'Makes a catch-all inbox: it takes mail for any recipient of any domain, and never expires. Mail reaches it by SMTP AUTH with its id or address as the user name and a key of the account as the password.',
    ),
  keepMessages: z
    .int()
    .min(KEEP_MESSAGES.min)
    .max(KEEP_MESSAGES.max)
    .optional()
    .describe(
      `How many of its newest messages a catch-all inbox keeps; ${KEEP_MESSAGES.default} by default.`,
    ),
})

/** POST /v1/inboxes */
export const createInbox = {
  operationId: 'createInbox',
  tags: ['Inboxes'],
  summary: 'Create an inbox',
  description:
    'Responds with `{ inbox }`: the id is `inbox.id`. With an `Idempotency-Key`, a repeat within 24 hours returns the original response, whatever its body, with the header `Idempotent-Replayed: true`, and creates no second inbox.',
  security: SECURITY,
  headers: z.object({
    'idempotency-key': z
      .string()
      .min(1)
      .max(IDEMPOTENCY_KEY_LENGTH_MAX)
      .optional()
      .describe('Any text that identifies this creation, such as the id of a test run.')
      .meta({ example: 'run-4711' }),
  }),
  // The whole body is optional.
  body: createInboxBody.prefault({}),
  response: {
    201: z.object({ inbox: inboxSchema }),
    ...errorResponses(
      'invalid_json',
      'invalid_parameter',
      ...KEY_ERRORS,
      'plan_limit',
      'address_taken',
      'address_reserved',
      'monthly_allowance_reached',
      'daily_limit_reached',
    ),
  },
}

/** GET /v1/inboxes */
export const listInboxes = {
  operationId: 'listInboxes',
  tags: ['Inboxes'],
  summary: 'List inboxes',
  description: 'Newest first; without `state`, the active ones.',
  security: SECURITY,
  querystring: z.strictObject({
    state: inboxListStateSchema.default('active'),
    cursor: cursorSchema,
    limit: queryInteger(INBOXES_PAGE),
  }),
  response: {
    200: z.object({ inboxes: z.array(inboxSchema), nextCursor: nextCursorSchema }),
    ...errorResponses('invalid_parameter', ...KEY_ERRORS),
  },
}

const inboxParams = z.object({ id: inboxRefSchema })

/** GET /v1/inboxes/{id} */
export const readInbox = {
  operationId: 'readInbox',
  tags: ['Inboxes'],
  summary: 'Read an inbox',
  description:
    'Responds with the inbox itself, not with `{ inbox }`. An expired inbox stays readable for the retention of the plan.',
  security: SECURITY,
  params: inboxParams,
  response: { 200: inboxSchema, ...errorResponses(...KEY_ERRORS, 'inbox_not_found') },
}

/** DELETE /v1/inboxes/{id} */
export const deleteInbox = {
  operationId: 'deleteInbox',
  tags: ['Inboxes'],
  summary: 'Delete an inbox',
  description: 'The inbox and all its content are purged at once.',
  security: SECURITY,
  params: inboxParams,
  response: {
    204: z.null().describe('Purged.'),
    ...errorResponses(...KEY_ERRORS, 'inbox_not_found', 'content_unavailable'),
  },
}
