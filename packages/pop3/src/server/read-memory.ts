/** A slot for a message in memory, or in the queue for one; disposing of it releases it. */
export type ReadSlot = Disposable & {
  /** Resolves when it is granted, or was released before. */
  readonly granted: Promise<void>
}

/** The numbers of slots. */
type ReadLimits = {
  readonly readsMax: number
  readonly readsPerOwnerMax: number
}

/**
 * The slots for messages in memory. Each owner of mailboxes has a queue, and the owners alternate:
 * one whose clients read slowly delays only its own clients.
 */
export class ReadMemory {
  readonly #limits: ReadLimits
  /** The queues by owner; the next owner comes first. */
  readonly #waiting = new Map<string, Set<() => void>>()
  readonly #takenBy = new Map<string, number>()
  #takenCount = 0

  constructor(limits: ReadLimits) {
    this.#limits = limits
  }

  /** Requests a slot for this owner. */
  request(owner: string): ReadSlot {
    const { promise: granted, resolve: grant } = Promise.withResolvers<void>()
    const queue = this.#waiting.get(owner) ?? new Set()
    this.#waiting.set(owner, queue.add(grant))
    this.#grantNext()
    let isOver = false
    return {
      granted,
      [Symbol.dispose]: () => {
        if (isOver) return
        isOver = true
        if (this.#leave(owner, grant)) grant()
        else this.#release(owner)
      },
    }
  }

  #grantNext(): void {
    for (const [owner, queue] of this.#waiting) {
      if (this.#takenCount >= this.#limits.readsMax) return
      const takenCount = this.#takenBy.get(owner) ?? 0
      const [grant] = queue
      if (grant === undefined || takenCount >= this.#limits.readsPerOwnerMax) continue
      this.#leave(owner, grant)
      // The owner comes last again.
      if (this.#waiting.delete(owner)) this.#waiting.set(owner, queue)
      this.#takenBy.set(owner, takenCount + 1)
      this.#takenCount += 1
      grant()
    }
  }

  /** Leaves the queue; false when it was granted already. */
  #leave(owner: string, grant: () => void): boolean {
    const queue = this.#waiting.get(owner)
    const wasWaiting = queue?.delete(grant) ?? false
    if (queue?.size === 0) this.#waiting.delete(owner)
    return wasWaiting
  }

  #release(owner: string): void {
    const left = (this.#takenBy.get(owner) ?? 1) - 1
    if (left === 0) this.#takenBy.delete(owner)
    else this.#takenBy.set(owner, left)
    this.#takenCount -= 1
    this.#grantNext()
  }
}
