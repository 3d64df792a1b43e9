import { type Command, defineCommand, defineGroup } from '../command.ts'
import { CONNECTION_OPTIONS, connect } from '../connection.ts'
import { CommandFailed, UsageError } from '../exit.ts'
import { formatTable, print, printJson, printSecret, utcTime } from '../output.ts'

const create = defineCommand({
  name: 'keys new',
  summary: 'create a key and print it',
  args: ['NAME'],
  options: {
    admin: { type: 'boolean', about: 'may create and revoke keys (default: a member key)' },
    test: { type: 'boolean', about: 'a key of the environment test (default: live)' },
    ...CONNECTION_OPTIONS,
  },
  example: 'KEY=$(mayfly keys new CI --test)',
  run: async ({ options, args: [name = ''], terminal }) => {
    const client = await connect(terminal, options)
    const created = await client.keys.create({
      name,
      role: options.admin ? 'admin' : 'member',
      environment: options.test ? 'test' : 'live',
      signal: terminal.interrupted,
    })
    if (options.json) return printJson(terminal, created)
    printSecret(terminal, 'API key', created.apiKey)
  },
})

const list = defineCommand({
  name: 'keys list',
  summary: 'list the active keys',
  options: CONNECTION_OPTIONS,
  example: 'mayfly keys list',
  run: async ({ options, terminal }) => {
    const client = await connect(terminal, options)
    const keys = await client.keys.list({ signal: terminal.interrupted })
    if (options.json) return printJson(terminal, keys)
    const rows = keys.map((key) => [
      key.name,
      key.role,
      key.environment,
      `${key.prefix}…`,
      key.lastUsedAt === null ? 'never' : utcTime(key.lastUsedAt),
      key.id,
    ])
    const header = ['name', 'role', 'environment', 'key', 'last used', 'id']
    print(terminal, formatTable(terminal, header, rows))
  },
})

const revoke = defineCommand({
  name: 'keys rm',
  summary: 'revoke a key immediately',
  args: ['KEY'],
  about: 'KEY is an id or a name, as listed by `mayfly keys list`.',
  options: { url: CONNECTION_OPTIONS.url, 'api-key': CONNECTION_OPTIONS['api-key'] },
  example: 'mayfly keys rm CI',
  run: async ({ options, args: [named = ''], terminal }) => {
    const client = await connect(terminal, options)
    const signal = terminal.interrupted
    const matching = (await client.keys.list({ signal })).filter(
      ({ id, name }) => id === named || name === named,
    )
    const [key, ...others] = matching
    if (key === undefined) {
      throw new CommandFailed(`there is no key "${named}". See: mayfly keys list`)
    }
    if (others.length > 0) {
      const ids = matching.map(({ id }) => id).join(', ')
      throw new UsageError(
        `${matching.length} keys are named "${named}": ${ids}. Give an id instead.`,
      )
    }
    await client.keys.revoke(key.id, { signal })
    print(terminal, `${key.name} (${key.prefix}…) was revoked.`)
  },
})

/** Creates, lists and revokes keys. */
export const keys: Command = defineGroup('keys', 'create, list and revoke API keys', [
  create,
  list,
  revoke,
])
