// Syncs committed transactions of SQLite to the disk without blocking the thread that committed
// them: it continues meanwhile, and its commits until then share the next sync.
//
// For a connection with synchronous=normal. Its commit writes the write-ahead log; `sync` then
// syncs the log to the disk. Nothing counts as stored before that, so that the guarantee is that of
// synchronous=full.
//
// The states and the transitions:
//
//   sound     The log on the disk is complete up to the last sync. A failed sync leads to
//             `suspect`.
//   suspect   The system may consider pages as written that the disk refused: a later sync that
//             succeeds proves nothing. The next sync is a checkpoint that copies the whole log
//             into the database file and truncates it; when it succeeds, back to `sound`.

import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs'
import { promisify } from 'node:util'
import { type Kysely, sql } from 'kysely'
import { StorageUnavailable } from '../../errors.ts'
import type { Schema } from '../schema.ts'

export type WalSyncDeps = {
  /** Syncs the log to the disk. */
  readonly syncLog: () => Promise<void>
  /** Copies the log into the database file and truncates it; false when it is in use. */
  readonly truncateLog: () => Promise<boolean>
}

/** Syncs the log of one database. */
export class WalSync {
  readonly #deps: WalSyncDeps
  #state: 'sound' | 'suspect' = 'sound'

  constructor(deps: WalSyncDeps) {
    this.#deps = deps
  }

  /** Resolves when everything that was committed before is on the disk. */
  async sync(): Promise<void> {
    if (this.#isSuspect()) return this.#truncate()
    try {
      await this.#deps.syncLog()
    } catch (error) {
      this.#state = 'suspect'
      throw unavailable(error)
    }
    // Another sync, which began before this one ended, may have failed.
    if (this.#isSuspect()) throw unavailable(new Error('an earlier sync of the WAL failed'))
  }

  #isSuspect(): boolean {
    return this.#state === 'suspect'
  }

  async #truncate(): Promise<void> {
    if (!(await this.#deps.truncateLog())) throw unavailable(new Error('the WAL is in use'))
    this.#state = 'sound'
  }
}

/** A sync on a fast disk: shorter than it takes to parse a few mails. */
const BRIEF_SYNC_MS = 2

/**
 * Syncs a file on this thread while syncs are brief, and apart after one that was not: handing each
 * to another thread takes a fifth of the processor time with which mails are stored.
 */
export function syncByDuration(sync: {
  readonly here: () => void
  readonly apart: () => Promise<void>
  /** Milliseconds of a monotonic clock. */
  readonly elapsedMs: () => number
}): () => Promise<void> {
  let lastMs = 0
  return async () => {
    const startedMs = sync.elapsedMs()
    if (lastMs < BRIEF_SYNC_MS) sync.here()
    else await sync.apart()
    lastMs = sync.elapsedMs() - startedMs
  }
}

/** One sync at a time; calls in the meantime share the next. */
export function syncTogether(sync: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null
  let next: Promise<void> | null = null
  const start = () => {
    next = null
    const own = sync()
    running = own
    const end = () => {
      running = null
    }
    // Before its waiters are resumed: they may request another one.
    own.then(end, end)
    return own
  }
  return () => {
    if (next !== null) return next
    if (running === null) return start()
    next = running.then(start, start)
    return next
  }
}

/**
 * The log of an open database. SQLite keeps the file as long as a connection is open. Without
 * `elapsedMs` nothing is synced on this thread.
 */
export function openLog(
  path: string,
  db: Kysely<Schema>,
  elapsedMs: (() => number) | null,
): { sync(): Promise<void>; close(): void } {
  const file = openSync(`${path}-wal`, 'r+')
  const syncFile = promisify(fdatasync)
  const apart = syncTogether(() => syncFile(file))
  const here = () => fdatasyncSync(file)
  const log = new WalSync({
    syncLog: elapsedMs === null ? apart : syncByDuration({ here, apart, elapsedMs }),
    truncateLog: async () => {
      const { rows } = await sql<{ busy: number }>`pragma wal_checkpoint(truncate)`.execute(db)
      return rows[0]?.busy === 0
    },
  })
  return { sync: () => log.sync(), close: () => closeSync(file) }
}

/** Uncertain: the transaction is committed, and may be lost with the power of the machine. */
function unavailable(error: unknown): StorageUnavailable {
  const isFull = error instanceof Error && 'code' in error && error.code === 'ENOSPC'
  return new StorageUnavailable(error, isFull, true)
}
