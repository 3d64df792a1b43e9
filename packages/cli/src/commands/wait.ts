import { defineCommand } from '../command.ts'
import { CONNECTION_OPTIONS, connect } from '../connection.ts'
import { chooseInbox } from '../inbox-choice.ts'
import { printJson, whileWaiting } from '../output.ts'
import { showMessage } from '../show-message.ts'
import { WAIT_OPTIONS, waitOptions } from '../wait-options.ts'

/** Waits for a message and shows it. */
export const wait = defineCommand({
  name: 'wait',
  summary: 'wait for a message and show it',
  args: ['[INBOX]'],
  about:
    'INBOX is an id or an address; default: the newest inbox. A message that has already arrived\ncounts, unless --since or --after excludes it. Exits with 3 when none arrives in time.',
  options: { ...WAIT_OPTIONS, ...CONNECTION_OPTIONS },
  example: "mayfly wait --subject '/verify/i' --timeout 60",
  run: async ({ options, args: [named], terminal }) => {
    const query = { ...waitOptions(options), signal: terminal.interrupted }
    const client = await connect(terminal, options)
    const inbox = await chooseInbox(client, named, terminal.interrupted)
    const what = `waiting for a message to ${inbox.emailAddress}`
    const { timeoutSeconds } = query
    const waiting = inbox.waitForMessage(query)
    const message = await whileWaiting(terminal, { what, timeoutSeconds }, waiting)
    if (options.json) return printJson(terminal, message)
    showMessage(terminal, message)
  },
})
