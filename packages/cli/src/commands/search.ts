import { defineCommand } from '../command.ts'
import { CONNECTION_OPTIONS, connect } from '../connection.ts'
import { parseCount } from '../option-values.ts'
import { formatTable, print, printableLine, printJson } from '../output.ts'

/** Searches the messages of all inboxes. */
export const search = defineCommand({
  name: 'search',
  summary: 'search the messages of all inboxes, newest first',
  args: ['QUERY…'],
  takesDashedText: true,
  about:
    'Terms such as from:acme, subject:"your code", has:attachment, is:unread, after:2026-11-15, link:host\nand words must all hold; a minus before a term negates it. After -- everything is part of the query.',
  options: {
    limit: {
      type: 'string',
      short: 'n',
      value: 'COUNT',
      about: 'maximum number of messages, up to 100 (default: 50)',
    },
    cursor: { type: 'string', value: 'CURSOR', about: 'the cursor that the previous page printed' },
    ...CONNECTION_OPTIONS,
  },
  example: 'mayfly search \'from:acme "your code" -is:read\'',
  run: async ({ options, args, terminal }) => {
    const limit = options.limit === undefined ? undefined : parseCount('limit', options.limit)
    const client = await connect(terminal, options)
    const signal = terminal.interrupted
    const page = await client.search(args.join(' '), { limit, cursor: options.cursor, signal })
    if (options.json) return printJson(terminal, page)
    const rows = page.messages.map((message) => [
      message.receivedAt.slice(0, 19).replace('T', ' '),
      printableLine(message.from.address ?? message.from.name ?? '-'),
      printableLine(message.subject ?? '-'),
      message.inboxId,
      message.id,
    ])
    if (rows.length === 0) terminal.err('No message matches.\n')
    else {
      const header = ['received (UTC)', 'from', 'subject', 'inbox', 'id']
      print(terminal, formatTable(terminal, header, rows))
    }
    if (page.nextCursor !== null)
      terminal.err(`To continue the search: --cursor ${page.nextCursor}\n`)
  },
})
