import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe } from 'node:test'
import { openStore, sqlitePathOf } from '../src/store/open.ts'
import { memoryFolder } from './testing-memory-folder.ts'
import {
  createDatabase,
  createDatabasePool,
  createTemplate,
  type Postgres,
  startPostgres,
  type Template,
} from './testing-postgres.ts'

/** The databases that the service runs on. */
export type DatabaseName = 'SQLite' | 'PostgreSQL'

/** A new database without accounts, gone with the disposal. */
export type TestDatabase = AsyncDisposable & { readonly url: string }

/**
 * Runs a suite once on each database; `create` gives a test a database of its own. It has the
 * current schema already, unless `template0` is asked for.
 */
export function onEachDatabase(
  name: string,
  suite: (create: () => Promise<TestDatabase>, database: DatabaseName) => void,
  template: Template = 'mayfly_template',
): void {
  const createFile = template === 'template0' ? createSqlite : createMigratedSqlite
  describe(`${name} on SQLite`, () => suite(() => createFile(), 'SQLite'))

  describe(`${name} on PostgreSQL`, () => {
    const resources = new AsyncDisposableStack()
    let create: (() => Promise<TestDatabase>) | null = null
    before(async () => {
      const { url } = resources.use(await sharedPostgres())
      const pool = resources.use(createDatabasePool(url))
      create = template === 'template0' ? () => createDatabase(url) : pool.lend
    })
    suite(async () => {
      if (create === null) throw new Error('PostgreSQL has not started')
      return create()
    }, 'PostgreSQL')
    // After the suite's own: they run in this order, and give databases back.
    after(() => resources.disposeAsync())
  })
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
