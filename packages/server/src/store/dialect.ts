import { type Kysely, type RawBuilder, sql } from 'kysely'
import { arrayType, binaryArray, type ValueType } from './postgres/binary-array.ts'
import { FIRST_PARTITION, MAIL_PARTITIONS } from './postgres/mail-tables.ts'
import type { Schema } from './schema.ts'
import { resultCode, SQLITE } from './sqlite/result-codes.ts'

/** Column types and table options, which differ between the databases. */
export type ColumnTypes = {
  /** For ids: compared byte by byte, so that they sort by creation under any locale. */
  readonly id: string
  readonly integer: string
  readonly real: string
  readonly bytes: string
  /** Before `table`, for counters that may be lost when the database crashes. */
  readonly unlogged: string
  /** After the closing parenthesis of a table. */
  readonly options: string
  /** A primary key that counts up. */
  readonly rowNumber: string
  /** The column of texts of the table `search_entry`. */
  readonly searchText: string
  /** Adds an index of substrings to the table `search_entry`. */
  readonly substringIndex: readonly string[]
  /** After the name of a table of mails: its first partition, which the others are made like. */
  readonly mailPartition: string
  /** Creates the partitioned tables of mails, and the partitions that exist from the start. */
  readonly mailPartitions: readonly string[]
  /** After the column of a message's mail. */
  readonly mailReference: string
}

/** All differences between the databases, as named capabilities. */
export type Dialect = {
  readonly name: 'sqlite' | 'postgres'
  /** Whether several nodes may share one store, so that counting in memory is not enough. */
  readonly isShared: boolean
  readonly types: ColumnTypes
  readonly currentTimestamp: string
  /** Milliseconds since 1970 by the database's own clock. */
  readonly currentMs: string
  /** An expression for the bytes that the database has on the disk. */
  readonly databaseBytes: string
  /** The placeholder of the parameter at this position, from 1. */
  placeholder(position: number): string
  /** Whether the mails of a day of purge are dropped together when the day is over. */
  readonly dropsDays: boolean
  /**
   * Where one statement can write to several tables, which saves round trips: a column of rows as
   * one parameter, so that the text of the statement is the same for any number of rows.
   */
  readonly columns: null | {
    type(type: ValueType): string
    value(type: ValueType, values: readonly unknown[]): unknown
  }
  /** Rows to write in the next call when so many remain. */
  rowsPerCall(left: number): number
  /** A condition on a column: its value is in the list in the parameter at this position. */
  among(position: number): string
  /** The same for the query builder: one parameter, so that one statement serves any number. */
  isAmong(column: string, values: readonly string[]): RawBuilder<boolean>
  /** The value of that parameter. */
  list(values: readonly string[]): unknown
  /** A statement that fails when the database cannot write. */
  readonly writeCheck: string
  /** Makes other migrations wait for the end of this transaction. */
  lockMigrations(tx: Kysely<Schema>): Promise<void>
  /** Makes other transactions that lock the same account wait for the end of this one. */
  lockAccount(tx: Kysely<Schema>, accountId: string): Promise<void>
  /** After a select: locks its rows until the end of the transaction. */
  readonly forUpdate: string
  /** The same, without waiting: locked rows are left out. */
  readonly skipLocked: string
  /**
   * After a select: no other transaction deletes its rows until the end of this one. Without
   * waiting: rows that are being deleted are left out.
   */
  readonly skipDeleted: string
  /**
   * Not null when an error means that the storage is unavailable: `full` without free space,
   * `isRefused` when the database reports that it did not run the statement.
   */
  unavailability(error: unknown): { readonly full: boolean; readonly isRefused: boolean } | null
}

const SQLITE_UNAVAILABLE: readonly number[] = Object.values(SQLITE)

/** SQLite: only one transaction writes at a time, so that no other locks are needed. */
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
    rowNumber: 'integer primary key autoincrement',
    searchText: '',
    // Without the text itself and without positions: a search compares each match with its mail.
    substringIndex: [
      `create virtual table search_text using fts5(
        text, content = '', contentless_delete = 1, detail = none,
        tokenize = 'trigram case_sensitive 1')`,
      `create trigger search_entry_deleted after delete on search_entry begin
        delete from search_text where rowid = old.number;
      end`,
    ],
    mailPartition: '',
    mailPartitions: [],
    mailReference: ' references mail (id)',
  },
  currentTimestamp: `strftime('%Y-%m-%dT%H:%M:%fZ')`,
  currentMs: "cast(unixepoch('subsec') * 1000 as integer)",
  databaseBytes: '(select page_count * page_size from pragma_page_count(), pragma_page_size())',
  placeholder: () => '?',
  dropsDays: false,
  columns: null,
  // More gain nothing, and each number of rows is a statement of its own.
  rowsPerCall: (left) => Math.min(left, 16),
  among: () => 'in (select value from json_each(?))',
  isAmong: (column, values) =>
    sql<boolean>`${sql.ref(column)} in (select value from json_each(${JSON.stringify(values)}))`,
  list: (values) => JSON.stringify(values),
  // `platform/disk` finds a full or read-only disk by writing a file.
  writeCheck: 'select 1',
  forUpdate: '',
  skipLocked: '',
  skipDeleted: '',
  lockMigrations: async () => {},
  lockAccount: async () => {},
  unavailability: (error) => {
    const code = resultCode(error)
    if (code === null || !SQLITE_UNAVAILABLE.includes(code)) return null
    // A sync that fails may have written the transaction.
    return { full: code === SQLITE.FULL, isRefused: code !== SQLITE.IOERR }
  },
}

/** The key of our advisory lock; any number that others do not use. */
const MIGRATION_LOCK = 6_292_359

const DISK_FULL = '53100'

/**
 * Connection failures, too many connections, shutting down, read-only standby; a statement, a lock
 * or an idle transaction that took too long; a deadlock, which the next try does not have.
 */
const POSTGRES_UNAVAILABLE = /^(?:08|53|57P0|58|25006|57014|55P03|25P0[34]|40P01)/
/** Codes that end the connection: whether the statement ran is unknown. */
const POSTGRES_ENDED = /^(?:08|57P0)/
const NETWORK_UNAVAILABLE = /^(?:ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOST|ENETUNREACH)/
/** Errors of the pool have no code. */
const POOL_UNAVAILABLE = /Connection terminated|timeout exceeded|encountered a connection error/

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
    rowNumber: 'bigserial primary key',
    searchText: ', text text not null',
    // Without the extension searches read the texts one by one: slower, with the same results.
    substringIndex: [
      `do $$ begin
        create extension if not exists pg_trgm;
        create index search_entry_by_text on search_entry using gin (text gin_trgm_ops);
      exception when others then
        raise warning 'pg_trgm is not available: %', sqlerrm;
      end $$`,
    ],
    mailPartition: `_${FIRST_PARTITION}`,
    mailPartitions: MAIL_PARTITIONS,
    // For a partitioned table each insert would lock all partitions.
    mailReference: '',
  },
  currentTimestamp: 'now()::text',
  currentMs: '(extract(epoch from clock_timestamp()) * 1000)::bigint',
  databaseBytes: 'pg_database_size(current_database())',
  placeholder: (position) => `$${position}`,
  dropsDays: true,
  columns: { type: arrayType, value: binaryArray },
  // Each call costs a round trip.
  rowsPerCall: (left) => Math.min(left, 50),
  among: (position) => `= any($${position})`,
  isAmong: (column, values) => sql<boolean>`${sql.ref(column)} = any(${values})`,
  list: (values) => values,
  // Takes a transaction id, so that its commit is written and synced; a standby has none to give.
  writeCheck: 'select pg_current_xact_id()',
  forUpdate: ' for no key update',
  skipLocked: ' for no key update skip locked',
  skipDeleted: ' for key share skip locked',
  lockMigrations: async (tx) => {
    await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(tx)
    // Everybody else queues up behind a lock on a table that is waited for.
    await sql`set local lock_timeout = '1s'`.execute(tx)
  },
  lockAccount: async (tx, accountId) => {
    await sql`select 1 from account where id = ${accountId} for no key update`.execute(tx)
  },
  unavailability: (error) => {
    const code = errorField(error, 'code')
    if (typeof code === 'string' && POSTGRES_UNAVAILABLE.test(code)) {
      return { full: code === DISK_FULL, isRefused: !POSTGRES_ENDED.test(code) }
    }
    const isLost =
      (typeof code === 'string' && NETWORK_UNAVAILABLE.test(code)) ||
      POOL_UNAVAILABLE.test(String(errorField(error, 'message')))
    return isLost ? { full: false, isRefused: false } : null
  },
}

function errorField(error: unknown, name: string): unknown {
  if (typeof error !== 'object' || error === null) return undefined
  return Reflect.get(error, name)
}
