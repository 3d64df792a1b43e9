import { StorageUnavailable } from '../errors.ts'
import type { RefusalReply } from '../features/diagnostics/refusal-log.ts'
import type { Log } from '../platform/log.ts'
import { Throttle } from '../platform/throttle.ts'

/** Shortest time between two warnings: while the storage fails, every client is refused. */
const WARNED_MS = 5_000

/** Refuses clients while the storage fails, and logs why. */
export class StorageRefusals {
  readonly #log: Log
  readonly #warning = new Throttle<void>(WARNED_MS, () => this.#warn())
  /** Since the last warning. */
  #count = 0
  #error: StorageUnavailable | null = null

  constructor(log: Log) {
    this.#log = log
  }

  /** The reply to the client when the storage fails; any other error is thrown again. */
  reply(error: unknown): Extract<RefusalReply, 'unavailable' | 'storage_full'> {
    if (!(error instanceof StorageUnavailable)) throw error
    this.#count += 1
    this.#error = error
    this.#warning.add()
    return error.full ? 'storage_full' : 'unavailable'
  }

  /** Logs the refusals that were not logged yet. */
  stop(): void {
    this.#warning.stop()
    if (this.#count > 0) this.#warn()
  }

  #warn(): void {
    const refusals = this.#count
    this.#count = 0
    this.#log.warn(
      { err: this.#error, refusals },
      'the storage failed; mail was refused with a temporary error',
    )
  }
}
