import { defineCommand } from '../command.ts'
import { chooseInbox } from '../inbox-choice.ts'
import { printableLine } from '../printable.ts'
import { connect, SERVICE_OPTIONS } from '../service.ts'
import { formatTable } from '../table.ts'
import { print, printJson } from '../terminal.ts'
import { parseCount } from '../values.ts'

/** Lists the messages of an inbox. */
export const messages = defineCommand({
  name: 'messages',
  summary: 'list the messages of an inbox, newest first',
  args: ['[INBOX]'],
  about: 'INBOX is an id or an address; the newest inbox when left out.',
  options: {
    limit: { type: 'string', short: 'n', value: 'COUNT', about: 'at most so many, up to 100 (50)' },
    cursor: { type: 'string', value: 'CURSOR', about: 'go on after an earlier page' },
    ...SERVICE_OPTIONS,
  },
  example: 'mayfly messages signup@mayfly.test -n 10',
  run: async ({ options, args: [named], terminal }) => {
    const limit = options.limit === undefined ? undefined : parseCount('limit', options.limit)
    const client = await connect(terminal, options)
    const signal = terminal.interrupted
    const inbox = await chooseInbox(client, named, signal)
    const page = await inbox.listMessages({ limit, cursor: options.cursor, signal })
    if (options.json) return printJson(terminal, page)
    if (page.messages.length === 0) {
      return terminal.err(
        `Nothing has arrived at ${inbox.emailAddress}. See: mayfly diagnose ${inbox.id}\n`,
      )
    }
    const rows = page.messages.map((message) => [
      message.receivedAt.slice(0, 19).replace('T', ' '),
      printableLine(message.from.address ?? message.from.name ?? '-'),
      printableLine(message.subject ?? '-'),
      [message.hasOtp ? 'code' : '', message.hasAttachments ? 'files' : ''].join(' ').trim(),
      message.id,
    ])
    print(terminal, formatTable(terminal, ['received (UTC)', 'from', 'subject', 'has', 'id'], rows))
    if (page.nextCursor !== null) terminal.err(`There are more: --cursor ${page.nextCursor}\n`)
  },
})
