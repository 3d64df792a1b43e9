import {
  type AssertionRun,
  assertInbox,
  assertionRunSchema,
  createScenario,
  idSchema,
  listScenarios,
  runScenario,
} from '@mayfly/contract'
import { z } from 'zod'
import { withProgress } from '../progress.ts'
import {
  ADDS,
  type Annotations,
  defineTool,
  READ_ONLY,
  type ToolCall,
  untrustedField,
} from '../tool.ts'
import { oneLine } from '../untrusted.ts'

/** Characters of a result's detail, which may quote the mail. */
const DETAIL_CHARS_MAX = 1_000

/** `linkResponds` fetches links of the mail, so a check sends requests outside. */
const CHECKS: Annotations = { ...READ_ONLY, openWorldHint: true }

const runOutput = assertionRunSchema
  .pick({ passed: true, arrived: true, arrivalSeconds: true })
  .extend({
    results: z.array(z.object({ type: z.string(), passed: z.boolean() })),
    messageId: idSchema('message').nullable(),
    untrusted: untrustedField.describe('Why each assertion passed or failed; quotes the mail.'),
  })

/** Checks on mail. */
export const assertionTools = [
  defineTool({
    name: 'check_mail',
    title: 'Check a mail',
    description:
      'Waits for a mail if none is there, then checks it: whether it has a one-time code (otpPresent), contains a text (containsText), has a link that responds (linkResponds), passes SPF, DKIM or DMARC (auth), is supported by mail clients (htmlSupport). Use it to decide whether a test passed: look at `passed`; `untrusted` has the reason for each result.',
    input: assertInbox.body.extend({ inboxId: idSchema('inbox') }),
    output: runOutput,
    annotations: CHECKS,
    waits: true,
    run: async (call, { inboxId, assertions, timeoutSeconds, ...filter }) => {
      const { app, caller, signal: gone } = call
      const timeoutMs = timeoutSeconds * 1000
      const request = { inboxId, assertions, filter, timeoutMs, gone }
      return runWithProgress(call, timeoutSeconds, () => app.assertions.run(caller, request))
    },
  }),
  defineTool({
    name: 'save_scenario',
    title: 'Save a scenario',
    description:
      'Saves a set of assertions under a name, to be run with run_scenario. Use it when you need the same checks many times, not for a single check.',
    input: createScenario.body,
    output: createScenario.response[201],
    annotations: ADDS,
    run: async ({ app, caller }, options) => ({
      scenario: await app.scenarios.create(caller, options),
    }),
  }),
  defineTool({
    name: 'list_scenarios',
    title: 'List scenarios',
    description:
      'Lists the saved scenarios with their assertions. Use it to find the id for run_scenario, or to see whether the checks that you need are saved already.',
    input: z.strictObject({}),
    output: listScenarios.response[200],
    annotations: READ_ONLY,
    run: async ({ app, caller }) => ({ scenarios: await app.scenarios.list(caller) }),
  }),
  defineTool({
    name: 'run_scenario',
    title: 'Run a scenario',
    description:
      'Runs a saved scenario against an inbox: waits for a mail and runs every check, as check_mail does. Use it when list_scenarios has one that fits.',
    input: runScenario.body.extend({ scenarioId: idSchema('scenario') }),
    output: runOutput,
    annotations: CHECKS,
    waits: true,
    run: async (call, { scenarioId, inboxId, ...filter }) => {
      const { app, caller, signal: gone } = call
      const request = { scenarioId, inboxId, filter, gone }
      return runWithProgress(call, null, () => app.scenarios.run(caller, request))
    },
  }),
]

async function runWithProgress(
  call: ToolCall,
  totalSeconds: number | null,
  run: () => Promise<AssertionRun>,
): Promise<z.output<typeof runOutput>> {
  const { report, elapsedMs, fence } = call
  const message = 'Waiting for a mail to check'
  const {
    passed,
    arrived,
    arrivalSeconds,
    results,
    message: checked,
  } = await withProgress({ report, elapsedMs, totalSeconds, message }, run)
  const lines = results.map(
    ({ type, passed, detail }) =>
      `${type} ${passed ? 'passed' : 'failed'}: ${oneLine(detail, DETAIL_CHARS_MAX)}`,
  )
  return {
    passed,
    arrived,
    arrivalSeconds,
    results: results.map(({ type, passed }) => ({ type, passed })),
    messageId: checked?.id ?? null,
    untrusted: fence(lines.join('\n')),
  }
}
