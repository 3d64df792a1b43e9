import type { AccountId } from '@mayfly/contract'
import { ServiceError } from '../../errors.ts'

/** Most bytes in memory, of all accounts and of one. */
export type MemoryLimits = { readonly bytesMax: number; readonly accountBytesMax: number }

/** Counts bytes in memory for accounts, and refuses more than its limits. */
export class AccountMemory {
  readonly #limits: MemoryLimits
  /** The message for a refused client. */
  readonly #refusal: string
  readonly #heldBytes = new Map<AccountId, number>()
  #allBytes = 0

  constructor(limits: MemoryLimits, refusal: string) {
    this.#limits = limits
    this.#refusal = refusal
  }

  /** Throws when there is no memory for these bytes; then they are not counted. */
  add(owner: AccountId, sizeBytes: number): void {
    const heldBytes = (this.#heldBytes.get(owner) ?? 0) + sizeBytes
    const allBytes = this.#allBytes + sizeBytes
    if (heldBytes > this.#limits.accountBytesMax || allBytes > this.#limits.bytesMax) {
      throw new ServiceError('content_unavailable', {
        message: this.#refusal,
        retryAfterSeconds: RETRY_SECONDS,
      })
    }
    this.#heldBytes.set(owner, heldBytes)
    this.#allBytes = allBytes
  }

  /** Frees bytes that were added. */
  remove(owner: AccountId, sizeBytes: number): void {
    const heldBytes = (this.#heldBytes.get(owner) ?? 0) - sizeBytes
    if (heldBytes === 0) this.#heldBytes.delete(owner)
    else this.#heldBytes.set(owner, heldBytes)
    this.#allBytes -= sizeBytes
  }
}

const RETRY_SECONDS = 2
