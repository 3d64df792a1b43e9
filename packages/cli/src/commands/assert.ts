import {
  ASSERTION_OPTIONS,
  chosenAssertions,
  reportRun,
  requirePassed,
} from '../assertion-options.ts'
import { defineCommand } from '../command.ts'
import { CONNECTION_OPTIONS, connect } from '../connection.ts'
import { chooseInbox } from '../inbox-choice.ts'
import { printJson, whileWaiting } from '../output.ts'
import { CHECK_OPTIONS, checkOptions } from '../wait-options.ts'

/** Waits for a message and checks it. */
export const assert = defineCommand({
  name: 'assert',
  summary: 'wait for a message and check it',
  args: ['[INBOX]'],
  about:
    'INBOX is an id or an address; default: the newest inbox. Exits with 0 when all assertions\npass, 1 when one fails, 3 when no message arrives in time.',
  options: { ...ASSERTION_OPTIONS, ...CHECK_OPTIONS, ...CONNECTION_OPTIONS },
  example: 'mayfly assert --subject "Welcome" --otp --link-with /verify',
  run: async ({ options, args: [named], terminal }) => {
    const assertions = await chosenAssertions(options)
    const query = { ...checkOptions(options), signal: terminal.interrupted }
    const client = await connect(terminal, options)
    const inbox = await chooseInbox(client, named, terminal.interrupted)
    const what = `waiting for a message to ${inbox.emailAddress}`
    const checking = inbox.check(assertions, query)
    const { timeoutSeconds } = query
    const run = await whileWaiting(terminal, { what, timeoutSeconds }, checking)
    if (options.json) printJson(terminal, run)
    else reportRun(terminal, run)
    requirePassed(run)
  },
})
