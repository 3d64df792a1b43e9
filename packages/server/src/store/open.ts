import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { AccountId, InboxId, MessageId } from '@mayfly/contract'
import { type Kysely, sql } from 'kysely'
import { StartRefused, StorageUnavailable } from '../errors.ts'
import { type Tables, tablesOver } from './all-tables.ts'
import { type Dialect, postgresDialect, sqliteDialect } from './dialect.ts'
import { isLockFailure, MIGRATIONS, type Migration, migrate, requireMigrated } from './migrate.ts'
import { dropPartitions, makePartitions, type Retention } from './postgres/mail-partitions.ts'
import { deleteMails, deleteMessages, purgeDue, purgeInbox } from './purge.ts'
import type { Schema } from './schema.ts'
import {
  isDiskFailure,
  isUnusableFile,
  lockStore,
  type OpenedSqlite,
  openSqlite,
} from './sqlite/open.ts'
import { sqlitePathOf } from './sqlite/path.ts'
import { openLog } from './sqlite/wal-sync.ts'
import { statementsOver } from './statements.ts'
import type { StoredSize } from './tables/mails.ts'

/** The storage of the service. */
export type Store = Tables & {
  /** Whether other nodes may run on the same store. */
  readonly isShared: boolean
  /**
   * Commits all of `work` or nothing. Inside, only `tx` may be used. Calls `committed` when others
   * can read it, and resolves when it is on the disk.
   */
  transaction<T>(
    work: (tx: Tables) => Promise<T>,
    committed?: (result: NoInfer<T>) => void,
  ): Promise<T>
  /** Purges an inbox with all its content, and releases its address; false when there is none. */
  purgeInbox(
    owner: AccountId,
    inbox: { readonly id: InboxId; readonly now: number },
  ): Promise<boolean>
  /** Purges inboxes whose retention is over, in one transaction; null where each has its own. */
  readonly purgeDue: ((ids: readonly InboxId[], now: number) => Promise<number>) | null
  /** Deletes messages of an inbox, or all, with their content; returns their ids. */
  deleteMessages(
    owner: AccountId,
    inboxId: InboxId,
    selection: readonly MessageId[] | 'all',
  ): Promise<readonly MessageId[]>
  /** Deletes those of these mails that no message refers to, in short statements. */
  deleteMails(mails: readonly StoredSize[]): Promise<void>
  /** Makes PostgreSQL's partitions of coming days of purge; false when some are missing still. */
  makePartitions(retention: Omit<Retention, 'keptUntil'>): Promise<boolean>
  /** Drops those of past days; mails whose inbox is kept longer get a later day. */
  dropPartitions(retention: Retention): Promise<void>
  /** Runs one statement as it is; for tests. */
  execute(statement: string): Promise<void>
  /** Throws when the storage does not respond. */
  ping(): Promise<void>
  /** Throws when PostgreSQL does not write. */
  checkWrite(): Promise<void>
  /** A passive checkpoint of SQLite's write-ahead log; nothing on PostgreSQL. */
  checkpoint(): Promise<void>
  close(): Promise<void>
}

/** How a store is opened. */
export type StoreOptions = {
  /** `sqlite:PATH` or `postgres://…` */
  readonly url: string
  /** Whether to refuse when another process runs on the same SQLite store. */
  readonly exclusive: boolean
  /**
   * Whether the store must exist with the current schema. For tools that run beside the service:
   * they must not migrate it, nor create an empty store when the path has a typing error.
   */
  readonly existing?: boolean
  /** Whether the schema is not migrated, because the main thread has done so. */
  readonly isMigrated?: boolean
  /** Migrations in place of this version's, for tests. */
  readonly migrations?: readonly Migration[]
  /** PostgreSQL past a pooler; null when `url` is none. */
  readonly directUrl?: string | null
  /** Most connections to PostgreSQL at a time. */
  readonly connectionsMax?: number
  /**
   * Whether the thread continues while SQLite's changes are synced to the disk; a transaction, or a
   * change outside of one, resolves after its sync.
   */
  readonly syncsInBackground?: boolean
  /**
   * A monotonic clock, for a thread that may be blocked for 2 ms: it then does such syncs itself,
   * as long as they do not take longer.
   */
  readonly elapsedMs?: () => number
  /**
   * A monotonic clock, for a thread that must not be blocked: SQLite's queries yield to its event
   * loop.
   */
  readonly yieldsBy?: () => number
  /**
   * Called when messages or inboxes were deleted, but not all their mails and deliveries. They
   * cannot be read any more, and the retention sweep deletes them later.
   */
  readonly onPurgeFailed?: (error: unknown) => void
}

/** Opens the store and brings its schema up to date. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const sqlitePath = sqlitePathOf(options.url)
  const isMissing = sqlitePath !== null && !existsSync(sqlitePath)
  if (options.existing === true && isMissing) {
    throw new StartRefused(`There is no database at ${sqlitePath}. Check MAYFLY_DATABASE_URL.`)
  }
  try {
    return await open(options, sqlitePath)
  } catch (error) {
    if (error instanceof StorageUnavailable) {
      if (error.message.includes('startup parameter')) {
        const remedy = 'set MAYFLY_DATABASE_DIRECT_URL too'
        throw new StartRefused(`${error.message}. It seems to be a connection pooler: ${remedy}.`)
      }
      if (sqlitePath === null) {
        throw new StartRefused(`${error.message}. Check MAYFLY_DATABASE_URL.`, { cause: error })
      }
    }
    const cause = error instanceof StorageUnavailable ? error.cause : error
    if (sqlitePath === null || !(isUnusableFile(cause) || isDiskFailure(cause))) throw error
    const remedy = isDiskFailure(cause)
      ? `Check that there is space left on ${dirname(sqlitePath)}`
      : 'Check MAYFLY_DATABASE_URL and who owns its folder'
    throw new StartRefused(
      `The database at ${sqlitePath} cannot be opened: ${String(cause)}. ${remedy}.`,
    )
  }
}

async function open(options: StoreOptions, sqlitePath: string | null): Promise<Store> {
  const lock = options.exclusive && sqlitePath !== null ? lockStore(sqlitePath) : null
  const dialect = sqlitePath === null ? postgresDialect : sqliteDialect
  const syncs = options.syncsInBackground === true ? 'inBackground' : 'atCommit'
  let db: Kysely<Schema> | null = null
  try {
    const sqlite = sqlitePath === null ? null : openSqlite(sqlitePath, syncs, options.yieldsBy)
    db = sqlite?.db ?? (await openServer(options))
    if (options.existing === true) await requireMigrated(db)
    else if (options.isMigrated !== true) await migrateWith(sqlite?.db ?? null, dialect, options)
    const log =
      sqlitePath !== null && syncs === 'inBackground'
        ? openLog(sqlitePath, db, options.elapsedMs ?? null)
        : null
    if (log !== null) {
      // A migration, if there was one.
      await log.sync()
      sqlite?.syncChangesBy(() => log.sync())
    }
    return storeOver(db, dialect, {
      sqlite,
      onPurgeFailed: options.onPurgeFailed ?? (() => {}),
      synced: async () => log?.sync(),
      released: () => {
        log?.close()
        lock?.release()
      },
    })
  } catch (error) {
    await db?.destroy()
    lock?.release()
    throw error
  }
}

/** The driver of PostgreSQL is loaded only when it is used. */
async function openServer(options: StoreOptions): Promise<Kysely<Schema>> {
  const { openPostgres, requireSessionSettings } = await import('./postgres/open.ts')
  const db = openPostgres(options.url, {
    connectionsMax: options.connectionsMax ?? 10,
    timeLimits: true,
    isPooled: (options.directUrl ?? null) !== null,
  })
  if (options.isMigrated !== true) await requireSessionSettings(db)
  return db
}

/** Tries of a migration, each of which waits for a lock for a second. */
const MIGRATION_TRIES = 30
const MIGRATION_PAUSE_MS = 200

/** On PostgreSQL with a connection of its own: migrations may take longer than any statement. */
async function migrateWith(
  sqlite: Kysely<Schema> | null,
  dialect: Dialect,
  { url, directUrl, migrations = MIGRATIONS }: StoreOptions,
): Promise<void> {
  if (sqlite !== null) return migrate(sqlite, dialect, migrations)
  const { openPostgres } = await import('./postgres/open.ts')
  const db = openPostgres(directUrl ?? url, {
    connectionsMax: 1,
    timeLimits: false,
    isPooled: false,
  })
  try {
    for (let triesLeft = MIGRATION_TRIES; ; triesLeft--) {
      try {
        return await migrate(db, dialect, migrations)
      } catch (error) {
        // Nodes of an older version are running, and one of them has the locks that the migration
        // needs.
        if (triesLeft === 1 || !isLockFailure(error)) throw error
        await delay(MIGRATION_PAUSE_MS)
      }
    }
  } finally {
    await db.destroy()
  }
}

/** The parts of a store beside its database. */
type StoreParts = {
  /** Null when each transaction has a connection of its own. */
  readonly sqlite: OpenedSqlite | null
  readonly onPurgeFailed: (error: unknown) => void
  readonly synced: () => Promise<void>
  readonly released: () => void
}

function storeOver(
  db: Kysely<Schema>,
  dialect: Dialect,
  { sqlite, onPurgeFailed, synced, released }: StoreParts,
): Store {
  const tablesOf = (tx: Kysely<Schema>) =>
    tablesOver(tx, dialect, sqlite?.statements ?? statementsOver(tx))
  const tables = tablesOver(db, dialect, sqlite?.outerStatements ?? statementsOver(db))
  const transaction: Store['transaction'] = async (work, committed) => {
    const result = await db.transaction().execute((tx) => work(tablesOf(tx)))
    committed?.(result)
    await synced()
    return result
  }
  const purging = { deliveries: tables.deliveries, onPurgeFailed, transaction }
  return {
    ...tables,
    isShared: dialect.isShared,
    transaction,
    purgeInbox: (owner, inbox) => purgeInbox(purging, owner, inbox),
    purgeDue: dialect.dropsDays ? (ids, now) => purgeDue(purging, ids, now) : null,
    deleteMessages: (owner, inboxId, selection) =>
      deleteMessages(purging, owner, { inboxId, selection }),
    deleteMails: (mails) => deleteMails(purging, mails),
    makePartitions: async (retention) => !dialect.dropsDays || makePartitions(db, retention),
    dropPartitions: async (retention) => {
      if (dialect.dropsDays) await dropPartitions(db, retention)
    },
    execute: async (statement) => {
      await sql.raw(statement).execute(db)
    },
    ping: async () => {
      await sql`select 1`.execute(db)
    },
    checkWrite: async () => {
      await sql.raw(dialect.writeCheck).execute(db)
    },
    checkpoint: async () => {
      if (dialect.name === 'sqlite') await sql`pragma wal_checkpoint(passive)`.execute(db)
    },
    close: async () => {
      await db.destroy()
      released()
    },
  }
}
