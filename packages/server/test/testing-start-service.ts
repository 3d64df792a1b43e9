import { setTimeout as delay } from 'node:timers/promises'
import { type ServiceOverrides, startService as start } from '../src/assembly/service.ts'
import { parseConfig } from '../src/config/config.ts'
import { createLog } from '../src/platform/log.ts'
import { accountWithKey, registerAccountAt, type TestAccount } from './testing-account.ts'
import { type ApiClient, createApiClient } from './testing-api-client.ts'
import type { TestClock } from './testing-clock.ts'
import { createMigratedSqlite, type TestDatabase } from './testing-databases.ts'
import { type MailToSend, type SmtpAnswer, sendMails } from './testing-send-mail.ts'
import { shared } from './testing-shared.ts'

/** A whole service on free ports, with all that a user has to reach it. */
export type TestService = AsyncDisposable & {
  readonly httpUrl: string
  readonly smtpPort: number
  /** Null without a POP3 server. */
  readonly pop3Port: number | null
  /** Null without a listener of its own for providers' APIs. */
  readonly providersPort: number | null
  /** What was logged, a JSON object a line. */
  readonly logged: readonly string[]
  /** Calls without a key. */
  readonly anonymous: ApiClient
  /** Registers an account and calls with its first key. */
  register(email?: string): Promise<TestAccount>
  /** Calls with a key that the store has, issued here or by another node. */
  account(key: string): TestAccount
  /** Sends one mail by SMTP, which must be taken by at least one recipient. */
  sendMail(mail: MailToSend): Promise<SmtpAnswer>
  /** Sends mails over one connection, whatever becomes of them. */
  sendMails(mails: readonly MailToSend[]): Promise<SmtpAnswer[]>
}

/** What a test may choose. */
export type TestServiceOptions = Omit<ServiceOverrides, 'clockMemory'> & {
  readonly clock?: TestClock
  readonly database?: TestDatabase
  readonly env?: Readonly<Record<string, string>>
}

/** Longest time for sockets and timers to be gone after a stop. */
const LEAK_GRACE_MS = 10_000

// Several nodes share one process here: what is left is only seen when the last has stopped.
let running = 0
let before: ReadonlyMap<string, number> = new Map()

/** Starts a service; its disposal stops it and fails when it leaves anything behind. */
export async function startService(options: TestServiceOptions = {}): Promise<TestService> {
  if (running === 0) before = openResources()
  // Disposed when the start is refused.
  await using starting = new AsyncDisposableStack()
  const database = options.database ?? starting.use(await createMigratedSqlite())
  const config = parseConfig({
    MAYFLY_HTTP_PORT: '0',
    MAYFLY_SMTP_PORT: '0',
    MAYFLY_DATABASE_URL: database.url,
    MAYFLY_DEFAULT_PLAN: 'unlimited',
    MAYFLY_LOG_LEVEL: 'warn',
    // Nobody answers there, at once: sender checks must not depend on the machine's resolver.
    MAYFLY_DNS_SERVERS: '127.0.0.1:9',
    ...options.env,
  })
  const logged: string[] = []
  const log = createLog(config.MAYFLY_LOG_LEVEL, { write: (line) => logged.push(line) })
  const { database: _database, env: _env, clock, ...overrides } = options
  const service = await start(config, log, {
    hasLocalAccount: false,
    ...overrides,
    ...(clock === undefined ? {} : { clockMemory: clock.memory }),
  })
  running += 1
  const own = starting.move()
  let accounts = 0
  return {
    httpUrl: service.httpUrl,
    smtpPort: service.smtpPort,
    pop3Port: service.pop3Port,
    providersPort: service.providersPort,
    logged,
    sendMails: (mails) => sendMails(service.smtpPort, mails),
    sendMail: async (mail) => {
      const [answer] = await sendMails(service.smtpPort, [mail])
      if (answer?.mail?.startsWith('250') !== true) {
        throw new Error(`not taken: ${JSON.stringify(answer)}`)
      }
      return answer
    },
    anonymous: createApiClient(service.httpUrl, null),
    register: (email) => {
      accounts += 1
      return registerAccountAt(service.httpUrl, email ?? `dev${accounts}@example.com`)
    },
    account: (key) => accountWithKey(service.httpUrl, key),
    [Symbol.asyncDispose]: async () => {
      await service.stop()
      await own.disposeAsync()
      running -= 1
      if (running === 0) await assertNothingLeft(before)
    },
  }
}

/**
 * A service that the tests of a suite share: it starts with the first that asks, and stops after
 * the last. Accounts keep the tests apart; a test of the clock, of limits or of a restart starts
 * its own.
 */
export function sharedService(
  create: () => Promise<TestDatabase> = createMigratedSqlite,
  env: Readonly<Record<string, string>> = {},
): () => Promise<TestService> {
  return shared(async (resources) => {
    const database = resources.use(await create())
    return resources.use(await startService({ database, env }))
  })
}

/** Sockets, servers and timers that are open, counted by kind. */
function openResources(): Map<string, number> {
  const counts = new Map<string, number>()
  for (const kind of process.getActiveResourcesInfo()) {
    if (/^(?:TCP|Pipe|Timeout|TLS|MessagePort|Worker)/.test(kind)) {
      counts.set(kind, (counts.get(kind) ?? 0) + 1)
    }
  }
  return counts
}

async function assertNothingLeft(before: ReadonlyMap<string, number>): Promise<void> {
  const deadline = performance.now() + LEAK_GRACE_MS
  for (;;) {
    const left = [...openResources()].filter(([kind, count]) => count > (before.get(kind) ?? 0))
    if (left.length === 0) return
    if (performance.now() > deadline) {
      throw new Error(
        `left behind after the stop: ${left.map((pair) => pair.join(' ')).join(', ')}`,
      )
    }
    await delay(10)
  }
}
