import type { AccountId, Plan } from '@mayfly/contract'

/** The queries for the quota of accounts. */
export type StorageQuotaDeps = {
  /** Bytes of mail that an account may store; null: no limit. */
  readonly storedBytesMax: (plan: Plan) => number | null
  /** Bytes of mail that an account stores. */
  readonly sumBytes: (accountId: AccountId) => Promise<number>
  /** Milliseconds of a monotonic clock. */
  readonly elapsedMs: () => number
}

type Sum = { bytes: number; readonly expiresAtMs: number }

/**
 * How long a sum counts: shorter when the account may be full, because it may have deleted mails.
 */
const NEAR_LIMIT_MS = 5_000
const BELOW_LIMIT_MS = 60_000

/** Accounts whose sums are kept. */
const SUMS_MAX = 10_000

/**
 * Whether accounts may store more mail.
 *
 * An account may have a hundred thousand inboxes, and a counter in its row would be locked by
 * every commit. So the inboxes are summed at times, and what this thread stores in between is
 * added. Other threads and nodes can exceed the limit by what they store within that time.
 */
export class StorageQuota {
  readonly #deps: StorageQuotaDeps
  readonly #sums = new Map<AccountId, Promise<Sum>>()

  constructor(deps: StorageQuotaDeps) {
    this.#deps = deps
  }

  /** Whether the account may store more. */
  async hasRoom(accountId: AccountId, plan: Plan): Promise<boolean> {
    const limit = this.#deps.storedBytesMax(plan)
    if (limit === null) return true
    const known = await this.#sums.get(accountId)
    const isFresh = known !== undefined && known.expiresAtMs > this.#deps.elapsedMs()
    const { bytes } = isFresh ? known : await this.#sum(accountId, limit)
    return bytes < limit
  }

  /** Counts stored bytes of an account. Does not wait for a sum that is being read. */
  add(accountId: AccountId, bytes: number): void {
    const add = (sum: Sum) => {
      sum.bytes += bytes
    }
    this.#sums.get(accountId)?.then(add, () => {})
  }

  #sum(accountId: AccountId, limit: number): Promise<Sum> {
    const summing = this.#deps.sumBytes(accountId).then((bytes) => {
      const keptMs = bytes * 2 < limit ? BELOW_LIMIT_MS : NEAR_LIMIT_MS
      return { bytes, expiresAtMs: this.#deps.elapsedMs() + keptMs }
    })
    this.#sums.delete(accountId)
    this.#sums.set(accountId, summing)
    summing.catch(() => this.#sums.delete(accountId))
    const [oldest] = this.#sums.keys()
    if (this.#sums.size > SUMS_MAX && oldest !== undefined) this.#sums.delete(oldest)
    return summing
  }
}
