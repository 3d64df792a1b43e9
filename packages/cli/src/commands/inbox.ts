import type { CreateInboxOptions, Inbox } from '@mayfly/client'
import { type Command, defineCommand, defineGroup } from '../command.ts'
import { chooseInbox } from '../inbox-choice.ts'
import { connect, SERVICE_OPTIONS } from '../service.ts'
import { formatTable } from '../table.ts'
import { print, printJson, type Terminal } from '../terminal.ts'
import { parseSeconds } from '../values.ts'

const create = defineCommand({
  name: 'inbox new',
  summary: 'make an inbox and print its address',
  options: {
    'local-part': { type: 'string', value: 'NAME', about: 'the part before the @ (random)' },
    domain: { type: 'string', value: 'DOMAIN', about: 'a receiving domain, or smart: the best' },
    ttl: { type: 'string', value: 'SECONDS', about: 'seconds until it expires (86400)' },
    ...SERVICE_OPTIONS,
  },
  example: 'ADDRESS=$(mayfly inbox new --ttl 600)',
  run: async ({ options, terminal }) => {
    const client = await connect(terminal, options)
    const wanted: CreateInboxOptions = {
      signal: terminal.interrupted,
      ...(options['local-part'] === undefined ? {} : { localPart: options['local-part'] }),
      ...(options.domain === undefined ? {} : { domain: options.domain }),
      ...(options.ttl === undefined ? {} : { ttlSeconds: parseSeconds('ttl', options.ttl) }),
    }
    const inbox = await client.inboxes.create(wanted)
    if (options.json) return printJson(terminal, inbox)
    print(terminal, inbox.emailAddress)
  },
})

const list = defineCommand({
  name: 'inbox list',
  summary: 'list the active inboxes, newest first',
  options: SERVICE_OPTIONS,
  example: "mayfly inbox list --json | jq -r '.[].emailAddress'",
  run: async ({ options, terminal }) => {
    const client = await connect(terminal, options)
    const inboxes = await client.inboxes.list({ signal: terminal.interrupted })
    if (options.json) return printJson(terminal, inboxes)
    if (inboxes.length === 0) return terminal.err('No active inbox. Make one: mayfly inbox new\n')
    const rows = inboxes.map((inbox) => [
      inbox.emailAddress,
      String(inbox.messageCount),
      localTime(inbox.expiresAt),
      inbox.id,
    ])
    print(terminal, formatTable(terminal, ['address', 'messages', 'expires', 'id'], rows))
  },
})

const show = defineCommand({
  name: 'inbox show',
  summary: 'show one inbox',
  args: ['[INBOX]'],
  about: 'INBOX is an id or an address; the newest inbox when left out.',
  options: SERVICE_OPTIONS,
  example: 'mayfly inbox show signup@mayfly.test',
  run: async ({ options, args: [named], terminal }) => {
    const client = await connect(terminal, options)
    const inbox = await chooseInbox(client, named, terminal.interrupted)
    if (options.json) return printJson(terminal, inbox)
    showInbox(terminal, inbox)
  },
})

const remove = defineCommand({
  name: 'inbox rm',
  summary: 'delete inboxes and all that is in them, at once',
  args: ['INBOX…'],
  options: { url: SERVICE_OPTIONS.url, 'api-key': SERVICE_OPTIONS['api-key'] },
  example: 'mayfly inbox rm signup@mayfly.test',
  run: async ({ options, args, terminal }) => {
    const client = await connect(terminal, options)
    for (const named of args) {
      const inbox = await chooseInbox(client, named, terminal.interrupted)
      await inbox.delete({ signal: terminal.interrupted })
      print(terminal, `${inbox.emailAddress} is gone.`)
    }
  },
})

/** Makes, lists, shows and deletes inboxes. */
export const inbox: Command = defineGroup('inbox', 'make, list, show and delete inboxes', [
  create,
  list,
  show,
  remove,
])

function showInbox(terminal: Terminal, inbox: Inbox): void {
  const rows = {
    address: inbox.emailAddress,
    id: inbox.id,
    state: inbox.state,
    messages: String(inbox.messageCount),
    created: localTime(inbox.createdAt),
    expires: localTime(inbox.expiresAt),
    environment: inbox.environment,
    watermark: inbox.watermark,
  }
  for (const [name, value] of Object.entries(rows)) print(terminal, `${name.padEnd(11)}  ${value}`)
}

function localTime(dateTime: string): string {
  return `${dateTime.slice(0, 19).replace('T', ' ')} UTC`
}
