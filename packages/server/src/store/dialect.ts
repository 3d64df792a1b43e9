import { type Kysely, sql } from 'kysely'
import type { Schema } from './schema.ts'

/** Names of column types, which the two databases spell differently. */
export type ColumnTypes = {
  /** Ids: compared byte by byte, so that they sort by creation under any locale. */
  readonly id: string
  readonly integer: string
  readonly real: string
  readonly bytes: string
  /** Before `table`: counters that a crash of the database may forget are not worth a log. */
  readonly unlogged: string
  /** What follows the closing parenthesis of a table. */
  readonly options: string
}

/** Everything in which the two databases differ, as named capabilities. */
export type Dialect = {
  readonly name: 'sqlite' | 'postgres'
  /** Whether several nodes may run on one store, so that a node's memory is not the whole truth. */
  readonly isShared: boolean
  readonly types: ColumnTypes
  readonly currentTimestamp: string
  /** Milliseconds since 1970 by the database's own clock. */
  readonly currentMs: string
  /** The name of parameter number `place`, from 1. */
  placeholder(place: number): string
  /** Rows of one call when so many are left to write. */
  rowsPerCall(left: number): number
  /** A condition on a column: its value is in the list that is parameter number `place`. */
  among(place: number): string
  /** The list for that parameter. */
  list(values: readonly string[]): unknown
  /** Makes other nodes that migrate wait for the end of this transaction. */
  lockMigrations(tx: Kysely<Schema>): Promise<void>
  /** Makes other transactions that lock the same account wait for the end of this one. */
  lockAccount(tx: Kysely<Schema>, accountId: string): Promise<void>
  /** What follows a select whose rows nobody else may change until the end of the transaction. */
  readonly forUpdate: string
  /** The same, without waiting: rows that somebody else holds are left out. */
  readonly skipLocked: string
  /** Whether an error says that the storage is out of reach, and if so whether it is full. */
  unavailability(error: unknown): { readonly full: boolean } | null
}

/** SQLite's result codes, from its documentation. */
const SQLITE = { BUSY: 5, LOCKED: 6, READONLY: 8, IOERR: 10, FULL: 13, CANTOPEN: 14, NOTADB: 26 }
const SQLITE_GONE: readonly number[] = Object.values(SQLITE)

/** SQLite: one writer at a time, so a transaction is itself the lock. */
export const sqliteDialect: Dialect = {
  name: 'sqlite',
  isShared: false,
  types: {
    id: 'text',
    integer: 'integer',
    real: 'real',
    bytes: 'blob',
    unlogged: '',
    options: ' strict',
  },
  currentTimestamp: `strftime('%Y-%m-%dT%H:%M:%fZ')`,
  currentMs: "cast(unixepoch('subsec') * 1000 as integer)",
  placeholder: () => '?',
  // Powers of two, so that few statements are ever prepared. More in one gain nothing.
  rowsPerCall: (left) => 2 ** Math.min(4, Math.floor(Math.log2(left))),
  among: () => 'in (select value from json_each(?))',
  list: (values) => JSON.stringify(values),
  forUpdate: '',
  skipLocked: '',
  lockMigrations: async () => {},
  lockAccount: async () => {},
  unavailability: (error) => {
    const code = errorField(error, 'errcode')
    if (typeof code !== 'number') return null
    // The low byte is the primary code; the rest says more about it.
    const primary = code & 0xff
    return SQLITE_GONE.includes(primary) ? { full: primary === SQLITE.FULL } : null
  },
}

/** A number of our own among PostgreSQL's advisory locks. */
const MIGRATION_LOCK = 6_292_359

const DISK_FULL = '53100'

/** Connection failures, too many connections, shutting down, read-only stand-by. */
const POSTGRES_GONE = /^(?:08|53|57P0|58|25006)/
const NETWORK_GONE = /^(?:ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOST|ENETUNREACH)/
const POOL_GONE = /Connection terminated|timeout exceeded|encountered a connection error/

/** PostgreSQL: row and advisory locks. */
export const postgresDialect: Dialect = {
  name: 'postgres',
  isShared: true,
  types: {
    id: 'text collate "C"',
    integer: 'bigint',
    real: 'double precision',
    bytes: 'bytea',
    unlogged: 'unlogged ',
    options: '',
  },
  currentTimestamp: 'now()::text',
  currentMs: '(extract(epoch from clock_timestamp()) * 1000)::bigint',
  placeholder: (place) => `$${place}`,
  // Each call is a round trip.
  rowsPerCall: (left) => Math.min(left, 50),
  among: (place) => `= any($${place})`,
  list: (values) => values,
  forUpdate: ' for no key update',
  skipLocked: ' for no key update skip locked',
  lockMigrations: async (tx) => {
    await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(tx)
  },
  lockAccount: async (tx, accountId) => {
    await sql`select 1 from account where id = ${accountId} for no key update`.execute(tx)
  },
  unavailability: (error) => {
    const code = errorField(error, 'code')
    if (typeof code === 'string' && (POSTGRES_GONE.test(code) || NETWORK_GONE.test(code))) {
      return { full: code === DISK_FULL }
    }
    return POOL_GONE.test(String(errorField(error, 'message'))) ? { full: false } : null
  },
}

function errorField(error: unknown, name: string): unknown {
  if (typeof error !== 'object' || error === null) return undefined
  return Reflect.get(error, name)
}
