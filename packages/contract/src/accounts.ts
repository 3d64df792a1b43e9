import { z } from 'zod'
import { EMAIL_LENGTH_MAX, LOCAL_PART_LENGTH_MAX, USAGE_DAYS } from './bounds.ts'
import { dateTimeSchema } from './date-times.ts'
import { errorResponses } from './error-responses.ts'
import { idSchema } from './id-schema.ts'
import { apiKeySchema, keySchema } from './keys.ts'
import { queryInteger } from './query.ts'
import { nameSchema } from './rules.ts'
import { KEY_ERRORS, SECURITY } from './security.ts'

/** The plans. */
export const planSchema = z.enum(['key_only', 'connected', 'unlimited'])

/** The plan of an account. */
export type Plan = z.infer<typeof planSchema>

/** An account as its owner sees it. */
export const accountSchema = z
  .object({
    id: idSchema('account'),
    email: z.string().meta({ example: 'dev@example.com' }),
    name: z.string().nullable().meta({ example: 'Dev team' }),
    plan: planSchema,
    connected: z.boolean().describe('Whether an external account is connected.'),
    createdAt: dateTimeSchema,
  })
  .meta({ id: 'Account' })

/** An account as its owner sees it. */
export type Account = z.infer<typeof accountSchema>

const limit = z.number().int().nullable()

/** The limits of a plan; null means unlimited. */
export const limitsSchema = z
  .object({
    inboxesPerMonth: limit,
    inboxesPerDay: limit,
    requestsPerMinute: limit,
    concurrentWaits: limit,
    webhooks: limit,
    customDomains: limit,
    privateDomains: z.boolean(),
    retentionDays: limit,
  })
  .meta({ id: 'Limits' })

/** The limits of a plan. */
export type Limits = z.infer<typeof limitsSchema>

/** Usage of today and of this month, in UTC. */
export const usageTodaySchema = z.object({
  date: z.iso.date(),
  requests: z.number().int(),
  inboxes: z.number().int(),
  inboxesThisMonth: z.number().int(),
  monthResetsAt: dateTimeSchema,
})

/** Usage of one UTC day. */
export const usageDaySchema = z
  .object({
    date: z.iso.date(),
    requests: z.number().int(),
    inboxes: z.number().int(),
    byEnvironment: z
      .object({
        live: z.object({ requests: z.number().int(), inboxes: z.number().int() }),
        test: z.object({ requests: z.number().int(), inboxes: z.number().int() }),
      })
      .describe('The same numbers, split by the environment of the key.'),
  })
  .meta({ id: 'UsageDay' })

/** Usage of one UTC day. */
export type UsageDay = z.infer<typeof usageDaySchema>

/** POST /v1/accounts */
export const registerAccount = {
  operationId: 'registerAccount',
  tags: ['Accounts and keys'],
  summary: 'Register an account',
  description: 'Needs no key. Returns the first API key, which is shown only once.',
  body: z.strictObject({
    email: z
      .email({ error: 'must be an email address' })
      .max(EMAIL_LENGTH_MAX)
      .refine((email) => email.lastIndexOf('@') <= LOCAL_PART_LENGTH_MAX, {
        error: `must have at most ${LOCAL_PART_LENGTH_MAX} characters before the @`,
      })
      .meta({ example: 'dev@example.com' }),
    name: nameSchema.optional().meta({ example: 'Dev team' }),
  }),
  response: {
    201: z.object({ account: accountSchema, apiKey: apiKeySchema, key: keySchema }),
    ...errorResponses(
      'invalid_json',
      'invalid_parameter',
      'email_registered',
      'registrations_exceeded',
    ),
  },
}

/** GET /v1/account */
export const readAccount = {
  operationId: 'readAccount',
  tags: ['Accounts and keys'],
  summary: 'The account, its limits and its usage today',
  security: SECURITY,
  response: {
    200: z.object({ account: accountSchema, limits: limitsSchema, usage: usageTodaySchema }),
    ...errorResponses(...KEY_ERRORS),
  },
}

/** GET /v1/usage */
export const readUsage = {
  operationId: 'readUsage',
  tags: ['Accounts and keys'],
  summary: 'Requests and inboxes by day',
  description: 'Oldest first, today last, in UTC; days without usage are included with zeros.',
  security: SECURITY,
  querystring: z.strictObject({
    days: queryInteger(USAGE_DAYS),
  }),
  response: {
    200: z.object({ usage: z.array(usageDaySchema) }),
    ...errorResponses('invalid_parameter', ...KEY_ERRORS),
  },
}
