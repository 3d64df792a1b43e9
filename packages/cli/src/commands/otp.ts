import { defineCommand } from '../command.ts'
import { chooseInbox } from '../inbox-choice.ts'
import { printableLine } from '../printable.ts'
import { connect, SERVICE_OPTIONS } from '../service.ts'
import { whileWaiting } from '../spinner.ts'
import { print, printJson } from '../terminal.ts'
import { WAIT_OPTIONS, waitOptions } from '../wait-options.ts'

/** Waits for a one-time code and prints it alone. */
export const otp = defineCommand({
  name: 'otp',
  summary: 'wait for a one-time code and print it, alone',
  args: ['[INBOX]'],
  about:
    'INBOX is an id or an address; the newest inbox when left out. A code that is there already\ncounts, unless --since or --after says otherwise. Exits with 3 when none comes in time.',
  options: { ...WAIT_OPTIONS, ...SERVICE_OPTIONS },
  example: 'CODE=$(mayfly otp --timeout 60)',
  run: async ({ options, args: [named], terminal }) => {
    const wanted = { ...waitOptions(options), signal: terminal.interrupted }
    const client = await connect(terminal, options)
    const inbox = await chooseInbox(client, named, terminal.interrupted)
    const what = `waiting for a code to ${inbox.emailAddress}`
    const { timeoutSeconds } = wanted
    const waiting = inbox.waitForOtp(wanted)
    const { value, confidence, message } = await whileWaiting(
      terminal,
      { what, timeoutSeconds },
      waiting,
    )
    if (options.json) return printJson(terminal, { value, confidence, messageId: message.id })
    print(terminal, printableLine(value))
  },
})
