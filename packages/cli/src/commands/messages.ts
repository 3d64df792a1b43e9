import type { MessageSummary } from '@mayfly/client'
import { type Command, defineCommand, withSubcommands } from '../command.ts'
import { CONNECTION_OPTIONS, connect } from '../connection.ts'
import { UsageError } from '../exit.ts'
import { chooseInbox, INBOX_OPTION, ofMessage } from '../inbox-choice.ts'
import { parseCount } from '../option-values.ts'
import { formatTable, print, printableLine, printJson } from '../output.ts'
import { QUERY_OPTION } from '../wait-options.ts'

const list = defineCommand({
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
    cursor: { type: 'string', value: 'CURSOR', about: 'the cursor that the previous page printed' },
    query: QUERY_OPTION,
    ...CONNECTION_OPTIONS,
  },
  example: 'mayfly messages signup@mayfly.test -n 10',
  run: async ({ options, args: [named], terminal }) => {
    const limit = options.limit === undefined ? undefined : parseCount('limit', options.limit)
    const client = await connect(terminal, options)
    const signal = terminal.interrupted
    const inbox = await chooseInbox(client, named, signal)
    const { cursor, query: q } = options
    const page = await inbox.listMessages({ limit, cursor, q, signal })
    if (options.json) return printJson(terminal, page)
    if (page.messages.length === 0 && q !== undefined) {
      return terminal.err(`No message in ${inbox.emailAddress} matches.\n`)
    }
    if (page.messages.length === 0) {
      return terminal.err(
        terminal.withCommands(
          `No message has arrived at ${inbox.emailAddress}. See: mayfly diagnose ${inbox.id}\n`,
        ),
      )
    }
    const rows = page.messages.map((message) => [
      message.receivedAt.slice(0, 19).replace('T', ' '),
      printableLine(message.from.address ?? message.from.name ?? '-'),
      printableLine(message.subject ?? '-'),
      marksOf(message),
      message.id,
    ])
    print(terminal, formatTable(terminal, ['received (UTC)', 'from', 'subject', 'has', 'id'], rows))
    if (page.nextCursor !== null) terminal.err(`More messages: --cursor ${page.nextCursor}\n`)
  },
})

const CALL_OPTIONS = { url: CONNECTION_OPTIONS.url, 'api-key': CONNECTION_OPTIONS['api-key'] }

const remove = defineCommand({
  name: 'messages rm',
  summary: 'delete messages immediately',
  args: ['[MESSAGE…]'],
  about: 'MESSAGE is an id, as listed by `mayfly messages`.',
  options: {
    inbox: INBOX_OPTION,
    all: { type: 'boolean', about: 'delete all messages of the inbox' },
    ...CALL_OPTIONS,
  },
  example: 'mayfly messages rm --inbox signup@mayfly.test --all',
  run: async ({ options, args, terminal }) => {
    if (options.all === args.length > 0) throw new UsageError('name messages, or use --all.')
    const client = await connect(terminal, options)
    const signal = terminal.interrupted
    const inbox = await chooseInbox(client, options.inbox, signal)
    if (options.all) {
      await inbox.deleteMessages({ signal })
      return print(terminal, `All messages of ${inbox.emailAddress} were deleted.`)
    }
    for (const messageId of args) {
      await ofMessage(inbox.deleteMessage(messageId, { signal }), { inbox, named: options.inbox })
      print(terminal, `${messageId} was deleted.`)
    }
  },
})

const mark = defineCommand({
  name: 'messages mark',
  summary: 'mark messages as read, or as unread',
  args: ['MESSAGE…'],
  options: {
    inbox: INBOX_OPTION,
    unread: { type: 'boolean', about: 'mark them as unread' },
    ...CALL_OPTIONS,
  },
  example: 'mayfly messages mark msg_01jb2d3k4m5n6p7q',
  run: async ({ options, args, terminal }) => {
    const client = await connect(terminal, options)
    const signal = terminal.interrupted
    const inbox = await chooseInbox(client, options.inbox, signal)
    for (const messageId of args) {
      const marked = inbox.markRead(messageId, { read: !options.unread, signal })
      await ofMessage(marked, { inbox, named: options.inbox })
    }
  },
})

/** Lists, marks and deletes the messages of an inbox. */
export const messages: Command = withSubcommands(list, [mark, remove])

function marksOf(message: MessageSummary): string {
  const marks = [
    message.read ? '' : 'unread',
    message.hasOtp ? 'code' : '',
    message.hasAttachments ? 'files' : '',
  ]
  return marks.filter((mark) => mark !== '').join(' ')
}
