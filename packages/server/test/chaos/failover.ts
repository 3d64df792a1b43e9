// A standby of PostgreSQL takes over under load.

import { randomBytes } from 'node:crypto'
import { cp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { createApiClient } from '../testing-api-client.ts'
import { freePort, loadEmbeddedPostgres } from '../testing-postgres.ts'
import { sendMails } from '../testing-send-mail.ts'
import { startServerProcess } from '../testing-server-process.ts'
import { startTcpProxy } from '../testing-tcp-proxy.ts'
import { until } from '../testing-until.ts'

/** What came of a failover. */
export type FailoverResult = {
  readonly acknowledged: number
  /** Acknowledged, and not there after the standby took over. */
  readonly lost: number
  /** From the crash of the primary until the next acknowledgement, promotion included. */
  readonly outageMs: number
}

const SENDERS = 8
const BEFORE_MS = 5_000
const AFTER_MS = 5_000
const STANDBY = 'mayfly_standby'

/** Crashes the primary under load, promotes its standby, and counts what was lost. */
export async function runFailover(isSynchronous: boolean): Promise<FailoverResult> {
  await using servers = await startServers(isSynchronous)
  await using proxy = await startTcpProxy(servers.primaryUrl)
  await using node = startServerProcess({
    MAYFLY_DATABASE_URL: proxy.url,
    MAYFLY_DEFAULT_PLAN: 'unlimited',
    MAYFLY_DNS_SERVERS: '127.0.0.1:9',
    MAYFLY_SECRET_KEY: Buffer.alloc(32, 1).toString('base64'),
  })
  const { httpUrl, smtpPort } = await node.ready
  const anonymous = createApiClient(httpUrl, null)
  const { apiKey } = (await anonymous.post('/v1/accounts', { email: 'dev@example.com' })).body
  const api = anonymous.withKey(apiKey)
  const inboxes = await Promise.all(
    Array.from({ length: SENDERS }, async () => (await api.post('/v1/inboxes')).body.inbox),
  )
  const acknowledged: { readonly subject: string; readonly at: number }[] = []
  let isStopped = false
  const senders = inboxes.map(async (inbox, sender) => {
    for (let i = 0; !isStopped; i++) {
      const subject = `${sender}-${i}`
      const [answer] = await sendMails(smtpPort, [{ to: inbox.emailAddress, subject }])
      if (answer?.mail?.startsWith('250')) acknowledged.push({ subject, at: performance.now() })
    }
  })
  await delay(BEFORE_MS)
  const crashedAt = performance.now()
  await servers.crashPrimary()
  await servers.promote()
  proxy.retarget(servers.standbyUrl)
  await until(async () => acknowledged.find(({ at }) => at > crashedAt + 100) ?? null)
  await delay(AFTER_MS)
  isStopped = true
  await Promise.all(senders)

  const stored = await subjectsAt(servers.standbyUrl)
  const next = acknowledged.find(({ at }) => at > crashedAt + 100)
  return {
    acknowledged: acknowledged.length,
    lost: acknowledged.filter(({ subject }) => !stored.has(subject)).length,
    outageMs: Math.round((next?.at ?? Number.POSITIVE_INFINITY) - crashedAt),
  }
}

async function startServers(isSynchronous: boolean) {
  const folders = ['primary', 'standby'].map((name) =>
    join(tmpdir(), `mayfly-${name}-${randomBytes(6).toString('hex')}`),
  )
  const [primaryFolder = '', standbyFolder = ''] = folders
  const ports = { primary: await freePort(), standby: await freePort() }
  const urlOf = (port: number) => `postgres://mayfly:mayfly@127.0.0.1:${port}/postgres`
  const primary = await server(primaryFolder, ports.primary, {
    synchronous_standby_names: isSynchronous ? STANDBY : '',
  })
  await primary.initialise()
  // A copy from before the first start is a base backup.
  await cp(primaryFolder, standbyFolder, { recursive: true, preserveTimestamps: true })
  const stack = new AsyncDisposableStack()
  for (const folder of folders) stack.defer(() => rm(folder, { recursive: true, force: true }))
  await takeOver(primaryFolder, standbyFolder)
  const conninfo = `host=127.0.0.1 port=${ports.primary} user=mayfly password=mayfly`
  const standby = await server(standbyFolder, ports.standby, {
    primary_conninfo: `${conninfo} application_name=${STANDBY}`,
  })
  await writeFile(join(standbyFolder, 'standby.signal'), '')
  await primary.start()
  // It never says that it accepts connections that write, which `start` waits for.
  standby.start().catch(() => {})
  stack.defer(() => standby.stop())
  await until(async () => {
    const [row] = await query(urlOf(ports.primary), 'select state from pg_stat_replication')
    return row?.['state'] === 'streaming' ? true : null
  })
  return {
    primaryUrl: urlOf(ports.primary),
    standbyUrl: urlOf(ports.standby),
    crashPrimary: async () => {
      const file = await readFile(join(primaryFolder, 'postmaster.pid'), 'utf8')
      process.kill(Number(file.split('\n')[0]), 'SIGQUIT')
    },
    promote: async () => {
      await query(urlOf(ports.standby), 'select pg_promote()')
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

async function server(
  databaseDir: string,
  port: number,
  settings: Readonly<Record<string, string>>,
) {
  const flags = { ...settings, unix_socket_directories: databaseDir, listen_addresses: '127.0.0.1' }
  const EmbeddedPostgres = await loadEmbeddedPostgres()
  return new EmbeddedPostgres({
    databaseDir,
    port,
    user: 'mayfly',
    password: 'mayfly',
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C.UTF-8'],
    postgresFlags: Object.entries(flags).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    onLog: () => {},
    onError: () => {},
  })
}

/** Gives the copy to the user that the original belongs to. */
async function takeOver(original: string, copy: string): Promise<void> {
  const { chown, readdir, stat, chmod } = await import('node:fs/promises')
  const { uid, gid, mode } = await stat(original)
  await chmod(copy, mode)
  await chown(copy, uid, gid)
  for (const name of await readdir(copy, { recursive: true }))
    await chown(join(copy, name), uid, gid)
}

async function subjectsAt(url: string): Promise<ReadonlySet<unknown>> {
  const rows = await query(url, 'select subject from message')
  return new Set(rows.map((row) => row['subject']))
}

async function query(url: string, text: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}
