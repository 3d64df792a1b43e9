import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { postgresDialect } from '../dialect.ts'
import { guardedDriver } from '../guarded-driver.ts'
import type { Schema } from '../schema.ts'

/** Longest wait for a free connection; then the storage counts as unavailable. */
const CONNECT_TIMEOUT_MS = 5_000

const INT8 = 20
const NUMERIC = 1700

/** Kysely over a pool of connections to PostgreSQL. */
export function openPostgres(url: string, connectionsMax: number): Kysely<Schema> {
  const pool = new pg.Pool({
    connectionString: url,
    max: connectionsMax,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: 'mayfly',
    keepAlive: true,
    // Regardless of the server's default: 250 means that the commit is on disk.
    options: '-c synchronous_commit=on',
    types: {
      getTypeParser: (oid, format) => {
        // Our integers are milliseconds, bytes and counts: all within 2^53.
        if (oid === INT8 || oid === NUMERIC) return Number
        return pg.types.getTypeParser(oid, format)
      },
    },
  })
  // An idle connection that breaks must not end the process; the next query opens another.
  pool.on('error', () => {})
  // Nor one that is in use and breaks between two statements; the next statement fails.
  pool.on('connect', (client) => client.on('error', () => {}))
  const inner = new PostgresDialect({ pool })
  return new Kysely<Schema>({
    dialect: {
      createDriver: () => guardedDriver(inner.createDriver(), postgresDialect),
      createAdapter: () => inner.createAdapter(),
      createQueryCompiler: () => inner.createQueryCompiler(),
      createIntrospector: (db) => inner.createIntrospector(db),
    },
  })
}
