import { DatabaseSync } from 'node:sqlite'
import {
  Kysely,
  type LimitNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { StartRefused } from '../../errors.ts'
import { sqliteDialect } from '../dialect.ts'
import { guardedDriver, guardedStatements } from '../guarded-driver.ts'
import type { Schema } from '../schema.ts'
import { type Statements, statementsOver } from '../statements.ts'
import { type DriverOptions, SqliteConnection, SqliteDriver } from './driver.ts'
import { BUSY_TIMEOUT_MS, LoopYields } from './loop-yields.ts'
import { restrictAccess } from './permissions.ts'
import { resultCode, SQLITE } from './result-codes.ts'

/** Pages of the write-ahead log, 64 MiB: more would make a start after a crash slow. */
const WAL_PAGES_MAX = 16_384

/** Size to which the log is truncated after a checkpoint, so that it need not grow each time. */
const WAL_BYTES_KEPT = 16 * 1024 * 1024

/** Settings, and the value that each must read back as. */
const PRAGMAS: readonly { readonly name: string; readonly set: string; readonly read: unknown }[] =
  [
    { name: 'journal_mode', set: 'wal', read: 'wal' },
    { name: 'foreign_keys', set: 'on', read: 1 },
    { name: 'busy_timeout', set: String(BUSY_TIMEOUT_MS), read: BUSY_TIMEOUT_MS },
    // No memory map: there an I/O error is a signal that ends the process, not an error.
    { name: 'mmap_size', set: '0', read: 0 },
    // The follow-up thread makes checkpoints; above this size, the next commit makes one.
    { name: 'wal_autocheckpoint', set: String(WAL_PAGES_MAX), read: WAL_PAGES_MAX },
    { name: 'journal_size_limit', set: String(WAL_BYTES_KEPT), read: WAL_BYTES_KEPT },
  ]

/** When the write-ahead log is synced, so that acknowledged mail survives a power cut. */
const SYNCHRONOUS = {
  atCommit: { name: 'synchronous', set: 'full', read: 2 },
  /** Not by SQLite itself: see wal-sync.ts. */
  inBackground: { name: 'synchronous', set: 'normal', read: 1 },
} as const

/**
 * SQLite plans a statement again each time that a value is given for a bare `limit ?`, which takes
 * ten times as long as running it.
 */
class QueryCompiler extends SqliteQueryCompiler {
  override visitLimit(node: LimitNode): void {
    this.append('limit cast(')
    this.visitNode(node.limit)
    this.append(' as integer)')
  }
}

/** A database with one connection, for the query builder and for hand-written statements. */
export type OpenedSqlite = {
  readonly db: Kysely<Schema>
  /** For use in a transaction. */
  readonly statements: Statements
  /** For use outside of a transaction. */
  readonly outerStatements: Statements
  /** From now on, a change outside of a transaction resolves when this has. */
  readonly syncChangesBy: (synced: () => Promise<void>) => void
}

/** Whether a file cannot be opened as a database, by its path, its owner or its content. */
export function isUnusableFile(error: unknown): boolean {
  const code = resultCode(error)
  if (code === null) return error instanceof Error && 'syscall' in error
  return code === SQLITE.READONLY || code === SQLITE.CANTOPEN || code === SQLITE.NOTADB
}

/** Whether the disk of a database is full, or fails. */
export function isDiskFailure(error: unknown): boolean {
  const code = resultCode(error)
  if (code !== null) return code === SQLITE.FULL || code === SQLITE.IOERR
  return error instanceof Error && 'code' in error && error.code === 'ENOSPC'
}

/** Kysely over one connection to the SQLite file, its settings checked. */
export function openSqlite(
  path: string,
  syncs: keyof typeof SYNCHRONOUS,
  yieldsBy?: () => number,
): OpenedSqlite {
  restrictAccess(path)
  const database = new DatabaseSync(path)
  try {
    for (const { name, set, read } of [...PRAGMAS, SYNCHRONOUS[syncs]]) {
      database.exec(`pragma ${name} = ${set}`)
      const found = Object.values(database.prepare(`pragma ${name}`).get() ?? {})[0]
      if (name === 'mmap_size' && found === undefined) continue
      if (found !== read) {
        throw new Error(`SQLite did not accept ${name} = ${set}; the value is ${String(found)}.`)
      }
    }
    if (yieldsBy !== undefined) database.exec('pragma busy_timeout = 0')
  } catch (error) {
    database.close()
    throw error
  }
  const turns = yieldsBy === undefined ? null : new LoopYields(yieldsBy)
  const parts: DriverOptions = { database, turns }
  const connection = new SqliteConnection(parts)
  const db = new Kysely<Schema>({
    dialect: {
      createDriver: () => guardedDriver(new SqliteDriver(connection, parts), sqliteDialect),
      createAdapter: () => new SqliteAdapter(),
      createQueryCompiler: () => new QueryCompiler(),
      createIntrospector: (db) => new SqliteIntrospector(db),
    },
  })
  const statements = guardedStatements(connection, sqliteDialect)
  const queued = statementsOver(db)
  return {
    db,
    statements,
    outerStatements: {
      run: async (text, parameters) => {
        const next = turns?.next() ?? null
        if (next !== null) await next
        // The writes of an open transaction must not be visible: wait for its end.
        return (database.isTransaction ? queued : statements).run(text, parameters)
      },
    },
    syncChangesBy: (synced) => connection.syncChangesBy(synced),
  }
}

/**
 * Locks the store for this process until `release` or the end of the process.
 *
 * The lock is SQLite's own, on a small file beside the database. The system releases it when the
 * process ends, so that nothing needs cleaning up after a crash.
 */
export function lockStore(path: string): { release(): void } {
  // First: a path that cannot be a database must not get a lock beside it.
  restrictAccess(path)
  restrictAccess(`${path}.lock`)
  const lock = new DatabaseSync(`${path}.lock`)
  try {
    lock.exec('pragma locking_mode = exclusive; begin exclusive; commit')
    lock.exec('begin exclusive')
  } catch (error) {
    lock.close()
    if (resultCode(error) !== SQLITE.BUSY) throw error
    throw new StartRefused(
      `Another Mayfly is running on ${path}. Stop it, give this one another MAYFLY_DATABASE_URL, or use PostgreSQL to run several.`,
    )
  }
  return { release: () => lock.close() }
}
