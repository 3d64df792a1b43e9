// Stored mails are deleted from the spool when their transactions are on the disk.

import type { Log } from '../platform/log.ts'
import type { MailSpool, MailStoring } from './mail-spool.ts'

/** How long stored mails stay in the spool for their sync, so that many share it. */
const SYNC_MS = 50

/** Pause before a sync that failed is tried again. */
const RETRY_MS = 1_000

/** What releasing mails needs. */
export type SpoolReleaseDeps = {
  readonly spool: Pick<MailSpool, 'release'>
  readonly storing: Pick<MailStoring, 'sync'>
  readonly log: Log
}

/** Releases stored mails from a spool. */
export class SpoolRelease {
  readonly #deps: SpoolReleaseDeps
  #storedTo: number
  #timer: NodeJS.Timeout | undefined

  /** All mails up to `storedTo` were stored before. */
  constructor(deps: SpoolReleaseDeps, storedTo: number) {
    this.#deps = deps
    this.#storedTo = storedTo
  }

  /** All mails up to this number are stored, but need not be on the disk. */
  storedTo(number: number): void {
    this.#storedTo = number
    this.#timer ??= this.#syncAfter(SYNC_MS)
  }

  /** Releases them when they are on the disk. */
  async sync(): Promise<void> {
    const { spool, storing, log } = this.#deps
    const storedTo = this.#storedTo
    try {
      await storing.sync()
      spool.release(storedTo)
      // More may have been stored meanwhile.
      this.#timer = this.#storedTo > storedTo ? this.#syncAfter(SYNC_MS) : undefined
    } catch (error) {
      log.warn({ err: error }, 'stored mails could not be synced; they stay in the spool')
      this.#timer = this.#syncAfter(RETRY_MS)
    }
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #syncAfter(ms: number): NodeJS.Timeout {
    return setTimeout(() => void this.sync(), ms)
  }
}
