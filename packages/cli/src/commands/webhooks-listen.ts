import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { Server } from 'node:net'
import { defineCommand } from '../command.ts'
import { Misuse } from '../exit.ts'
import { printableLine } from '../printable.ts'
import { connect, SERVICE_OPTIONS, type ServiceChoice } from '../service.ts'
import { style, type Terminal } from '../terminal.ts'
import { parseCount } from '../values.ts'
import { type ReceivedDelivery, receiveDelivery } from '../webhook-receiver.ts'

const LISTEN_OPTIONS = {
  public: {
    type: 'string',
    value: 'URL',
    about: 'the https:// address that leads here; registered now, deleted at the end',
  },
  secret: { type: 'string', value: 'SECRET', about: 'the secret of a webhook that exists already' },
  port: { type: 'string', short: 'p', value: 'PORT', about: 'port to listen on (8026; 0: any)' },
  host: { type: 'string', value: 'ADDRESS', about: 'address to listen on (127.0.0.1)' },
  'tls-cert': { type: 'string', value: 'FILE', about: 'serve https with this certificate' },
  'tls-key': { type: 'string', value: 'FILE', about: 'the key of the certificate' },
  count: { type: 'string', short: 'n', value: 'COUNT', about: 'end after so many good deliveries' },
  ...SERVICE_OPTIONS,
} as const

/** Prints and verifies deliveries as they come. */
export const listen = defineCommand({
  name: 'webhooks listen',
  summary: 'print and verify deliveries as they come',
  about:
    'Needs --secret, or --public with an https:// address that leads to this listener (a tunnel, a\nproxy, or --tls-cert on a machine that the service reaches). Ctrl-C ends it.',
  options: LISTEN_OPTIONS,
  example: 'mayfly webhooks listen --public https://my-tunnel.example/hook',
  run: async ({ options, terminal }) => {
    const countMax =
      options.count === undefined ? Number.POSITIVE_INFINITY : parseCount('count', options.count)
    await using endpoint = await openEndpoint(terminal, options)
    const seen = new Set<string>()
    const finished = Promise.withResolvers<void>()
    const server = await createListener(options, async (request, response) => {
      const delivery = await receiveDelivery(request, endpoint.secret)
      response.writeHead(delivery.verified ? 204 : delivery.status).end()
      terminal.out(
        options.json ? `${JSON.stringify(delivery)}\n` : deliveryLine(terminal, delivery, seen),
      )
      if (delivery.verified) seen.add(delivery.event.id)
      if (seen.size >= countMax) finished.resolve()
    })
    await started(server, { host: options.host ?? '127.0.0.1', port: portOf(options.port) })
    terminal.err(`Listening at ${addressOf(server, options['tls-cert'] !== undefined)}\n`)
    terminal.interrupted.addEventListener('abort', () => finished.resolve())
    await finished.promise
    server.close()
    await once(server, 'close')
  },
})

type Endpoint = AsyncDisposable & { readonly secret: string }

/** The secret that was named, or that of a webhook registered for as long as we listen. */
async function openEndpoint(
  terminal: Terminal,
  options: ServiceChoice & {
    readonly secret: string | undefined
    readonly public: string | undefined
  },
): Promise<Endpoint> {
  if (options.secret !== undefined) {
    return { secret: options.secret, [Symbol.asyncDispose]: async () => {} }
  }
  if (options.public === undefined) throw new Misuse('give --secret, or --public with an address.')
  const client = await connect(terminal, options)
  const { webhook, secret } = await client.webhooks.create(options.public)
  terminal.err(`Registered ${webhook.url} as ${webhook.id}, until this ends.\n`)
  return { secret, [Symbol.asyncDispose]: () => client.webhooks.delete(webhook.id) }
}

async function createListener(
  options: { readonly 'tls-cert': string | undefined; readonly 'tls-key': string | undefined },
  listener: RequestListener,
): Promise<Server> {
  const [certificate, key] = [options['tls-cert'], options['tls-key']]
  // One delivery a connection: nothing is left open when the last one ends the command.
  const single: RequestListener = (request, response) => {
    response.setHeader('connection', 'close')
    return listener(request, response)
  }
  if (certificate === undefined && key === undefined) return createServer(single)
  if (certificate === undefined || key === undefined) {
    throw new Misuse('--tls-cert and --tls-key go together.')
  }
  return createTlsServer({ cert: await readFile(certificate), key: await readFile(key) }, single)
}

async function started(
  server: Server,
  at: { readonly host: string; readonly port: number },
): Promise<void> {
  server.listen(at)
  await once(server, 'listening')
}

function addressOf(server: Server, isTls: boolean): string {
  const address = server.address()
  if (address === null || typeof address === 'string') return String(address)
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address
  return `${isTls ? 'https' : 'http'}://${host}:${address.port}`
}

function portOf(text = '8026'): number {
  if (/^\d{1,5}$/.test(text) && Number(text) < 65_536) return Number(text)
  throw new Misuse(`--port must be a port, but is "${text}".`)
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
