import {
  type AssertionRun,
  assertInbox,
  createScenario,
  idSchema,
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
  type ToolResult,
} from '../tool.ts'
import { oneLine } from '../untrusted.ts'

/** Characters of a result's detail, which may quote the mail. */
const DETAIL_CHARS_MAX = 1_000

/** `linkResponds` fetches links of the mail, so a check sends requests outside. */
const CHECKS: Annotations = { ...READ_ONLY, openWorldHint: true }

/** The assertions in one list of fields: a schema for each type is three times as long. */
const SHOWN_ASSERTIONS = {
  type: 'array',
  items: {
    type: 'object',
    properties: {
      type: { enum: ['otpPresent', 'containsText', 'linkResponds', 'auth', 'htmlSupport'] },
      text: { type: 'string', description: 'containsText: literal, case-sensitive.' },
      urlContains: { type: 'string', description: 'linkResponds: which links.' },
      check: { enum: ['spf', 'dkim', 'dmarc'], description: 'auth.' },
      expect: { type: 'string', description: 'auth: the result; default pass.' },
      clients: {
        type: 'array',
        items: { type: 'string' },
        description: 'htmlSupport: default all.',
      },
      atLeast: { type: 'number', description: 'htmlSupport: percent.' },
    },
    required: ['type'],
  },
}

/** Checks on mail. */
export const assertionTools = [
  defineTool({
    name: 'check_mail',
    description:
      'Waits for a mail if none is there, then checks it: a one-time code, a text, a link that responds, SPF, DKIM or DMARC, support by mail clients. Use it to decide whether a test passed: see `passed`; `untrusted` has the reasons.',
    input: assertInbox.body.extend({
      inboxId: idSchema('inbox'),
      assertions: assertInbox.body.shape.assertions.meta({ shownAs: SHOWN_ASSERTIONS }),
    }),
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
    description:
      'Saves assertions under a name, for run_scenario. Use it for checks that you need many times.',
    input: createScenario.body.extend({
      assertions: createScenario.body.shape.assertions.meta({
        shownAs: { type: 'array', items: { type: 'object' }, description: 'As in check_mail.' },
      }),
    }),
    annotations: ADDS,
    run: async ({ app, caller }, options) => ({
      scenario: await app.scenarios.create(caller, options),
    }),
  }),
  defineTool({
    name: 'list_scenarios',
    description:
      'Lists the saved scenarios with their assertions. Use it to find the id for run_scenario.',
    input: z.strictObject({}),
    annotations: READ_ONLY,
    run: async ({ app, caller }) => ({ scenarios: await app.scenarios.list(caller) }),
  }),
  defineTool({
    name: 'run_scenario',
    description:
      'Runs a saved scenario on an inbox, as check_mail does. Use it when list_scenarios has one that fits.',
    input: runScenario.body.extend({ scenarioId: idSchema('scenario') }),
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
): Promise<ToolResult> {
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
