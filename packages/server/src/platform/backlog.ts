// How many accepted mails are not stored yet, in memory that threads share: a request that comes
// after a `250` waits until that mail can be read. The other way round the memory tells a receiving
// thread whose mails somebody is waiting for, so that these are stored first.
//
// Mails are counted by inbox and by account, so that nobody waits for the mails of others. They
// share a limited number of counters; two with the same one may wait for each other's mails.

/** Counters of a thread, by the hash of an id. */
const BUCKETS = 65_536

/** Accepted, stored and watched of each counter; then a flag and a number for the thread. */
const THREAD_INTS = 3 * BUCKETS + 2

/** Longest time that a request waits: the first mail starts the storing thread. */
const WAIT_MS_MAX = 10_000

/** Memory for this number of receiving threads. */
export function createBacklogMemory(threads: number): SharedArrayBuffer {
  return new SharedArrayBuffer(threads * THREAD_INTS * Int32Array.BYTES_PER_ELEMENT)
}

/** The counts of one receiving thread. */
export class Backlog {
  readonly #accepted: Int32Array
  readonly #stored: Int32Array
  /** How many watch, counted by the thread of the API. */
  readonly #watched: Int32Array
  readonly #failing: Int32Array
  /** How often somebody began to watch what has mails that are not stored. */
  readonly #calls: Int32Array

  constructor(memory: SharedArrayBuffer, thread: number) {
    const start = thread * THREAD_INTS * Int32Array.BYTES_PER_ELEMENT
    const ints = new Int32Array(memory, start, THREAD_INTS)
    this.#accepted = ints.subarray(0, BUCKETS)
    this.#stored = ints.subarray(BUCKETS, 2 * BUCKETS)
    this.#watched = ints.subarray(2 * BUCKETS, 3 * BUCKETS)
    this.#failing = ints.subarray(3 * BUCKETS, 3 * BUCKETS + 1)
    this.#calls = ints.subarray(3 * BUCKETS + 1)
  }

  /** A mail with these counters, of `bucketOf`, is accepted; before its sender is told. */
  accept(buckets: readonly number[]): void {
    for (const bucket of buckets) Atomics.add(this.#accepted, bucket, 1)
  }

  /** It is stored. */
  store(buckets: readonly number[]): void {
    for (const bucket of buckets) {
      Atomics.add(this.#stored, bucket, 1)
      // A system call, which nobody needs while nobody waits.
      if (Atomics.load(this.#watched, bucket) > 0) Atomics.notify(this.#stored, bucket)
    }
  }

  /** Forgets what an earlier thread had accepted. */
  reset(): void {
    for (const bucket of this.#behind()) {
      Atomics.store(this.#stored, bucket, Atomics.load(this.#accepted, bucket))
      Atomics.notify(this.#stored, bucket)
    }
  }

  /** While mails cannot be stored, no request waits for them. */
  setFailing(isFailing: boolean): void {
    Atomics.store(this.#failing, 0, Number(isFailing))
    for (const bucket of this.#behind()) Atomics.notify(this.#stored, bucket)
  }

  /** Whether somebody waits for mails with one of these counters. */
  isWatched(buckets: readonly number[]): boolean {
    for (const bucket of buckets) if (Atomics.load(this.#watched, bucket) > 0) return true
    return false
  }

  /** Whether somebody waits for mails of this inbox or account. */
  isWatchedId(id: string): boolean {
    return this.isWatched([bucketOf(id)])
  }

  /** From now on, somebody waits for mails of this inbox or account. */
  watch(id: string): void {
    const bucket = bucketOf(id)
    Atomics.add(this.#watched, bucket, 1)
    if (this.#isCaughtUp(bucket, Atomics.load(this.#accepted, bucket))) return
    Atomics.add(this.#calls, 0, 1)
    Atomics.notify(this.#calls, 0)
  }

  /** One of those who watched does so no longer. */
  unwatch(id: string): void {
    Atomics.sub(this.#watched, bucketOf(id), 1)
  }

  /** Calls back whenever somebody begins to watch what has mails that are not stored. */
  async listen(onCalled: () => void, signal: AbortSignal): Promise<void> {
    let seen = Atomics.load(this.#calls, 0)
    for (;;) {
      await Atomics.waitAsync(this.#calls, 0, seen).value
      if (signal.aborted) return
      seen = Atomics.load(this.#calls, 0)
      onCalled()
    }
  }

  /** Whether the mails of this inbox or account that are accepted now are stored. */
  isCaughtUp(id: string): boolean {
    const bucket = bucketOf(id)
    return this.#isCaughtUp(bucket, Atomics.load(this.#accepted, bucket))
  }

  /** Resolves when the mails of `id` that are accepted now are stored; null when they are. */
  caughtUp(id: string): Promise<void> | null {
    const bucket = bucketOf(id)
    const accepted = Atomics.load(this.#accepted, bucket)
    return this.#isCaughtUp(bucket, accepted) ? null : this.#catchUpTo(id, accepted)
  }

  async #catchUpTo(id: string, accepted: number): Promise<void> {
    const bucket = bucketOf(id)
    // Each mail that is stored ends one wait, so that all together could take longer.
    const timeout = AbortSignal.timeout(WAIT_MS_MAX)
    this.watch(id)
    while (!timeout.aborted) {
      const stored = Atomics.load(this.#stored, bucket)
      const changed = Atomics.waitAsync(this.#stored, bucket, stored, WAIT_MS_MAX)
      // After that: what changes from here on ends the wait.
      if (this.#isCaughtUp(bucket, accepted)) break
      await changed.value
    }
    this.unwatch(id)
  }

  /** The counts may overflow: only their difference has a meaning. */
  #isCaughtUp(bucket: number, accepted: number): boolean {
    if (Atomics.load(this.#failing, 0) === 1) return true
    return ((accepted - Atomics.load(this.#stored, bucket)) | 0) <= 0
  }

  *#behind(): Generator<number> {
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      if (Atomics.load(this.#accepted, bucket) !== Atomics.load(this.#stored, bucket)) yield bucket
    }
  }
}

/** The counter of an inbox or account. Ids end with random characters, of five bits each. */
export function bucketOf(id: string): number {
  let hash = 0
  for (let i = Math.max(0, id.length - 4); i < id.length; i++) {
    hash = Math.imul(hash, 33) + id.charCodeAt(i)
  }
  // The low bits alone would be those of the last characters.
  return (Math.imul(hash, 0x9e3779b1) >>> 16) & (BUCKETS - 1)
}
