import { z } from 'zod'
import { FAULT_RULES_MAX, FAULT_SECONDS, FAULT_TEXT_LENGTH_MAX, FAULT_TIMES } from './bounds.ts'
import { dateTimeSchema } from './date-times.ts'
import { errorResponses } from './error-responses.ts'
import { inboxRefSchema } from './id-schema.ts'
import { KEY_ERRORS, SECURITY } from './security.ts'

const phaseSchema = z
  .enum(['authentication', 'sender', 'recipient', 'data'])
  .describe(
    'What is refused: valid SMTP AUTH credentials, the sender, the recipient, or the mail after its content. `sender` is refused at MAIL if the inbox is known by then: the client has authenticated for a catch-all inbox, or the inbox takes mail without credentials. Otherwise it is refused at RCPT, as many mail servers do.',
  )

/** Where in an SMTP transaction a fault is injected. */
export type FaultPhase = z.infer<typeof phaseSchema>

const codeSchema = z
  .int()
  .min(400)
  .max(599)
  .describe('4xx: the sender should try again. 5xx: it should not.')
  .meta({ example: 451 })

const faultRuleSchema = z
  .strictObject({
    phase: phaseSchema,
    code: codeSchema,
    text: z
      .string()
      .regex(/^[\x20-\x7e]+$/, { error: 'must be printable ASCII on one line' })
      .max(FAULT_TEXT_LENGTH_MAX)
      .optional()
      .describe('The text of the reply, after the code.')
      .meta({ example: '4.7.1 Greylisted, try again in 5 minutes' }),
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
  })
  .refine(({ times, probability }) => times === undefined || probability === undefined, {
    error: 'has times and probability; choose one',
  })
  .meta({
    not: { properties: { times: {}, probability: {} }, required: ['times', 'probability'] },
    example: { phase: 'recipient', code: 451, text: '4.7.1 Greylisted, try again later', times: 2 },
  })

/** A rule as a caller sets it. */
export type FaultRule = z.output<typeof faultRuleSchema>

/** The remaining faults of an inbox. */
export const faultsSchema = z
  .object({
    rules: z
      .array(
        z.object({
          phase: phaseSchema,
          code: codeSchema,
          text: z
            .string()
            .describe('The text of the reply, after the code.')
            .meta({ example: '4.7.1 Greylisted, try again in 5 minutes' }),
          timesLeft: z.int().nullable().describe('Null for a rule without `times`.'),
          probability: z.int().nullable(),
        }),
      )
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
    'To test how an application handles refusals: the inbox refuses mail with the SMTP codes of the rules. Replaces earlier rules. Rules expire by themselves; the diagnostics show each refusal as `fault.injected`.',
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
