import { type Command, defineCommand, defineGroup } from '../command.ts'
import { CommandFailed } from '../exit.ts'
import { connect, SERVICE_OPTIONS } from '../service.ts'
import { formatTable } from '../table.ts'
import { print, printJson, style } from '../terminal.ts'
import { parseCount } from '../values.ts'
import { listen } from './webhooks-listen.ts'

const create = defineCommand({
  name: 'webhooks new',
  summary: 'register an https:// endpoint and print its signing secret',
  args: ['URL'],
  options: SERVICE_OPTIONS,
  example: 'mayfly webhooks new https://app.example/hooks/mail',
  run: async ({ options, args: [url = ''], terminal }) => {
    const client = await connect(terminal, options)
    const created = await client.webhooks.create(url, { signal: terminal.interrupted })
    if (options.json) return printJson(terminal, created)
    print(terminal, `Registered as ${created.webhook.id}.`)
    print(terminal, `Secret (shown this once): ${style(terminal, 'bold', created.secret)}`)
  },
})

const list = defineCommand({
  name: 'webhooks list',
  summary: 'list the registered endpoints',
  options: SERVICE_OPTIONS,
  example: 'mayfly webhooks list',
  run: async ({ options, terminal }) => {
    const client = await connect(terminal, options)
    const webhooks = await client.webhooks.list({ signal: terminal.interrupted })
    if (options.json) return printJson(terminal, webhooks)
    const rows = webhooks.map(({ url, lastStatus, lastDeliveryAt, id }) => [
      url,
      String(lastStatus ?? '-'),
      lastDeliveryAt ?? '-',
      id,
    ])
    print(terminal, formatTable(terminal, ['url', 'last status', 'last delivery', 'id'], rows))
  },
})

const remove = defineCommand({
  name: 'webhooks rm',
  summary: 'delete a registered endpoint',
  args: ['WEBHOOK'],
  options: { url: SERVICE_OPTIONS.url, 'api-key': SERVICE_OPTIONS['api-key'] },
  example: 'mayfly webhooks rm whk_01k9zq3v7d8s2m4n6p8r0t2w4y',
  run: async ({ options, args: [webhookId = ''], terminal }) => {
    const client = await connect(terminal, options)
    await client.webhooks.delete(webhookId, { signal: terminal.interrupted })
    print(terminal, `${webhookId} is gone.`)
  },
})

const deliveries = defineCommand({
  name: 'webhooks deliveries',
  summary: 'show the delivery log, newest first',
  options: {
    limit: { type: 'string', short: 'n', value: 'COUNT', about: 'at most so many' },
    ...SERVICE_OPTIONS,
  },
  example: 'mayfly webhooks deliveries -n 10',
  run: async ({ options, terminal }) => {
    const limit = options.limit === undefined ? undefined : parseCount('limit', options.limit)
    const client = await connect(terminal, options)
    const page = await client.webhooks.deliveries({ limit, signal: terminal.interrupted })
    if (options.json) return printJson(terminal, page)
    const rows = page.deliveries.map(({ createdAt, status, attempts, url, id }) => {
      const last = attempts.at(-1)
      return [createdAt.slice(0, 19), status, String(last?.status ?? last?.error ?? '-'), url, id]
    })
    print(terminal, formatTable(terminal, ['created (UTC)', 'status', 'last', 'url', 'id'], rows))
  },
})

const replay = defineCommand({
  name: 'webhooks replay',
  summary: 'send a past delivery once more',
  args: ['DELIVERY'],
  options: SERVICE_OPTIONS,
  example: 'mayfly webhooks replay evt_01k9zq3v7d8s2m4n6p8r0t2w4y',
  run: async ({ options, args: [deliveryId = ''], terminal }) => {
    const client = await connect(terminal, options)
    const outcome = await client.webhooks.replay(deliveryId, { signal: terminal.interrupted })
    if (options.json) return printJson(terminal, outcome)
    print(terminal, `${outcome.eventId} was sent again. See: mayfly webhooks deliveries`)
  },
})

const test = defineCommand({
  name: 'webhooks test',
  summary: 'send a signed sample event to an endpoint',
  args: ['WEBHOOK'],
  about: 'Exits with 1 when the endpoint does not answer with success.',
  options: SERVICE_OPTIONS,
  example: 'mayfly webhooks test whk_01k9zq3v7d8s2m4n6p8r0t2w4y',
  run: async ({ options, args: [webhookId = ''], terminal }) => {
    const client = await connect(terminal, options)
    const outcome = await client.webhooks.test(webhookId, { signal: terminal.interrupted })
    const { status, detail, durationMs } = outcome.attempt
    if (options.json) printJson(terminal, outcome)
    else
      print(
        terminal,
        `${status ?? 'no answer'} after ${durationMs} ms${detail ? `: ${detail}` : ''}`,
      )
    if (!outcome.delivered) throw new CommandFailed('')
  },
})

/** Registers and watches webhooks. */
export const webhooks: Command = defineGroup('webhooks', 'register, watch and replay webhooks', [
  listen,
  create,
  list,
  remove,
  test,
  deliveries,
  replay,
])
