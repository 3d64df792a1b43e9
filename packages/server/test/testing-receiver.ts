import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Authority, createAuthority, type ServerCertificate } from './testing-certificates.ts'
import { createMigratedSqlite, type TestDatabase } from './testing-databases.ts'
import { shared } from './testing-shared.ts'
import { startService } from './testing-start-service.ts'
import { until } from './testing-until.ts'

/** One request as an endpoint got it. */
export type Received = {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** The raw body. */
  readonly body: string
  readonly eventId: string
}

/** What an endpoint answers: a status, or whatever it does with the response. */
export type Behaviour = number | ((received: Received, response: ServerResponse) => void)

/** An HTTPS endpoint as a user would run one. */
export type Receiver = AsyncDisposable & {
  readonly url: string
  /** All requests so far, in the order in which they were complete. */
  readonly received: readonly Received[]
  behave(behaviour: Behaviour): void
  /** Resolves once there are so many requests. */
  until(count: number): Promise<readonly Received[]>
}

/** Makes endpoints whose certificates a service with `env` trusts. */
export type Receivers = AsyncDisposable & {
  readonly env: Readonly<Record<string, string>>
  readonly authority: Authority
  open(behaviour?: Behaviour, certificate?: ServerCertificate): Promise<Receiver>
}

/** Sets up an authority; its disposal closes all its endpoints. */
export async function createReceivers(): Promise<Receivers> {
  const folder = await mkdtemp(join(tmpdir(), 'mayfly-receivers-'))
  const authority = createAuthority()
  const caFile = join(folder, 'ca.pem')
  await writeFile(caFile, authority.pem)
  const opened: Receiver[] = []
  return {
    env: { MAYFLY_EXTRA_CA: caFile, MAYFLY_ALLOW_PRIVATE_NETWORK: 'true' },
    authority,
    open: async (behaviour = 200, certificate = authority.issue(['127.0.0.1', 'localhost'])) => {
      const receiver = await startReceiver(behaviour, certificate)
      opened.push(receiver)
      return receiver
    },
    [Symbol.asyncDispose]: async () => {
      for (const receiver of opened) await receiver[Symbol.asyncDispose]()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** A service that delivers to the endpoints of `receivers`, shared by the tests of a suite. */
export function sharedReceivers(create: () => Promise<TestDatabase> = createMigratedSqlite) {
  return shared(async (resources) => {
    const receivers = await createReceivers()
    const database = resources.use(await create())
    const service = resources.use(await startService({ database, env: receivers.env }))
    // Before the service, whose stop finds what was opened after its start.
    resources.use(receivers)
    return { receivers, service }
  })
}

async function startReceiver(first: Behaviour, certificate: ServerCertificate): Promise<Receiver> {
  let behaviour = first
  const received: Received[] = []
  const server = createServer(certificate, async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const one: Received = {
      path: request.url ?? '',
      headers: request.headers,
      body: Buffer.concat(chunks).toString('utf8'),
      eventId: String(request.headers['x-service-event-id']),
    }
    received.push(one)
    if (typeof behaviour === 'number') response.writeHead(behaviour).end()
    else behaviour(one, response)
  })
  // A client that refuses our certificate is part of the test.
  server.on('tlsClientError', () => {})
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    url: `https://127.0.0.1:${address.port}/hook`,
    received,
    behave: (next) => {
      behaviour = next
    },
    until: (count) => until(async () => (received.length >= count ? received : null)),
    [Symbol.asyncDispose]: async () => {
      if (!server.listening) return
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
