import type { Client, Delivery } from '@mayfly/client'
import { type Command, defineCommand, defineGroup } from '../command.ts'
import { CONNECTION_OPTIONS, connect } from '../connection.ts'
import { CommandFailed, UsageError } from '../exit.ts'
import { parseCount } from '../option-values.ts'
import { formatTable, print, printJson, printSecret, utcTime } from '../output.ts'
import { listen } from './webhooks-listen.ts'

const create = defineCommand({
  name: 'webhooks new',
  summary: 'register an endpoint and print its signing secret',
  args: ['URL'],
  about:
    'URL begins with https://. The local account of the machine of the service may also use http://\nto localhost or a loopback address.',
  options: CONNECTION_OPTIONS,
  example: 'mayfly webhooks new https://app.example/hooks/mail',
  run: async ({ options, args: [url = ''], terminal }) => {
    const client = await connect(terminal, options)
    const created = await client.webhooks.create(url, { signal: terminal.interrupted })
    if (options.json) return printJson(terminal, created)
    terminal.err(`Registered as ${created.webhook.id}.\n`)
    printSecret(terminal, 'Secret', created.secret)
  },
})

const list = defineCommand({
  name: 'webhooks list',
  summary: 'list the registered endpoints',
  options: CONNECTION_OPTIONS,
  example: 'mayfly webhooks list',
  run: async ({ options, terminal }) => {
    const client = await connect(terminal, options)
    const webhooks = await client.webhooks.list({ signal: terminal.interrupted })
    if (options.json) return printJson(terminal, webhooks)
    const rows = webhooks.map(({ url, lastStatus, lastDeliveryAt, id }) => [
      url,
      String(lastStatus ?? '-'),
      lastDeliveryAt === null ? '-' : utcTime(lastDeliveryAt),
      id,
    ])
    print(terminal, formatTable(terminal, ['url', 'last status', 'last delivery', 'id'], rows))
  },
})

const remove = defineCommand({
  name: 'webhooks rm',
  summary: 'delete a registered endpoint',
  args: ['WEBHOOK'],
  options: { url: CONNECTION_OPTIONS.url, 'api-key': CONNECTION_OPTIONS['api-key'] },
  example: 'mayfly webhooks rm whk_01k9zq3v7d8s2m4n6p8r0t2w4y',
  run: async ({ options, args: [webhookId = ''], terminal }) => {
    const client = await connect(terminal, options)
    await client.webhooks.delete(webhookId, { signal: terminal.interrupted })
    print(terminal, `${webhookId} was deleted.`)
  },
})

const deliveries = defineCommand({
  name: 'webhooks deliveries',
  summary: 'show the delivery log, newest first',
  options: {
    limit: { type: 'string', short: 'n', value: 'COUNT', about: 'maximum number of deliveries' },
    ...CONNECTION_OPTIONS,
  },
  example: 'mayfly webhooks deliveries -n 10',
  run: async ({ options, terminal }) => {
    const limit = options.limit === undefined ? undefined : parseCount('limit', options.limit)
    const client = await connect(terminal, options)
    const page = await client.webhooks.deliveries({ limit, signal: terminal.interrupted })
    if (options.json) return printJson(terminal, page)
    const rows = page.deliveries.map(({ createdAt, status, attempts, url, id }) => {
      const last = attempts.at(-1)
      return [utcTime(createdAt), status, String(last?.status ?? last?.error ?? '-'), url, id]
    })
    print(terminal, formatTable(terminal, ['created', 'status', 'last', 'url', 'id'], rows))
  },
})

const replay = defineCommand({
  name: 'webhooks replay',
  summary: 'resend a past delivery and show the response',
  args: ['DELIVERY'],
  about: 'Exits with 1 unless the endpoint responds with a 2xx status.',
  options: CONNECTION_OPTIONS,
  example: 'mayfly webhooks replay evt_01k9zq3v7d8s2m4n6p8r0t2w4y',
  run: async ({ options, args: [deliveryId = ''], terminal }) => {
    const client = await connect(terminal, options)
    const signal = terminal.interrupted
    const outcome = await client.webhooks.replay(deliveryId, { signal })
    const attempt = await lastAttempt(client, deliveryId, signal)
    if (options.json) printJson(terminal, { ...outcome, attempt })
    else print(terminal, `${outcome.eventId} was sent again: ${attemptText(attempt)}`)
    if (attempt !== null && !isSuccess(attempt)) throw new CommandFailed('')
  },
})

const test = defineCommand({
  name: 'webhooks test',
  summary: 'send a signed sample event to an endpoint',
  args: ['[WEBHOOK]'],
  about:
    'WEBHOOK is an id; default: the only one. Exits with 1 unless the endpoint responds with a 2xx\nstatus.',
  options: CONNECTION_OPTIONS,
  example: 'mayfly webhooks test whk_01k9zq3v7d8s2m4n6p8r0t2w4y',
  run: async ({ options, args: [named], terminal }) => {
    const client = await connect(terminal, options)
    const webhookId = named ?? (await onlyWebhook(client, terminal.interrupted))
    const outcome = await client.webhooks.test(webhookId, { signal: terminal.interrupted })
    if (options.json) printJson(terminal, outcome)
    else print(terminal, attemptText(outcome.attempt))
    if (!outcome.delivered) throw new CommandFailed('')
  },
})

async function onlyWebhook(client: Client, signal: AbortSignal): Promise<string> {
  const [only, ...others] = await client.webhooks.list({ signal })
  if (only !== undefined && others.length === 0) return only.id
  const remedy = only === undefined ? 'register one first' : 'name one of `mayfly webhooks list`'
  throw new UsageError(`there ${only === undefined ? 'is no endpoint' : 'are several'}: ${remedy}.`)
}

/** Manages webhooks. */
export const webhooks: Command = defineGroup('webhooks', 'register, receive and replay webhooks', [
  listen,
  create,
  list,
  remove,
  test,
  deliveries,
  replay,
])

type Attempt = Delivery['attempts'][number]

/** The newest attempt of a delivery; null when the log no longer has it. */
async function lastAttempt(
  client: Client,
  deliveryId: string,
  signal: AbortSignal,
): Promise<Attempt | null> {
  const { deliveries } = await client.webhooks.deliveries({ limit: 100, signal })
  return deliveries.find(({ id }) => id === deliveryId)?.attempts.at(-1) ?? null
}

const isSuccess = ({ status }: Attempt) => status !== null && status >= 200 && status < 300

function attemptText(attempt: Attempt | null): string {
  if (attempt === null) return 'see `mayfly webhooks deliveries` for the response.'
  const { status, detail, durationMs } = attempt
  return `${status ?? 'no response'} after ${durationMs} ms${detail ? `: ${detail}` : ''}`
}
