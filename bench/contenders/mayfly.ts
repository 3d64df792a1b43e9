import { Agent, request } from 'node:http'
import { createSqlite, type TestDatabase } from '../../packages/server/test/testing-databases.ts'
import { startServerProcess } from '../../packages/server/test/testing-server-process.ts'
import type { Contender } from './contender.ts'

/** The whole service as its own process, with inboxes for a load. */
export type Mayfly = Contender & { readonly httpUrl: string }

/** What is measured. */
export type MayflyOptions = {
  readonly name: string
  /** A new SQLite file unless given. */
  readonly database?: TestDatabase
  /** Inboxes with the local parts `1b` to `Nb`, as smtp-source numbers its recipients. */
  readonly inboxes: number
  /** Another letter than `b`, for a second node on the same database. */
  readonly letter?: string
  readonly nodeArgs?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** Where mail number 1 goes is 1b@mayfly.test. */
export const RECIPIENT = 'b@mayfly.test'

const CREATES_AT_A_TIME = 20

/** Starts the service and creates the inboxes. */
export async function startMayfly(options: MayflyOptions): Promise<Mayfly> {
  const database = options.database ?? (await createSqlite())
  const server = startServerProcess(
    {
      MAYFLY_DATABASE_URL: database.url,
      MAYFLY_DEFAULT_PLAN: 'unlimited',
      MAYFLY_LOG_LEVEL: 'info',
      // Nobody answers there, at once: the machine's resolver must not be part of a figure.
      MAYFLY_DNS_SERVERS: '127.0.0.1:9',
      ...options.env,
    },
    [],
    options.nodeArgs,
  )
  const { httpUrl, smtpPort } = await server.ready
  const letter = options.letter ?? 'b'
  const key = await createInboxes(httpUrl, { count: options.inboxes, letter })
  const headers = { authorization: `Bearer ${key}` }
  return {
    name: options.name,
    port: smtpPort,
    httpUrl,
    pid: server.child.pid ?? 0,
    // A request waits for the mails of its account that were acknowledged before.
    stored: async () => (await fetch(new URL('/v1/inboxes?limit=1', httpUrl), { headers })).text(),
    [Symbol.asyncDispose]: async () => {
      server.child.kill('SIGTERM')
      await server.ended
      await database[Symbol.asyncDispose]()
    },
  }
}

async function createInboxes(
  httpUrl: string,
  { count, letter }: { readonly count: number; readonly letter: string },
): Promise<string> {
  const agent = new Agent({ keepAlive: true, maxSockets: CREATES_AT_A_TIME })
  const account = await post(httpUrl, '/v1/accounts', {
    agent,
    body: { email: `${letter}@example.com` },
  })
  const key = String(account['apiKey'])
  let next = 1
  const work = async () => {
    while (next <= count) {
      const body = { localPart: `${next++}${letter}` }
      await post(httpUrl, '/v1/inboxes', { agent, body, key })
    }
  }
  await Promise.all(Array.from({ length: CREATES_AT_A_TIME }, work))
  agent.destroy()
  return key
}

function post(
  httpUrl: string,
  path: string,
  call: { readonly agent: Agent; readonly body: unknown; readonly key?: string },
): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      ...(call.key === undefined ? {} : { authorization: `Bearer ${call.key}` }),
    }
    const sent = request(new URL(path, httpUrl), { method: 'POST', agent: call.agent, headers })
    sent.once('error', reject)
    sent.once('response', async (response) => {
      const chunks = await response.setEncoding('utf8').toArray()
      if (response.statusCode === 201) resolve(JSON.parse(chunks.join('')))
      else reject(new Error(`${path} answered ${response.statusCode}: ${chunks.join('')}`))
    })
    sent.end(JSON.stringify(call.body))
  })
}
