/**
 * Runs identical queries of many waits once.
 *
 * A query is shared only while it runs, and only among waits that were resumed by the same wake: it
 * started after that wake, so it sees the change that woke them. The first query of a wait is never
 * shared: one that started before the subscription could miss what arrived in between.
 */
export class SingleFlight {
  readonly #running = new Map<string, Promise<unknown>>()

  /** The result of the running query with this key, or else of `query`. */
  run<T>(key: string, query: () => Promise<T>): Promise<T> {
    const running = this.#running.get(key)
    // A key contains everything that a query depends on, so the same key has the same type.
    if (running !== undefined) return running as Promise<T>
    const started = query()
    this.#running.set(key, started)
    const remove = () => this.#running.delete(key)
    started.then(remove, remove)
    return started
  }
}
