import type { CreateInboxOptions, Inbox } from '@mayfly/client'
import { createInternalClient, PROVIDERS, providerSettings } from '@mayfly/client/internal'
import { type Command, defineCommand, defineGroup } from '../command.ts'
import { CONNECTION_OPTIONS, chooseService, connect } from '../connection.ts'
import { UsageError } from '../exit.ts'
import { chooseInbox } from '../inbox-choice.ts'
import { parseCount, parseSeconds } from '../option-values.ts'
import { formatTable, print, printJson, utcTime } from '../output.ts'
import type { Terminal } from '../terminal.ts'

const create = defineCommand({
  name: 'inbox new',
  summary: 'create an inbox and print its address',
  options: {
    'local-part': {
      type: 'string',
      value: 'NAME',
      about: 'the part before the @ (default: random)',
    },
    domain: {
      type: 'string',
      value: 'DOMAIN',
      about: 'a receiving domain, or smart for the best one',
    },
    ttl: {
      type: 'string',
      value: 'SECONDS',
      about: 'seconds until it expires, from 600 to 604800 (default: 86400)',
    },
    'catch-all': {
      type: 'boolean',
      about: 'a catch-all inbox: takes mail for any recipient, by SMTP AUTH',
    },
    keep: { type: 'string', value: 'NUMBER', about: 'messages it keeps (default: 500)' },
    provider: {
      type: 'string',
      value: 'NAME',
      about: "also print a provider's base URL and key, for applications that use it",
    },
    'idempotency-key': {
      type: 'string',
      value: 'KEY',
      about: 'a repeat with the same key within 24 hours prints the same inbox',
    },
    ...CONNECTION_OPTIONS,
  },
  example: 'ADDRESS=$(mayfly inbox new --ttl 600)',
  run: async ({ options, terminal }) => {
    const provider = parseProvider(options.provider)
    const service = await chooseService(terminal, options)
    const client = createInternalClient(service)
    const idempotencyKey = options['idempotency-key']
    const inboxOptions: CreateInboxOptions = {
      signal: terminal.interrupted,
      ...(options['local-part'] === undefined ? {} : { localPart: options['local-part'] }),
      ...(options.domain === undefined ? {} : { domain: options.domain }),
      ...(options.ttl === undefined ? {} : { ttlSeconds: parseSeconds('ttl', options.ttl) }),
      ...(options['catch-all'] ? { catchAll: true } : {}),
      ...(options.keep === undefined ? {} : { keepMessages: parseCount('keep', options.keep) }),
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    }
    const { inbox, replayed } = await client.internal.createInbox(inboxOptions)
    // With a random key a replay only means that the first response was lost.
    if (replayed && idempotencyKey !== undefined) {
      terminal.err(
        `No new inbox: one was created at ${utcTime(inbox.createdAt)} with the same --idempotency-key, and other options have no effect on it.\n`,
      )
    }
    const settings = provider === null ? null : providerSettings(provider, inbox, service)
    if (options.json)
      return printJson(terminal, { ...inbox, ...(settings && { provider: settings }) })
    print(terminal, inbox.emailAddress)
    // Not on standard output: that is the address alone, for scripts.
    if (settings !== null) {
      terminal.err(`Base URL  ${settings.baseUrl}\nKey       ${settings.key}\n`)
    }
  },
})

const list = defineCommand({
  name: 'inbox list',
  summary: 'list the active inboxes, newest first',
  options: {
    all: { type: 'boolean', about: 'also those that are suspended or have expired' },
    ...CONNECTION_OPTIONS,
  },
  example: "mayfly inbox list --json | jq -r '.[].emailAddress'",
  run: async ({ options, terminal }) => {
    const client = await connect(terminal, options)
    const query = { signal: terminal.interrupted, state: options.all ? 'all' : undefined } as const
    const inboxes: Inbox[] = []
    for await (const inbox of client.inboxes.list(query)) inboxes.push(inbox)
    if (options.json) return printJson(terminal, inboxes)
    if (inboxes.length === 0) {
      const none = `No ${options.all ? '' : 'active '}inbox. Create one: mayfly inbox new\n`
      return terminal.err(terminal.withCommands(none))
    }
    const rows = inboxes.map((inbox) => [
      inbox.emailAddress,
      ...(options.all ? [inbox.state] : []),
      String(inbox.messageCount),
      inbox.expiresAt === null ? 'never' : utcTime(inbox.expiresAt),
      inbox.id,
    ])
    const header = ['address', ...(options.all ? ['state'] : []), 'messages', 'expires', 'id']
    print(terminal, formatTable(terminal, header, rows))
  },
})

const show = defineCommand({
  name: 'inbox show',
  summary: 'show one inbox',
  args: ['[INBOX]'],
  about: 'INBOX is an id or an address; default: the newest inbox.',
  options: CONNECTION_OPTIONS,
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
  summary: 'delete inboxes and all their messages immediately',
  args: ['[INBOX…]'],
  options: {
    all: { type: 'boolean', about: 'all inboxes of the account but catch-all ones' },
    url: CONNECTION_OPTIONS.url,
    'api-key': CONNECTION_OPTIONS['api-key'],
  },
  example: 'mayfly inbox rm signup@mayfly.test',
  run: async ({ options, args, terminal }) => {
    if (options.all === args.length > 0) throw new UsageError('name inboxes, or use --all.')
    const client = await connect(terminal, options)
    const signal = terminal.interrupted
    const remove = async (inbox: Inbox) => {
      await inbox.delete({ signal })
      print(terminal, `${inbox.emailAddress} was deleted.`)
    }
    for (const named of args) await remove(await chooseInbox(client, named, signal))
    if (!options.all) return
    for await (const inbox of client.inboxes.list({ state: 'all', limit: 100, signal })) {
      if (!inbox.catchAll) await remove(inbox)
    }
  },
})

/** Creates, lists, shows and deletes inboxes. */
export const inbox: Command = defineGroup('inbox', 'create, list, show and delete inboxes', [
  { ...create, alias: 'create' },
  list,
  show,
  remove,
])

function parseProvider(name: string | undefined): string | null {
  const names = PROVIDERS.map((known) => known.toLowerCase())
  if (name === undefined || names.includes(name)) return name ?? null
  throw new UsageError(`--provider must be one of ${names.join(', ')}, but is "${name}".`)
}

function showInbox(terminal: Terminal, inbox: Inbox): void {
  const rows = {
    address: inbox.emailAddress,
    id: inbox.id,
    state: inbox.state,
    messages: String(inbox.messageCount),
    created: utcTime(inbox.createdAt),
    expires: inbox.expiresAt === null ? 'never' : utcTime(inbox.expiresAt),
    ...(inbox.catchAll ? { keeps: `${inbox.keepMessages} messages, for any recipient` } : {}),
    environment: inbox.environment,
    watermark: inbox.watermark,
  }
  for (const [name, value] of Object.entries(rows)) print(terminal, `${name.padEnd(11)}  ${value}`)
}
