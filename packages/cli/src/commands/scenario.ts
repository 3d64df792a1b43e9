import type { Client, Scenario } from '@mayfly/client'
import {
  ASSERTION_OPTIONS,
  chosenAssertions,
  reportRun,
  requirePassed,
} from '../assertion-options.ts'
import { type Command, defineCommand, defineGroup } from '../command.ts'
import { CONNECTION_OPTIONS, connect } from '../connection.ts'
import { CommandFailed, UsageError } from '../exit.ts'
import { chooseInbox } from '../inbox-choice.ts'
import { parseSeconds } from '../option-values.ts'
import { formatTable, print, printJson, whileWaiting } from '../output.ts'
import { TIME_OPTIONS } from '../wait-options.ts'

const run = defineCommand({
  name: 'scenario run',
  summary: 'wait for a message and check it with a saved scenario',
  args: ['SCENARIO', '[INBOX]'],
  about:
    'SCENARIO is a name or an id. INBOX is an id or an address; default: the newest inbox. Exits\nwith 0 when all assertions pass, 1 when one fails, 3 when no message arrives in time.',
  options: { since: TIME_OPTIONS.since, after: TIME_OPTIONS.after, ...CONNECTION_OPTIONS },
  example: 'mayfly scenario run signup signup@mayfly.test',
  run: async ({ options, args: [nameOrId = '', named], terminal }) => {
    const client = await connect(terminal, options)
    const signal = terminal.interrupted
    const scenario = await chooseScenario(client, nameOrId, signal)
    const inbox = await chooseInbox(client, named, signal)
    const { since, after } = options
    const running = client.scenarios.run(scenario.id, inbox, { since, after, signal })
    const what = `waiting for a message to ${inbox.emailAddress}`
    const { timeoutSeconds } = scenario
    const report = await whileWaiting(terminal, { what, timeoutSeconds }, running)
    if (options.json) printJson(terminal, report)
    else reportRun(terminal, report)
    requirePassed(report)
  },
})

const save = defineCommand({
  name: 'scenario save',
  summary: 'save a named set of assertions',
  args: ['NAME'],
  about: 'A scenario that has this name is replaced.',
  options: { ...ASSERTION_OPTIONS, timeout: TIME_OPTIONS.timeout, ...CONNECTION_OPTIONS },
  example: 'mayfly scenario save signup --otp --contains "Welcome"',
  run: async ({ options, args: [name = ''], terminal }) => {
    const assertions = await chosenAssertions(options)
    const { timeout } = options
    const time = timeout === undefined ? {} : { timeoutSeconds: parseSeconds('timeout', timeout) }
    const client = await connect(terminal, options)
    const signal = terminal.interrupted
    // The service removes spaces around a name.
    const namesakes = withName(await client.scenarios.list({ signal }), name.trim())
    const old = onlyOne(namesakes, 'Delete all but one: mayfly scenario rm ID')
    const scenario = await client.scenarios.create({ name, assertions, ...time, signal })
    // Only now: when the new one is refused, the old one must stay.
    if (old !== null) await client.scenarios.delete(old.id, { signal })
    if (options.json) return printJson(terminal, scenario)
    const replaced = old === null ? '' : ` ${old.id} was replaced.`
    print(terminal, `Saved as ${scenario.name} (${scenario.id}).${replaced}`)
  },
})

const list = defineCommand({
  name: 'scenario list',
  summary: 'list the saved scenarios',
  options: CONNECTION_OPTIONS,
  example: 'mayfly scenario list',
  run: async ({ options, terminal }) => {
    const client = await connect(terminal, options)
    const scenarios = await client.scenarios.list({ signal: terminal.interrupted })
    if (options.json) return printJson(terminal, scenarios)
    const rows = scenarios.map(({ name, assertions, timeoutSeconds, id }) => [
      name,
      assertions.map(({ type }) => type).join(', '),
      `${timeoutSeconds} s`,
      id,
    ])
    print(terminal, formatTable(terminal, ['name', 'assertions', 'timeout', 'id'], rows))
  },
})

const remove = defineCommand({
  name: 'scenario rm',
  summary: 'delete a saved scenario',
  args: ['SCENARIO'],
  about: 'SCENARIO is a name or an id.',
  options: { url: CONNECTION_OPTIONS.url, 'api-key': CONNECTION_OPTIONS['api-key'] },
  example: 'mayfly scenario rm signup',
  run: async ({ options, args: [nameOrId = ''], terminal }) => {
    const client = await connect(terminal, options)
    const signal = terminal.interrupted
    const scenario = await chooseScenario(client, nameOrId, signal)
    await client.scenarios.delete(scenario.id, { signal })
    print(terminal, `${scenario.name} was deleted.`)
  },
})

/** Saves, runs, lists and deletes scenarios. */
export const scenario: Command = defineGroup('scenario', 'save and run named sets of assertions', [
  run,
  save,
  list,
  remove,
])

async function chooseScenario(
  client: Client,
  nameOrId: string,
  signal: AbortSignal,
): Promise<Scenario> {
  const scenarios = await client.scenarios.list({ signal })
  const found =
    scenarios.find(({ id }) => id === nameOrId) ??
    onlyOne(withName(scenarios, nameOrId), 'Give an id instead.')
  if (found !== null) return found
  throw new CommandFailed(`you have no scenario "${nameOrId}". See: mayfly scenario list`)
}

function withName(scenarios: readonly Scenario[], wanted: string): readonly Scenario[] {
  return scenarios.filter(({ name }) => name === wanted)
}

/** The only scenario of a name, or null; refuses several, which other clients can save. */
function onlyOne(namesakes: readonly Scenario[], advice: string): Scenario | null {
  const [first = null, ...others] = namesakes
  if (first === null || others.length === 0) return first
  const ids = namesakes.map(({ id }) => id).join(', ')
  throw new UsageError(`${namesakes.length} scenarios are named "${first.name}": ${ids}. ${advice}`)
}
