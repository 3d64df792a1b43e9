import { defineCommand } from '../command.ts'
import { CONNECTION_OPTIONS, connect } from '../connection.ts'
import { chooseInbox } from '../inbox-choice.ts'
import { print, printableLine, printJson, whileWaiting } from '../output.ts'
import { WAIT_OPTIONS, waitOptions } from '../wait-options.ts'

/** Waits for a one-time code and prints only the code. */
export const otp = defineCommand({
  name: 'otp',
  summary: 'wait for a one-time code and print only the code',
  args: ['[INBOX]'],
  about:
    'INBOX is an id or an address; default: the newest inbox. A code that has already arrived\ncounts, unless --since or --after excludes it. Exits with 3 when none arrives in time.',
  options: {
    format: {
      type: 'string',
      value: 'FORM',
      about: 'form of the code: 999999, AAAA-AAAA (9 a digit, A also a letter)',
    },
    ...WAIT_OPTIONS,
    ...CONNECTION_OPTIONS,
  },
  example: 'CODE=$(mayfly otp --timeout 60)',
  run: async ({ options, args: [named], terminal }) => {
    const query = {
      ...waitOptions(options),
      otpFormat: options.format,
      signal: terminal.interrupted,
    }
    const client = await connect(terminal, options)
    const inbox = await chooseInbox(client, named, terminal.interrupted)
    const what = `waiting for a code to ${inbox.emailAddress}`
    const { timeoutSeconds } = query
    const waiting = inbox.waitForOtp(query)
    const { value, confidence, message } = await whileWaiting(
      terminal,
      { what, timeoutSeconds },
      waiting,
    )
    if (options.json) return printJson(terminal, { value, confidence, messageId: message.id })
    print(terminal, printableLine(value))
  },
})
