import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe } from 'node:test'
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
 * Runs a suite once on each database; `create` gives a test a database of its own. On PostgreSQL
 * that has the current schema already, unless `template0` is asked for.
 */
export function onEachDatabase(
  name: string,
  suite: (create: () => Promise<TestDatabase>, database: DatabaseName) => void,
  template: Template = 'mayfly_template',
): void {
  describe(`${name} on SQLite`, () => suite(createSqlite, 'SQLite'))

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

/** A new SQLite file. */
export async function createSqlite(): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'mayfly-sqlite-'))
  return {
    url: `sqlite:${join(folder, 'mayfly.db')}`,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

/** The server that the whole run shares; a file that is run by itself starts its own. */
async function sharedPostgres(): Promise<Postgres> {
  const url = process.env['TEST_POSTGRES_URL']
  if (url !== undefined) return { url, [Symbol.asyncDispose]: async () => {} }
  const server = await startPostgres()
  await createTemplate(server.url)
  return server
}
