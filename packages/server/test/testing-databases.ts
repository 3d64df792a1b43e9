import { channel } from 'node:diagnostics_channel'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe } from 'node:test'
import { getCallSites } from 'node:util'
import { openStore } from '../src/store/open.ts'
import { sqlitePathOf } from '../src/store/sqlite/path.ts'
import { createDatabasePool } from './testing-database-pool.ts'
import { memoryFolder } from './testing-memory-folder.ts'
import {
  createDatabase,
  createTemplate,
  type Postgres,
  startPostgres,
  type Template,
} from './testing-postgres.ts'

/** The databases that the service runs on. */
export type DatabaseName = 'SQLite' | 'PostgreSQL'

/** A new database without accounts, gone with the disposal. */
export type TestDatabase = AsyncDisposable & { readonly url: string }

/** Gives a test a database of its own, with the current schema unless `template0` is asked for. */
export type CreateDatabase = (template?: Template) => Promise<TestDatabase>

/** Runs a suite once on each database. */
export function onEachDatabase(
  name: string,
  suite: (create: CreateDatabase, database: DatabaseName) => void,
): void {
  const file = getCallSites().find(({ scriptName }) => scriptName.endsWith('.test.ts'))?.scriptName
  const declare = (title: string, body: () => void) => {
    // Node takes this file for that of the suite; tools/test-group.ts wants the one that calls.
    declared.publish({ title, file })
    describe(title, body)
  }
  declare(`${name} on SQLite`, () => suite(createOnSqlite, 'SQLite'))
  declare(`${name} on PostgreSQL`, () => suite(createOnPostgres, 'PostgreSQL'))
  after(stopPostgres)
}

const declared = channel('mayfly:suite')

async function createOnSqlite(template?: Template): Promise<TestDatabase> {
  return template === 'template0' ? createSqlite() : createMigratedSqlite()
}

async function createOnPostgres(template: Template = 'mayfly_days'): Promise<TestDatabase> {
  running ??= openPostgres()
  const { url, pools } = await running
  return template === 'template0' ? createDatabase(url) : pools[template].lend()
}

/** The server and its pools: one for all files of a process, which ends after the last of them. */
let running: ReturnType<typeof openPostgres> | null = null

async function openPostgres() {
  const resources = new AsyncDisposableStack()
  const { url } = resources.use(await sharedPostgres())
  const pool = (template: Template) => resources.use(createDatabasePool(url, template))
  const pools = {
    mayfly_schema: pool('mayfly_schema'),
    mayfly_days: pool('mayfly_days'),
    mayfly_january: pool('mayfly_january'),
  }
  return { url, pools, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

async function stopPostgres(): Promise<void> {
  const stopping = running
  running = null
  await (await stopping)?.[Symbol.asyncDispose]()
}

/** The place for a new SQLite file, on the disk by default. */
export async function createSqlite(parent = tmpdir()): Promise<TestDatabase> {
  const folder = await mkdtemp(join(parent, 'mayfly-sqlite-'))
  return {
    url: `sqlite:${join(folder, 'mayfly.db')}`,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

/**
 * A new SQLite file with the current schema, in memory where there is room. Migrating takes 30 ms
 * of processor time; a transaction takes ten times as much when it is synced to a disk.
 */
export async function createMigratedSqlite(): Promise<TestDatabase> {
  const database = await createSqlite(memoryFolder())
  migrated ??= migrateFile()
  await writeFile(sqlitePathOf(database.url) ?? '', await migrated)
  return database
}

/** The bytes of a file with the current schema: made once in a process. */
let migrated: Promise<Buffer> | null = null

async function migrateFile(): Promise<Buffer> {
  await using database = await createSqlite()
  await (await openStore({ url: database.url, exclusive: false })).close()
  return await readFile(sqlitePathOf(database.url) ?? '')
}

/** The server that the whole run shares; a file that is run by itself starts its own. */
async function sharedPostgres(): Promise<Postgres> {
  const url = process.env['TEST_POSTGRES_URL']
  if (url !== undefined) return { url, [Symbol.asyncDispose]: async () => {} }
  const server = await startPostgres()
  await createTemplate(server.url)
  return server
}
