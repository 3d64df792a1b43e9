/** Work of several owners, one piece at a time. The owners alternate. */
export class FairQueue<Owner> {
  /** The next owner comes first; the work of each stays in its order. */
  readonly #waiting = new Map<Owner, (() => Promise<void>)[]>()
  #isRunning = false

  /** The result of `work`, which runs when the owner is next. */
  run<T>(owner: Owner, work: () => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const own = this.#waiting.get(owner) ?? []
    own.push(() => work().then(resolve, reject))
    this.#waiting.set(owner, own)
    if (!this.#isRunning) void this.#runAll()
    return promise
  }

  async #runAll(): Promise<void> {
    this.#isRunning = true
    // After the current caller has finished: it may add work of several owners.
    await null
    for (let work = this.#take(); work !== undefined; work = this.#take()) await work()
    this.#isRunning = false
  }

  #take(): (() => Promise<void>) | undefined {
    const [next] = this.#waiting
    if (next === undefined) return undefined
    const [owner, own] = next
    const work = own.shift()
    // Last again, if it has more: the others come first.
    this.#waiting.delete(owner)
    if (own.length > 0) this.#waiting.set(owner, own)
    return work
  }
}
