/** A place for a message in memory, or in the queue for one; disposing of it gives it back. */
export type ReadPlace = Disposable & {
  /** Resolves when it is granted, or was given back before that. */
  readonly granted: Promise<void>
}

/** How many places there are. */
type ReadPlaceLimits = {
  readonly readsMax: number
  readonly readsPerOwnerMax: number
}

/**
 * The places for messages in memory. Each owner of mailboxes has a queue, and the owners take
 * turns: one whose clients read slowly keeps only its own clients waiting.
 */
export class ReadPlaces {
  readonly #limits: ReadPlaceLimits
  /** Those that wait, by owner; the owner whose turn is next comes first. */
  readonly #waiting = new Map<string, Set<() => void>>()
  readonly #takenBy = new Map<string, number>()
  #takenCount = 0

  constructor(limits: ReadPlaceLimits) {
    this.#limits = limits
  }

  /** Asks for a place of this owner. */
  request(owner: string): ReadPlace {
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
        else this.#giveBack(owner)
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
      // Its next turn comes after those of all others.
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

  #giveBack(owner: string): void {
    const left = (this.#takenBy.get(owner) ?? 1) - 1
    if (left === 0) this.#takenBy.delete(owner)
    else this.#takenBy.set(owner, left)
    this.#takenCount -= 1
    this.#grantNext()
  }
}
