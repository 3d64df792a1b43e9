import { ASSERTION_OPTIONS, endRun, givenAssertions, reportRun } from '../assertion-options.ts'
import { defineCommand } from '../command.ts'
import { chooseInbox } from '../inbox-choice.ts'
import { connect, SERVICE_OPTIONS } from '../service.ts'
import { whileWaiting } from '../spinner.ts'
import { printJson } from '../terminal.ts'
import { TIME_OPTIONS, timeOptions } from '../wait-options.ts'

/** Waits for a message and checks it. */
export const assert = defineCommand({
  name: 'assert',
  summary: 'wait for a message and check it',
  args: ['[INBOX]'],
  about:
    'INBOX is an id or an address; the newest inbox when left out. Exits with 0 when all holds, 1 when\nnot, 3 when no message comes in time.',
  options: { ...ASSERTION_OPTIONS, ...TIME_OPTIONS, ...SERVICE_OPTIONS },
  example: 'mayfly assert --otp --contains "Welcome" --link-with /verify',
  run: async ({ options, args: [named], terminal }) => {
    const assertions = await givenAssertions(options)
    const time = { ...timeOptions(options), signal: terminal.interrupted }
    const client = await connect(terminal, options)
    const inbox = await chooseInbox(client, named, terminal.interrupted)
    const what = `waiting for a message to ${inbox.emailAddress}`
    const checking = inbox.check(assertions, time)
    const { timeoutSeconds } = time
    const run = await whileWaiting(terminal, { what, timeoutSeconds }, checking)
    if (options.json) printJson(terminal, run)
    else reportRun(terminal, run)
    endRun(run)
  },
})
