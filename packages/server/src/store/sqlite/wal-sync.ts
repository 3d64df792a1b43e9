// Brings committed transactions of SQLite to the disk without holding up the thread that
// committed them: that thread can read and parse the next mails meanwhile, and they share the
// next sync.
//
// For a connection with synchronous=normal. Its commit writes the write-ahead log; `sync` then has
// the system bring the log to the disk. Until that is done nothing counts as stored, so what is
// promised is what synchronous=full promises.
//
// The states, and the moves between them:
//
//   sound     The log on the disk is whole up to the last sync. A sync that fails leads to
//             `suspect`.
//   suspect   The system may take for written what the disk refused: a later sync that succeeds
//             proves nothing. The next sync carries all of the log over into the database file
//             and empties it; when that succeeds, back to `sound`.

import { closeSync, fdatasync, openSync } from 'node:fs'
import { promisify } from 'node:util'
import { type Kysely, sql } from 'kysely'
import { StorageUnavailable } from '../../errors.ts'
import type { Schema } from '../schema.ts'

/** What a sync works with. */
export type WalSyncDeps = {
  /** Brings the log to the disk. */
  readonly syncLog: () => Promise<void>
  /** Carries the log over into the database file and empties it; false when it is in use. */
  readonly emptyLog: () => Promise<boolean>
}

/** The log of one database. */
export class WalSync {
  readonly #deps: WalSyncDeps
  #state: 'sound' | 'suspect' = 'sound'

  constructor(deps: WalSyncDeps) {
    this.#deps = deps
  }

  /** Resolves once all that was committed before is on the disk. */
  async sync(): Promise<void> {
    if (this.#state === 'suspect') return this.#startOver()
    try {
      await this.#deps.syncLog()
    } catch (error) {
      this.#state = 'suspect'
      throw unavailable(error)
    }
  }

  async #startOver(): Promise<void> {
    if (!(await this.#deps.emptyLog())) throw unavailable(new Error('the log is in use'))
    this.#state = 'sound'
  }
}

/** The log of an open database. The file stays the same for as long as somebody has it open. */
export function openLog(
  path: string,
  db: Kysely<Schema>,
): { sync(): Promise<void>; close(): void } {
  const file = openSync(`${path}-wal`, 'r+')
  const syncFile = promisify(fdatasync)
  const log = new WalSync({
    syncLog: () => syncFile(file),
    emptyLog: async () => {
      const { rows } = await sql<{ busy: number }>`pragma wal_checkpoint(truncate)`.execute(db)
      return rows[0]?.busy === 0
    },
  })
  return { sync: () => log.sync(), close: () => closeSync(file) }
}

function unavailable(error: unknown): StorageUnavailable {
  const isFull = error instanceof Error && 'code' in error && error.code === 'ENOSPC'
  return new StorageUnavailable(error, isFull)
}
