import { openBrowser } from '../browser.ts'
import { defineCommand } from '../command.ts'
import { CONNECTION_OPTIONS, connect } from '../connection.ts'
import { print, printJson } from '../output.ts'

/** Opens the dashboard, signed in. */
export const open = defineCommand({
  name: 'open',
  summary: 'open the dashboard in the browser, signed in',
  about:
    'Prints a link that works once, within 10 minutes, and opens it when run in a terminal.\nNeeds an admin key; on the machine of a local service none has to be given.',
  options: {
    'no-browser': { type: 'boolean', about: 'only print the link' },
    ...CONNECTION_OPTIONS,
  },
  example: 'mayfly open',
  run: async ({ options, terminal }) => {
    const client = await connect(terminal, options)
    const link = await client.internal.createSignInLink({ signal: terminal.interrupted })
    if (options.json) return printJson(terminal, link)
    print(terminal, link.url)
    if (terminal.isInteractive && !options['no-browser']) await openBrowser(terminal, link.url)
  },
})
