import { defineCommand } from '../command.ts'
import { CONNECTION_OPTIONS, connect } from '../connection.ts'
import { chooseInbox } from '../inbox-choice.ts'
import { formatTable, print, printableLine, printJson, style } from '../output.ts'

/** Explains why an expected mail has not arrived. */
export const diagnose = defineCommand({
  name: 'diagnose',
  summary: 'explain why an expected mail has not arrived',
  args: ['[INBOX]'],
  about: 'INBOX is an id or an address; default: the newest inbox.',
  options: CONNECTION_OPTIONS,
  example: 'mayfly diagnose signup@mayfly.test',
  run: async ({ options, args: [named], terminal }) => {
    const client = await connect(terminal, options)
    const signal = terminal.interrupted
    const inbox = await chooseInbox(client, named, signal)
    const { state, domain, events, nextSteps, ...rest } = await inbox.diagnose({ signal })
    if (options.json) return printJson(terminal, { state, domain, events, nextSteps, ...rest })
    const colour = state === 'active' ? 'green' : 'red'
    print(terminal, `${inbox.emailAddress} is ${style(terminal, colour, state)}.`)
    print(terminal, `Its domain ${domain.domain} is ${domain.status}.`)
    print(terminal, '')
    const rows = events.map(({ at, stage, detail }) => [
      at.slice(0, 19).replace('T', ' '),
      stage,
      printableLine(detail ?? ''),
    ])
    print(terminal, formatTable(terminal, ['at (UTC)', 'stage', 'detail'], rows))
    if (nextSteps.length > 0) print(terminal, '\nWhat to do next:')
    for (const step of nextSteps) print(terminal, `  - ${printableLine(step)}`)
  },
})
