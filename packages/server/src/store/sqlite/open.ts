import { mkdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import { StartRefused } from '../../errors.ts'
import { sqliteDialect } from '../dialect.ts'
import { guardedDriver, guardedStatements } from '../guarded-driver.ts'
import type { Schema } from '../schema.ts'
import type { Statements } from '../statements.ts'
import { SqliteConnection, SqliteDriver } from './driver.ts'

/** How long a writer waits for another one, of another thread. */
const BUSY_TIMEOUT_MS = 5_000

/** Pages of the log, 64 MiB: more would make a start after a crash slow. */
const LOG_PAGES_MAX = 16_384

/** What stays of the log's file once all of it is carried over: no need to grow it each time. */
const LOG_BYTES_KEPT = 16 * 1024 * 1024

/** Durability settings, and what each must read back as. */
const PRAGMAS: readonly { readonly name: string; readonly set: string; readonly read: unknown }[] =
  [
    { name: 'journal_mode', set: 'wal', read: 'wal' },
    { name: 'foreign_keys', set: 'on', read: 1 },
    { name: 'busy_timeout', set: String(BUSY_TIMEOUT_MS), read: BUSY_TIMEOUT_MS },
    // No memory map: an I/O error under one is a signal that ends the process, not an error.
    { name: 'mmap_size', set: '0', read: 0 },
    // The log is carried over by a thread that nobody waits for; past this, by whoever commits.
    { name: 'wal_autocheckpoint', set: String(LOG_PAGES_MAX), read: LOG_PAGES_MAX },
    { name: 'journal_size_limit', set: String(LOG_BYTES_KEPT), read: LOG_BYTES_KEPT },
  ]

/** When the write-ahead log is synced, so that what was promised survives a power cut. */
const SYNCHRONOUS = {
  atCommit: { name: 'synchronous', set: 'full', read: 2 },
  /** Not by SQLite itself: see wal-sync.ts. */
  apart: { name: 'synchronous', set: 'normal', read: 1 },
} as const

/** A database of one connection, for built and for hand-written statements. */
export type OpenedSqlite = { readonly db: Kysely<Schema>; readonly statements: Statements }

/** Kysely over one connection to the SQLite file, its settings checked. */
export function openSqlite(path: string, syncs: keyof typeof SYNCHRONOUS): OpenedSqlite {
  mkdirSync(dirname(resolve(path)), { recursive: true })
  const database = new DatabaseSync(path)
  try {
    for (const { name, set, read } of [...PRAGMAS, SYNCHRONOUS[syncs]]) {
      database.exec(`pragma ${name} = ${set}`)
      const found = Object.values(database.prepare(`pragma ${name}`).get() ?? {})[0]
      if (name === 'mmap_size' && found === undefined) continue
      if (found !== read) {
        throw new Error(`SQLite did not take ${name} = ${set}: it says ${String(found)}.`)
      }
    }
  } catch (error) {
    database.close()
    throw error
  }
  const connection = new SqliteConnection(database)
  const db = new Kysely<Schema>({
    dialect: {
      createDriver: () => guardedDriver(new SqliteDriver(database, connection), sqliteDialect),
      createAdapter: () => new SqliteAdapter(),
      createQueryCompiler: () => new SqliteQueryCompiler(),
      createIntrospector: (db) => new SqliteIntrospector(db),
    },
  })
  return { db, statements: guardedStatements(connection, sqliteDialect) }
}

/**
 * Takes the data for this process until `release` or its end, however it ends.
 *
 * The lock is SQLite's own, on a small file beside the database: the system lets go of it
 * when the process dies, so a crash leaves nothing to clean up.
 */
export function holdData(path: string): { release(): void } {
  mkdirSync(dirname(resolve(path)), { recursive: true })
  const lock = new DatabaseSync(`${path}.lock`)
  try {
    lock.exec('pragma locking_mode = exclusive; begin exclusive; commit')
    lock.exec('begin exclusive')
  } catch {
    lock.close()
    throw new StartRefused(
      `Another Mayfly is running on ${path}. Stop it, give this one another MAYFLY_DATABASE_URL, or use PostgreSQL to run several.`,
    )
  }
  return { release: () => lock.close() }
}
