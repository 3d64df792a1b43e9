import { type ApiClient, createApiClient } from '../../packages/server/test/testing-api-client.ts'
import { createSqlite } from '../../packages/server/test/testing-databases.ts'
import {
  type ServerProcess,
  startServerProcess,
} from '../../packages/server/test/testing-server-process.ts'

/** An inbox of the account. */
export type Inbox = { readonly id: string; readonly emailAddress: string }

/** The service as `npm start` starts it, with an account without limits. */
export type Service = AsyncDisposable & {
  readonly process: ServerProcess
  readonly pid: number
  readonly httpUrl: string
  readonly smtpPort: number
  readonly apiKey: string
  readonly api: ApiClient
}

/** What is started. */
export type ServiceOptions = {
  /** A new SQLite file on the disk unless given. */
  readonly databaseUrl?: string
  readonly nodeArgs?: readonly string[]
  /** Settings besides those of every service. */
  readonly env?: Readonly<Record<string, string>>
}

const CREATES_AT_A_TIME = 20

/** Starts the service and registers the account. */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  await using resources = new AsyncDisposableStack()
  const url = options.databaseUrl ?? resources.use(await createSqlite()).url
  const settings = {
    MAYFLY_DATABASE_URL: url,
    MAYFLY_DEFAULT_PLAN: 'unlimited',
    // Nobody answers there, at once: the machine's resolver must not be part of a figure.
    MAYFLY_DNS_SERVERS: '127.0.0.1:9',
    ...options.env,
  }
  const server = startServerProcess(settings, [], options.nodeArgs)
  resources.defer(async () => {
    server.child.kill('SIGTERM')
    await server.ended
  })
  const { httpUrl, smtpPort } = await server.ready
  // Several services share a database, or a port.
  const name = new URL(httpUrl).host.replaceAll(/\W/g, '-')
  const own = await registerOn({ httpUrl }, `bench-${name}@example.com`)
  const started = resources.move()
  return {
    process: server,
    pid: server.child.pid ?? 0,
    ...{ httpUrl, smtpPort, ...own },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}

/** Registers an account. */
export async function registerOn(
  { httpUrl }: Pick<Service, 'httpUrl'>,
  email: string,
): Promise<Pick<Service, 'apiKey' | 'api'>> {
  const anonymous = createApiClient(httpUrl, null)
  const { apiKey } = (await anonymous.post('/v1/accounts', { email })).body
  return { apiKey, api: anonymous.withKey(apiKey) }
}

/** Creates inboxes, with these local parts where they are given. */
export async function createInboxes(
  { api }: Pick<Service, 'api'>,
  count: number,
  localPart?: (index: number) => string,
): Promise<readonly Inbox[]> {
  const inboxes: Inbox[] = []
  let next = 0
  const work = async () => {
    while (next < count) {
      const index = next
      next += 1
      const named = localPart === undefined ? {} : { localPart: localPart(index) }
      const { status, text, body } = await api.post('/v1/inboxes', named)
      if (status !== 201) throw new Error(`an inbox was not created: ${text}`)
      inboxes[index] = body.inbox
    }
  }
  await Promise.all(Array.from({ length: CREATES_AT_A_TIME }, work))
  return inboxes
}
