import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { StartRefused } from '../../errors.ts'
import { postgresDialect } from '../dialect.ts'
import { guardedDriver } from '../guarded-driver.ts'
import type { Schema } from '../schema.ts'
import { timedPool } from './timed-pool.ts'

/** Longest wait for a free connection; then the storage counts as unavailable. */
const CONNECT_TIMEOUT_MS = 5_000

/** Idle time of a connection until TCP probes its other end, once a second. */
const KEEP_ALIVE_MS = 5_000

/** Longest time of a statement by our own clock: longer than the server takes to cancel it. */
const QUERY_MS_MAX = 6_000

/**
 * The timeouts that the server enforces on each session. A node that is frozen or disconnected
 * keeps its locks no longer than this.
 */
const SESSION_SETTINGS: Readonly<Record<string, string>> = {
  // Regardless of the server's default: 250 means that the commit is on disk.
  synchronous_commit: 'on',
  statement_timeout: '5s',
  lock_timeout: '4s',
  idle_in_transaction_session_timeout: '5s',
  tcp_keepalives_idle: '5',
  tcp_keepalives_interval: '1',
  tcp_keepalives_count: '10',
}

const isLimited = (setting: string) => setting !== '0'

/** Without these, mail may be lost or delayed; each with its permitted values. */
const REQUIRED_SETTINGS: Readonly<Record<string, (setting: string) => boolean>> = {
  synchronous_commit: (setting) => setting !== 'off',
  statement_timeout: isLimited,
  lock_timeout: isLimited,
  idle_in_transaction_session_timeout: isLimited,
}

const INT8 = 20
const NUMERIC = 1700

/** How connections to PostgreSQL are opened. */
export type PostgresOptions = {
  readonly connectionsMax: number
  /** Whether statements have a time limit; migrations have none. */
  readonly timeLimits: boolean
  /** Whether a pooler is in between, which refuses settings of a session or forgets them. */
  readonly isPooled: boolean
}

/** Kysely over a pool of connections to PostgreSQL. */
export function openPostgres(url: string, options: PostgresOptions): Kysely<Schema> {
  const pool = new pg.Pool({
    connectionString: url,
    max: options.connectionsMax,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: 'mayfly',
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    ...(options.timeLimits && !options.isPooled ? { options: startupOptions() } : {}),
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
  const inner = new PostgresDialect({
    pool: options.timeLimits
      ? timedPool(pool, { queryMsMax: QUERY_MS_MAX, prepares: !options.isPooled })
      : pool,
  })
  return new Kysely<Schema>({
    dialect: {
      createDriver: () => guardedDriver(inner.createDriver(), postgresDialect),
      createAdapter: () => inner.createAdapter(),
      createQueryCompiler: () => inner.createQueryCompiler(),
      createIntrospector: (db) => inner.createIntrospector(db),
    },
  })
}

/**
 * Throws unless our sessions have the settings that we rely on. A pooler may drop them silently;
 * the operator then sets them for the role.
 */
export async function requireSessionSettings(db: Kysely<Schema>): Promise<void> {
  const { rows } = await sql<{ name: string; setting: string; role: string }>`
    select name, setting, current_user as role from pg_settings
    where name = any(${Object.keys(REQUIRED_SETTINGS)})`.execute(db)
  const missing = rows.filter(({ name, setting }) => REQUIRED_SETTINGS[name]?.(setting) !== true)
  if (missing.length === 0) return
  const names = missing.map(({ name }) => name)
  const cures = missing.map(
    ({ name, role }) => `alter role "${role}" set ${name} = '${SESSION_SETTINGS[name]}'`,
  )
  throw new StartRefused(
    `Sessions at MAYFLY_DATABASE_URL lack the settings ${names.join(', ')}. Run in PostgreSQL: ${cures.join('; ')}; then reconnect the pooler, and set MAYFLY_DATABASE_DIRECT_URL.`,
  )
}

function startupOptions(): string {
  return Object.entries(SESSION_SETTINGS)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ')
}
