import { z } from 'zod'
import {
  FAULT_DELAY_MS_MAX,
  FAULT_RULES_MAX,
  FAULT_SECONDS,
  FAULT_TEXT_LENGTH_MAX,
  FAULT_TIMES,
} from './bounds.ts'
import { dateTimeSchema } from './date-times.ts'
import { errorResponses } from './error-responses.ts'
import { inboxRefSchema } from './id-schema.ts'
import { KEY_ERRORS, SECURITY } from './security.ts'

const phaseSchema = z
  .enum(['authentication', 'sender', 'recipient', 'data'])
  .describe(
    'What is refused: valid SMTP AUTH credentials, the sender, the recipient, or the mail after its content. `sender` is refused at MAIL if the inbox is known by then: the client has authenticated for a catch-all inbox, or the inbox takes mail without credentials. Otherwise it is refused at RCPT, as many mail servers do.',
  )

/** Where a fault is injected: in an SMTP transaction, or in a call of a provider's API. */
export type FaultPhase = z.infer<typeof phaseSchema> | 'api'

const codeSchema = z
  .int()
  .min(400)
  .max(599)
  .describe('4xx: the sender should try again. 5xx: it should not.')
  .meta({ example: 451 })

const textSchema = z
  .string()
  .regex(/^[\x20-\x7e]+$/, { error: 'must be printable ASCII on one line' })
  .max(FAULT_TEXT_LENGTH_MAX)
  .optional()

/** How often a rule applies. */
const frequency = {
  times: z
    .int()
    .min(FAULT_TIMES.min)
    .max(FAULT_TIMES.max)
    .optional()
    .describe('Refuse this many. Without `times` and `probability`, refuse all.')
    .meta({ example: 2 }),
  probability: z
    .int()
    .min(1)
    .max(100)
    .optional()
    .describe('Refuse each with this probability in percent. Not together with `times`.'),
}

type Frequency = { readonly times?: number | undefined; readonly probability?: number | undefined }

const isOneFrequency = ({ times, probability }: Frequency) =>
  times === undefined || probability === undefined

const TWO_FREQUENCIES = { error: 'has times and probability; choose one' }
const NOT_BOTH = { properties: { times: {}, probability: {} }, required: ['times', 'probability'] }

const smtpRuleSchema = z
  .strictObject({
    phase: phaseSchema,
    code: codeSchema,
    text: textSchema
      .describe('The text of the reply, after the code.')
      .meta({ example: '4.7.1 Greylisted, try again in 5 minutes' }),
    ...frequency,
  })
  .refine(isOneFrequency, TWO_FREQUENCIES)
  .meta({
    not: NOT_BOTH,
    example: { phase: 'recipient', code: 451, text: '4.7.1 Greylisted, try again later', times: 2 },
  })

const apiPhaseSchema = z
  .literal('api')
  .describe("A call of a provider's HTTP API that sends to the inbox.")

const statusSchema = z
  .int()
  .min(400)
  .max(599)
  .describe("The HTTP status, answered in the provider's own form.")
  .meta({ example: 429 })

const apiRuleSchema = z
  .strictObject({
    phase: apiPhaseSchema,
    status: statusSchema.optional(),
    retryAfterSeconds: z
      .int()
      .min(0)
      .max(FAULT_SECONDS.max)
      .optional()
      .describe("Sent as `Retry-After`, and in the provider's own headers if it has any.")
      .meta({ example: 1 }),
    delayMs: z
      .int()
      .min(1)
      .max(FAULT_DELAY_MS_MAX)
      .optional()
      .describe('The answer is held back so long. Without `status`, the call then succeeds.')
      .meta({ example: 500 }),
    text: textSchema.describe('The message of the error.').meta({ example: 'Slow down' }),
    ...frequency,
  })
  .refine(({ status, delayMs }) => status !== undefined || delayMs !== undefined, {
    error: 'needs status, delayMs or both',
  })
  .refine(isOneFrequency, TWO_FREQUENCIES)
  .meta({
    not: NOT_BOTH,
    anyOf: [{ required: ['status'] }, { required: ['delayMs'] }],
    example: { phase: 'api', status: 429, retryAfterSeconds: 1, times: 1 },
  })

const faultRuleSchema = z.discriminatedUnion('phase', [smtpRuleSchema, apiRuleSchema])

/** A rule as a caller sets it. */
export type FaultRule = z.output<typeof faultRuleSchema>

const remaining = {
  timesLeft: z.int().nullable().describe('Null for a rule without `times`.'),
  probability: z.int().nullable(),
}

const activeSmtpRuleSchema = z.object({
  phase: phaseSchema,
  code: codeSchema,
  text: z
    .string()
    .describe('The text of the reply, after the code.')
    .meta({ example: '4.7.1 Greylisted, try again in 5 minutes' }),
  ...remaining,
})

const activeApiRuleSchema = z.object({
  phase: apiPhaseSchema,
  status: statusSchema.nullable(),
  retryAfterSeconds: z.int().nullable(),
  delayMs: z.int().nullable(),
  text: z.string().describe('The message of the error.').meta({ example: 'Slow down' }),
  ...remaining,
})

/** The remaining faults of an inbox. */
export const faultsSchema = z
  .object({
    rules: z
      .array(z.discriminatedUnion('phase', [activeSmtpRuleSchema, activeApiRuleSchema]))
      .describe(
        'The first rule of a phase that applies is used. Rules that are used up are not listed.',
      ),
    expiresAt: dateTimeSchema.nullable().describe('Null without rules.'),
  })
  .meta({ id: 'Faults' })

/** The remaining faults of an inbox. */
export type Faults = z.infer<typeof faultsSchema>

const params = z.object({ id: inboxRefSchema })

/** PUT /v1/inboxes/{id}/faults */
export const setFaults = {
  operationId: 'setFaults',
  tags: ['Inboxes'],
  summary: 'Make an inbox refuse mail',
  description:
    'To test how an application handles refusals: the inbox refuses mail with the SMTP codes of the rules, or calls of the API of a provider with their HTTP statuses. Replaces earlier rules. Rules expire by themselves; the diagnostics show each refusal as `fault.injected`.',
  security: SECURITY,
  params,
  body: z.strictObject({
    rules: z.array(faultRuleSchema).max(FAULT_RULES_MAX),
    expiresInSeconds: z
      .int()
      .min(FAULT_SECONDS.min)
      .max(FAULT_SECONDS.max)
      .default(FAULT_SECONDS.default)
      .describe('Seconds until the rules expire, even if they are not used up.'),
  }),
  response: {
    200: faultsSchema,
    ...errorResponses('invalid_json', 'invalid_parameter', ...KEY_ERRORS, 'inbox_not_found'),
  },
}

/** GET /v1/inboxes/{id}/faults */
export const readFaults = {
  operationId: 'readFaults',
  tags: ['Inboxes'],
  summary: 'Read the fault rules of an inbox',
  security: SECURITY,
  params,
  response: { 200: faultsSchema, ...errorResponses(...KEY_ERRORS, 'inbox_not_found') },
}

/** DELETE /v1/inboxes/{id}/faults */
export const deleteFaults = {
  operationId: 'deleteFaults',
  tags: ['Inboxes'],
  summary: 'Delete the fault rules of an inbox',
  security: SECURITY,
  params,
  response: {
    204: z.null().describe('The inbox has no faults.'),
    ...errorResponses(...KEY_ERRORS, 'inbox_not_found'),
  },
}
