import { randomFillSync } from 'node:crypto'

/** Counters of connections by address, in each of two rows. */
const ROW = 65_536

const CONNECTIONS = 0
const BYTES = 1
const SEEDS = [2, 3] as const
const WANTED = 4
const ROWS = 5

/** Clients that can wait for a connection at a time. */
const WANTED_MAX = 100

/**
 * The usage of all servers of a process, counted in memory that their threads share.
 *
 * Connections are counted by address in a count-min sketch: each address has one counter in each
 * of two rows, and the smaller one counts. It is too high only when the address shares both with
 * others, which is rare, and cannot be aimed at, because the seeds of the hashes are random.
 */
export class SharedUsage {
  readonly #counters: Int32Array<SharedArrayBuffer>

  constructor(memory: SharedArrayBuffer = createUsageMemory()) {
    this.#counters = new Int32Array(memory)
  }

  /** Connections of all clients. */
  get connections(): number {
    return Atomics.load(this.#counters, CONNECTIONS)
  }

  /** Connections from an address. */
  connectionsFrom(address: string): number {
    return Math.min(...this.#slots(address).map((slot) => Atomics.load(this.#counters, slot)))
  }

  /** Counts a connection that was opened (1) or closed (-1). */
  addConnection(address: string, change: 1 | -1): void {
    Atomics.add(this.#counters, CONNECTIONS, change)
    for (const slot of this.#slots(address)) Atomics.add(this.#counters, slot, change)
  }

  /** Adds to the bytes of mails that are not stored yet; returns all of them. */
  addBytes(change: number): number {
    return Atomics.add(this.#counters, BYTES, change) + change
  }

  /** Requests the other servers to close an idle connection: this one has none. */
  requestEviction(): void {
    if (Atomics.load(this.#counters, WANTED) < WANTED_MAX) Atomics.add(this.#counters, WANTED, 1)
  }

  /** Connections that other servers request to be closed. */
  get wanted(): number {
    return Atomics.load(this.#counters, WANTED)
  }

  /** Accepts one of the requests to close a connection; false when there are none. */
  acceptEviction(): boolean {
    const wanted = Atomics.load(this.#counters, WANTED)
    return (
      wanted > 0 && Atomics.compareExchange(this.#counters, WANTED, wanted, wanted - 1) === wanted
    )
  }

  /** Withdraws the requests: usage is below the limit again. */
  withdrawEvictions(): void {
    Atomics.store(this.#counters, WANTED, 0)
  }

  #slots(address: string): readonly number[] {
    return SEEDS.map((seed, row) => {
      const hash = seededHash(address, Atomics.load(this.#counters, seed))
      return ROWS + row * ROW + (hash & (ROW - 1))
    })
  }
}

/** Memory for `SharedUsage`, to be passed to every thread. */
export function createUsageMemory(): SharedArrayBuffer {
  const memory = new SharedArrayBuffer((ROWS + SEEDS.length * ROW) * Int32Array.BYTES_PER_ELEMENT)
  const counters = new Int32Array(memory)
  const [first, second] = randomFillSync(new Int32Array(2))
  counters[SEEDS[0]] = first ?? 0
  counters[SEEDS[1]] = second ?? 0
  return memory
}

/** Jenkins' one-at-a-time hash. */
function seededHash(text: string, seed: number): number {
  let hash = seed
  for (let i = 0; i < text.length; i++) {
    hash = (hash + text.charCodeAt(i)) | 0
    hash = (hash + (hash << 10)) | 0
    hash ^= hash >>> 6
  }
  hash = (hash + (hash << 3)) | 0
  hash ^= hash >>> 11
  return (hash + (hash << 15)) | 0
}
