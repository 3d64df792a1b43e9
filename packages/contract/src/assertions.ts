import { z } from 'zod'
import {
  ASSERTION_CLIENTS_MAX,
  ASSERTION_TEXT_LENGTH_MAX,
  ASSERTIONS,
  WAIT_SECONDS,
} from './bounds.ts'
import { dateTimeSchema } from './date-times.ts'
import { errorResponses } from './error-responses.ts'
import { idSchema, inboxRefSchema } from './id-schema.ts'
import { watermarkSchema } from './inboxes.ts'
import { otpFormatField } from './otp-format.ts'
import { nameSchema } from './rules.ts'
import { KEY_ERRORS, SECURITY } from './security.ts'
import { filterFields, sinceField } from './waiting.ts'

const text = z.string().min(1).max(ASSERTION_TEXT_LENGTH_MAX)

/** A family of mail clients, or one of its platforms. */
const CLIENT = /^[a-z0-9-]{1,40}(?:\.[a-z0-9-]{1,40})?$/

const assertionVariants = [
  z
    .strictObject({ type: z.literal('otpPresent'), otpFormat: otpFormatField })
    .describe('Passes when a one-time code was detected; with `otpFormat`, one of that form.')
    .meta({ id: 'OtpPresentAssertion' }),
  z
    .strictObject({
      type: z.literal('containsText'),
      text: text
        .describe('Must occur in subject, text or visible HTML; literal and case-sensitive.')
        .meta({ example: 'Welcome' }),
    })
    .describe('Passes when the text occurs in the mail.')
    .meta({ id: 'ContainsTextAssertion' }),
  z
    .strictObject({
      type: z.literal('linkResponds'),
      urlContains: text
        .optional()
        .describe('Only links that contain this are tried.')
        .meta({ example: '/verify' }),
    })
    .describe(
      'Passes when a link responds with 2xx. Links are requested in order with GET, at most 10; redirects are followed, at most 5.',
    )
    .meta({ id: 'LinkRespondsAssertion' }),
  z
    .strictObject({
      type: z.literal('auth'),
      check: z.enum(['spf', 'dkim', 'dmarc']).describe('The sender check.'),
      expect: text.default('pass').describe('The expected result, in the terms of RFC 8601.'),
    })
    .describe('Passes when the sender check has the expected result; waits until it is done.')
    .meta({ id: 'AuthAssertion' }),
  z
    .strictObject({
      type: z.literal('htmlSupport'),
      clients: z
        .array(z.string().regex(CLIENT, { error: 'must be a client such as gmail or gmail.ios' }))
        .min(1)
        .max(ASSERTION_CLIENTS_MAX)
        .optional()
        .describe('Mail clients by family, or by family and platform. Default: all known clients.')
        .meta({ example: ['gmail', 'outlook.windows'] }),
      atLeast: z
        .number()
        .min(0)
        .max(100)
        .describe(
          'Minimum support in percent of the HTML and CSS features in use. Partial support counts half.',
        )
        .meta({ example: 90 }),
    })
    .describe(
      'Passes when each mail client supports enough of the HTML, by the data of caniemail.com.',
    )
    .meta({ id: 'HtmlSupportAssertion' }),
] as const

/** A check on a mail. */
export const assertionSchema = z
  .discriminatedUnion('type', assertionVariants, {
    error: (issue) =>
      issue.code === 'invalid_union'
        ? 'must have a type: "otpPresent", "containsText", "linkResponds", "auth" or "htmlSupport"'
        : undefined,
  })
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
      .describe('Seconds from the call; 0 when the message was there already.')
      .meta({ example: 0.42 }),
    results: z.array(
      z.object({
        type: z.string().meta({ example: 'containsText' }),
        passed: z.boolean(),
        detail: z.string().meta({ example: 'The text "Welcome" occurs in the subject.' }),
      }),
    ),
    message: z
      .object({
        id: idSchema('message'),
        subject: z.string().nullable().meta({ example: 'Welcome' }),
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
  operationId: 'assertInbox',
  tags: ['Assertions and scenarios'],
  summary: 'Wait for a mail and check it',
  description:
    'Checks the newest message that matches, as `wait` finds it. Responds with 200 whether or not the assertions pass: check `passed`.',
  security: SECURITY,
  params: z.object({ id: inboxRefSchema }),
  body: z.strictObject({
    assertions: assertionsField,
    timeoutSeconds: timeoutField.default(WAIT_SECONDS.default),
    since: sinceField,
    after: watermarkSchema.optional(),
    ...filterFields,
  }),
  response: { 200: assertionRunSchema, ...errorResponses(...RUN_ERRORS) },
}

/** A saved, named set of assertions. */
export const scenarioSchema = z
  .object({
    id: idSchema('scenario'),
    name: z.string().meta({ example: 'sign-up' }),
    assertions: z.array(assertionSchema),
    timeoutSeconds: z.number().int().meta({ example: 30 }),
    createdAt: dateTimeSchema,
  })
  .meta({ id: 'Scenario' })

/** A saved, named set of assertions. */
export type Scenario = z.infer<typeof scenarioSchema>

/** POST /v1/scenarios */
export const createScenario = {
  operationId: 'createScenario',
  tags: ['Assertions and scenarios'],
  summary: 'Save a scenario',
  security: SECURITY,
  body: z.strictObject({
    name: nameSchema.meta({ example: 'sign-up' }),
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
  operationId: 'listScenarios',
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
  operationId: 'deleteScenario',
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
  operationId: 'runScenario',
  tags: ['Assertions and scenarios'],
  summary: 'Run a scenario against an inbox',
  description: 'Responds with 200 whether or not the assertions pass: check `passed`.',
  security: SECURITY,
  params: scenarioParams,
  body: z.strictObject({
    inboxId: inboxRefSchema,
    since: sinceField,
    after: watermarkSchema.optional(),
  }),
  response: { 200: assertionRunSchema, ...errorResponses(...RUN_ERRORS, 'scenario_not_found') },
}
