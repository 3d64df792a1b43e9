import type { AccountEvent } from '@mayfly/client'
import { defineCommand } from '../command.ts'
import { CONNECTION_OPTIONS, connect } from '../connection.ts'
import { chooseInbox } from '../inbox-choice.ts'
import { print, printableLine } from '../output.ts'

/** Prints the events of the account, live. */
export const tail = defineCommand({
  name: 'tail',
  summary: 'print what happens in the account as it happens, until Ctrl+C',
  args: ['[INBOX]'],
  about:
    'INBOX is an id or an address; default: all inboxes.\nWith --json, each event is a line of JSON.',
  options: CONNECTION_OPTIONS,
  example: 'mayfly tail --json | jq -r \'select(.type == "message.received").message.subject\'',
  run: async ({ options, args: [named], terminal }) => {
    const client = await connect(terminal, options)
    const signal = AbortSignal.any([terminal.interrupted, terminal.outputClosed])
    const only = named === undefined ? null : (await chooseInbox(client, named, signal)).id
    const onOpen = () => terminal.err('Following; Ctrl+C ends it.\n')
    const onLost = () => terminal.err('The connection was lost; it is opened again.\n')
    for await (const event of client.events({ signal, onOpen, onLost })) {
      const inboxId = inboxOf(event)
      if (only !== null && inboxId !== null && inboxId !== only) continue
      if (options.json) terminal.out(`${JSON.stringify(event)}\n`)
      else {
        const place = 'message' in event ? event.message.recipient : (inboxId ?? '')
        print(terminal, [event.type.padEnd(16), place, describe(event)].join('  ').trim())
      }
    }
  },
})

/** The inbox that an event is about; null when it is about none. */
function inboxOf(event: AccountEvent): string | null {
  switch (event.type) {
    case 'reset':
      return null
    case 'inbox.created':
      return event.inbox.id
    case 'delivery.updated':
      return event.delivery.inboxId
    case 'wait.started':
    case 'wait.ended':
      return event.wait.inboxId
    default:
      return event.inboxId
  }
}

function describe(event: AccountEvent): string {
  switch (event.type) {
    case 'message.received':
    case 'message.updated': {
      const { from, subject } = event.message
      return [from.address ?? from.name ?? '-', subject ?? '-'].map(printableLine).join('  ')
    }
    case 'message.deleted':
      return event.messageIds.join(' ')
    case 'inbox.created':
      return event.inbox.emailAddress
    case 'diagnostics':
      return printableLine(`${event.event.stage}  ${event.event.detail ?? ''}`)
    case 'delivery.updated':
      return printableLine(`${event.delivery.status}  ${event.delivery.url}`)
    case 'wait.started':
      return `for ${event.wait.for}, until ${event.wait.deadline}`
    case 'reset':
      return `events may be missing (${event.reason})`
    default:
      return ''
  }
}
