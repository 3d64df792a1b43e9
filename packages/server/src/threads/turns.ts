/** Work that waits. Owners take turns; the work of each stays in its order. */
export class Turns<Owner, Work> {
  /** The owner whose turn is next comes first. */
  readonly #waiting = new Map<Owner, Work[]>()

  get isEmpty(): boolean {
    return this.#waiting.size === 0
  }

  add(owner: Owner, work: Work): void {
    const queue = this.#waiting.get(owner)
    if (queue === undefined) this.#waiting.set(owner, [work])
    else queue.push(work)
  }

  /** Null when nothing waits. */
  take(): Work | null {
    for (const [owner, queue] of this.#waiting) {
      const work = queue.shift()
      // Last again, if it has more: the others come first.
      this.#waiting.delete(owner)
      if (queue.length > 0) this.#waiting.set(owner, queue)
      if (work !== undefined) return work
    }
    return null
  }

  clear(): void {
    this.#waiting.clear()
  }
}
