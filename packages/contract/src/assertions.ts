import { z } from 'zod'
import { ASSERTION_TEXT_LENGTH_MAX, ASSERTIONS, NAME_LENGTH_MAX, WAIT_SECONDS } from './bounds.ts'
import { errorResponses } from './errors.ts'
import { dateTimeSchema, idSchema } from './ids.ts'
import { watermarkSchema } from './inboxes.ts'
import { KEY_ERRORS, SECURITY } from './security.ts'
import { sinceField } from './waiting.ts'

const text = z.string().min(1).max(ASSERTION_TEXT_LENGTH_MAX)

/** A check on a mail. */
export const assertionSchema = z
  .discriminatedUnion(
    'type',
    [
      z.strictObject({ type: z.literal('otpPresent') }),
      z.strictObject({
        type: z.literal('containsText'),
        text: text.describe('Must occur in subject, text or visible HTML; case-sensitive.'),
      }),
      z.strictObject({
        type: z.literal('linkResponds'),
        urlContains: text.optional().describe('Only links that contain this are tried.'),
      }),
      z.strictObject({
        type: z.literal('auth'),
        check: z.enum(['spf', 'dkim', 'dmarc']),
        expect: text.default('pass').describe('The expected result, in the terms of RFC 8601.'),
      }),
    ],
    {
      error: (issue) =>
        issue.code === 'invalid_union'
          ? 'must have a type: "otpPresent", "containsText", "linkResponds" or "auth"'
          : undefined,
    },
  )
  .meta({ id: 'Assertion', example: { type: 'containsText', text: 'Welcome' } })

/** A check on a mail. */
export type Assertion = z.infer<typeof assertionSchema>

const assertionsField = z.array(assertionSchema).min(ASSERTIONS.min).max(ASSERTIONS.max)

/** The report of an assertion run. */
export const assertionRunSchema = z
  .object({
    passed: z.boolean(),
    arrived: z.boolean(),
    arrivalSeconds: z
      .number()
      .nullable()
      .describe('Seconds from the call; 0 when the message was there already.'),
    results: z.array(z.object({ type: z.string(), passed: z.boolean(), detail: z.string() })),
    message: z
      .object({
        id: idSchema('message'),
        subject: z.string().nullable(),
        receivedAt: dateTimeSchema,
      })
      .nullable(),
  })
  .meta({ id: 'AssertionRun' })

/** The report of an assertion run. */
export type AssertionRun = z.infer<typeof assertionRunSchema>

const timeoutField = z.int().min(WAIT_SECONDS.min).max(WAIT_SECONDS.max)

const RUN_ERRORS = [
  'invalid_json',
  'invalid_parameter',
  ...KEY_ERRORS,
  'inbox_not_found',
  'concurrent_waits_exceeded',
  'shutting_down',
  'content_unavailable',
] as const

/** POST /v1/inboxes/{id}/assert */
export const assertInbox = {
  tags: ['Assertions and scenarios'],
  summary: 'Wait for a mail and check it',
  description: 'Responds with 200 whether or not the assertions pass: check `passed`.',
  security: SECURITY,
  params: z.object({ id: idSchema('inbox') }),
  body: z.strictObject({
    assertions: assertionsField,
    timeoutSeconds: timeoutField.default(WAIT_SECONDS.default),
    since: sinceField,
    after: watermarkSchema.optional(),
  }),
  response: { 200: assertionRunSchema, ...errorResponses(...RUN_ERRORS) },
}

/** A saved, named set of assertions. */
export const scenarioSchema = z
  .object({
    id: idSchema('scenario'),
    name: z.string().meta({ example: 'sign-up' }),
    assertions: z.array(assertionSchema),
    timeoutSeconds: z.number().int(),
    createdAt: dateTimeSchema,
  })
  .meta({ id: 'Scenario' })

/** A saved, named set of assertions. */
export type Scenario = z.infer<typeof scenarioSchema>

/** POST /v1/scenarios */
export const createScenario = {
  tags: ['Assertions and scenarios'],
  summary: 'Save a scenario',
  security: SECURITY,
  body: z.strictObject({
    name: z.string().trim().min(1).max(NAME_LENGTH_MAX),
    assertions: assertionsField,
    timeoutSeconds: timeoutField.default(WAIT_SECONDS.default),
  }),
  response: {
    201: z.object({ scenario: scenarioSchema }),
    ...errorResponses('invalid_json', 'invalid_parameter', ...KEY_ERRORS, 'plan_limit'),
  },
}

/** GET /v1/scenarios */
export const listScenarios = {
  tags: ['Assertions and scenarios'],
  summary: 'List scenarios',
  security: SECURITY,
  response: {
    200: z.object({ scenarios: z.array(scenarioSchema) }),
    ...errorResponses(...KEY_ERRORS),
  },
}

const scenarioParams = z.object({ id: idSchema('scenario') })

/** DELETE /v1/scenarios/{id} */
export const deleteScenario = {
  tags: ['Assertions and scenarios'],
  summary: 'Delete a scenario',
  security: SECURITY,
  params: scenarioParams,
  response: {
    204: z.null().describe('Deleted.'),
    ...errorResponses(...KEY_ERRORS, 'scenario_not_found'),
  },
}

/** POST /v1/scenarios/{id}/run */
export const runScenario = {
  tags: ['Assertions and scenarios'],
  summary: 'Run a scenario against an inbox',
  description: 'Responds with 200 whether or not the assertions pass: check `passed`.',
  security: SECURITY,
  params: scenarioParams,
  body: z.strictObject({
    inboxId: idSchema('inbox'),
    since: sinceField,
    after: watermarkSchema.optional(),
  }),
  response: { 200: assertionRunSchema, ...errorResponses(...RUN_ERRORS, 'scenario_not_found') },
}
