// How many accepted mails are not stored yet, in memory that threads share: a request that comes
// after a `250` waits until that mail can be read.
//
// Mails are counted by account, so that nobody waits for the mails of others. Accounts share a
// limited number of counters; two with the same one may wait for each other's mails.

/** Counters of a thread. */
const BUCKETS = 256

/** Each counter has two numbers; a flag for the thread follows. */
const THREAD_INTS = 2 * BUCKETS + 1

/** Longest time that a request waits: the first mail starts the storing thread. */
const WAIT_MS_MAX = 10_000

/** Memory for this number of receiving threads. */
export function createBacklogMemory(threads: number): SharedArrayBuffer {
  return new SharedArrayBuffer(threads * THREAD_INTS * Int32Array.BYTES_PER_ELEMENT)
}

/** The counts of one receiving thread, which alone writes them. */
export class Backlog {
  readonly #accepted: Int32Array
  readonly #stored: Int32Array
  readonly #failing: Int32Array

  constructor(memory: SharedArrayBuffer, thread: number) {
    const start = thread * THREAD_INTS * Int32Array.BYTES_PER_ELEMENT
    const ints = new Int32Array(memory, start, THREAD_INTS)
    this.#accepted = ints.subarray(0, BUCKETS)
    this.#stored = ints.subarray(BUCKETS, 2 * BUCKETS)
    this.#failing = ints.subarray(2 * BUCKETS)
  }

  /** A mail for these accounts is accepted; before its sender is told. */
  accept(accountIds: readonly string[]): void {
    for (const accountId of accountIds) Atomics.add(this.#accepted, bucketOf(accountId), 1)
  }

  /** It is stored. */
  store(accountIds: readonly string[]): void {
    for (const accountId of accountIds) {
      Atomics.add(this.#stored, bucketOf(accountId), 1)
      Atomics.notify(this.#stored, bucketOf(accountId))
    }
  }

  /** Forgets what an earlier thread had accepted. */
  reset(): void {
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      Atomics.store(this.#stored, bucket, Atomics.load(this.#accepted, bucket))
      Atomics.notify(this.#stored, bucket)
    }
  }

  /** While mails cannot be stored, no request waits for them. */
  setFailing(isFailing: boolean): void {
    Atomics.store(this.#failing, 0, Number(isFailing))
    for (let bucket = 0; bucket < BUCKETS; bucket++) Atomics.notify(this.#stored, bucket)
  }

  /** Resolves when the mails of an account that are accepted now are stored; null when they are. */
  caughtUp(accountId: string): Promise<void> | null {
    const bucket = bucketOf(accountId)
    const accepted = Atomics.load(this.#accepted, bucket)
    return this.#isCaughtUp(bucket, accepted) ? null : this.#catchUpTo(bucket, accepted)
  }

  async #catchUpTo(bucket: number, accepted: number): Promise<void> {
    // Each mail that is stored ends one wait, so that all together could take longer.
    const timeout = AbortSignal.timeout(WAIT_MS_MAX)
    while (!this.#isCaughtUp(bucket, accepted) && !timeout.aborted) {
      const stored = Atomics.load(this.#stored, bucket)
      await Atomics.waitAsync(this.#stored, bucket, stored, WAIT_MS_MAX).value
    }
  }

  /** The counts may overflow: only their difference has a meaning. */
  #isCaughtUp(bucket: number, accepted: number): boolean {
    if (Atomics.load(this.#failing, 0) === 1) return true
    return ((accepted - Atomics.load(this.#stored, bucket)) | 0) <= 0
  }
}

/** Ids end with random characters. */
function bucketOf(accountId: string): number {
  let hash = 0
  for (let i = accountId.length - 4; i < accountId.length; i++) {
    hash = (hash * 31 + accountId.charCodeAt(i)) | 0
  }
  return hash & (BUCKETS - 1)
}
