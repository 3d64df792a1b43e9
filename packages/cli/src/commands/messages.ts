import { defineCommand } from '../command.ts'
import { CONNECTION_OPTIONS, connect } from '../connection.ts'
import { chooseInbox } from '../inbox-choice.ts'
import { parseCount } from '../option-values.ts'
import { formatTable, print, printableLine, printJson } from '../output.ts'

/** Lists the messages of an inbox. */
export const messages = defineCommand({
  name: 'messages',
  summary: 'list the messages of an inbox, newest first',
  args: ['[INBOX]'],
  about: 'INBOX is an id or an address; default: the newest inbox.',
  options: {
    limit: {
      type: 'string',
      short: 'n',
      value: 'COUNT',
      about: 'maximum number of messages, up to 100 (default: 50)',
    },
    cursor: { type: 'string', value: 'CURSOR', about: 'the page after an earlier one' },
    ...CONNECTION_OPTIONS,
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
        `No message has arrived at ${inbox.emailAddress}. See: mayfly diagnose ${inbox.id}\n`,
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
    if (page.nextCursor !== null) terminal.err(`More messages: --cursor ${page.nextCursor}\n`)
  },
})
