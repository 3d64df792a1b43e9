import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { Server } from 'node:net'
import { ApiError, type Client } from '@mayfly/client'
import { defineCommand } from '../command.ts'
import { CONNECTION_OPTIONS, type ConnectionChoice, connect } from '../connection.ts'
import { UsageError } from '../exit.ts'
import { parseCount } from '../option-values.ts'
import { printableLine, style } from '../output.ts'
import type { Terminal } from '../terminal.ts'
import { type ReceivedDelivery, receiveDelivery } from '../webhook-receiver.ts'

const LISTEN_OPTIONS = {
  public: {
    type: 'string',
    value: 'URL',
    about: 'public https:// URL of this listener (default: its address on this machine)',
  },
  secret: { type: 'string', value: 'SECRET', about: 'the secret of an existing webhook' },
  port: {
    type: 'string',
    short: 'p',
    value: 'PORT',
    about: 'port to listen on (default: 8026; 0: any)',
  },
  host: { type: 'string', value: 'ADDRESS', about: 'address to listen on (default: 127.0.0.1)' },
  'tls-cert': { type: 'string', value: 'FILE', about: 'serve HTTPS with this certificate' },
  'tls-key': { type: 'string', value: 'FILE', about: 'the private key of the certificate' },
  count: {
    type: 'string',
    short: 'n',
    value: 'COUNT',
    about: 'exit after this many verified deliveries',
  },
  ...CONNECTION_OPTIONS,
} as const

/** Receives deliveries, verifies and prints them. */
export const listen = defineCommand({
  name: 'webhooks listen',
  summary: 'receive deliveries, verify and print them',
  about:
    'Registers this listener as a webhook and deletes it at the end; with --secret, listens for an\nexisting webhook. On the machine of the service, the local account needs no option. Elsewhere give\n--public with an https:// URL that reaches this listener: a tunnel, a proxy, or --tls-cert.\nCtrl-C ends it.',
  options: LISTEN_OPTIONS,
  example: 'mayfly webhooks listen --port 8026',
  run: async ({ options, terminal }) => {
    const countMax =
      options.count === undefined ? Number.POSITIVE_INFINITY : parseCount('count', options.count)
    const seen = new Set<string>()
    const counted = new AbortController()
    // The first delivery may arrive before the registration of this listener has returned.
    let setSecret = (_: string) => {}
    const secret = new Promise<string>((resolve) => {
      setSecret = resolve
    })
    const server = await createListener(options, async (request, response) => {
      const delivery = await receiveDelivery(request, await secret)
      response.writeHead(delivery.verified ? 204 : delivery.status).end()
      terminal.out(
        options.json ? `${JSON.stringify(delivery)}\n` : deliveryLine(terminal, delivery, seen),
      )
      if (delivery.verified) seen.add(delivery.event.id)
      if (seen.size >= countMax) counted.abort()
    })
    await started(server, { host: options.host ?? '127.0.0.1', port: portOf(options.port) })
    try {
      const address = addressOf(server, options['tls-cert'] !== undefined)
      const endpoint = await openEndpoint(terminal, options, address)
      try {
        setSecret(endpoint.secret)
        terminal.err(`Listening at ${address}\n`)
        const { interrupted, outputClosed } = terminal
        const ended = AbortSignal.any([interrupted, outputClosed, counted.signal])
        if (!ended.aborted) await once(ended, 'abort')
      } finally {
        await endpoint.remove()
      }
    } finally {
      server.close()
      await once(server, 'close')
    }
  },
})

type Endpoint = { readonly secret: string; remove(): Promise<void> }

/** The given secret, or that of a webhook registered while the command runs. */
async function openEndpoint(
  terminal: Terminal,
  options: ConnectionChoice & {
    readonly secret: string | undefined
    readonly public: string | undefined
  },
  address: string,
): Promise<Endpoint> {
  if (options.secret !== undefined) return { secret: options.secret, remove: async () => {} }
  const client = await connect(terminal, options)
  const { webhook, secret } =
    options.public === undefined
      ? await registerAddress(client, address)
      : await client.webhooks.create(options.public)
  terminal.err(
    `Registered ${webhook.url} as ${webhook.id}; it is deleted when this command ends.\n`,
  )
  return { secret, remove: () => client.webhooks.delete(webhook.id) }
}

async function registerAddress(client: Client, address: string) {
  try {
    return await client.webhooks.create(`${address}/`)
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'invalid_parameter') throw error
    throw new UsageError(
      `only the local account of the machine of the service can receive at ${address}. Give --public with an https:// URL that reaches this listener, or --secret.`,
    )
  }
}

async function createListener(
  options: { readonly 'tls-cert': string | undefined; readonly 'tls-key': string | undefined },
  listener: RequestListener,
): Promise<Server> {
  const [certificate, key] = [options['tls-cert'], options['tls-key']]
  // One delivery per connection: no connection stays open after the last delivery.
  const single: RequestListener = (request, response) => {
    response.setHeader('connection', 'close')
    return listener(request, response)
  }
  if (certificate === undefined && key === undefined) return createServer(single)
  if (certificate === undefined || key === undefined) {
    throw new UsageError('--tls-cert and --tls-key must be given together.')
  }
  return createTlsServer({ cert: await readFile(certificate), key: await readFile(key) }, single)
}

async function started(
  server: Server,
  at: { readonly host: string; readonly port: number },
): Promise<void> {
  server.listen(at)
  try {
    await once(server, 'listening')
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
    if (!isTaken) throw error
    throw new UsageError(
      `port ${at.port} is in use. Choose another with --port; 0 picks a free one.`,
    )
  }
}

function addressOf(server: Server, isTls: boolean): string {
  const address = server.address()
  if (address === null || typeof address === 'string') return String(address)
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address
  return `${isTls ? 'https' : 'http'}://${host}:${address.port}`
}

function portOf(text = '8026'): number {
  if (/^\d{1,5}$/.test(text) && Number(text) < 65_536) return Number(text)
  throw new UsageError(`--port must be a port number, but is "${text}".`)
}

function deliveryLine(
  terminal: Terminal,
  delivery: ReceivedDelivery,
  seen: ReadonlySet<string>,
): string {
  if (!delivery.verified) return `${style(terminal, 'red', 'REFUSED')}  ${delivery.reason}\n`
  const { id, type, data } = delivery.event
  const mark = style(terminal, 'green', 'verified')
  const again = seen.has(id) ? ' (again)' : ''
  const code = data.otp === null ? '' : `, code ${printableLine(data.otp.value)}`
  const subject = printableLine(data.message.subject ?? '(no subject)')
  return `${mark}  ${id}${again}  ${type} to ${data.inbox.emailAddress}: ${subject}${code}\n`
}
