/** The result of a query, and whether it stays the same as long as the data does. */
export type Answer<Result> = { readonly result: Result; readonly lasts: boolean }

/** A number that is the same as long as the data certainly is; null when that is not known. */
type Version = () => number | null

/** How much is remembered. */
type Bounds<Result> = {
  readonly entriesMax: number
  /** Of results and their keys, which callers may choose. */
  readonly bytesMax: number
  readonly bytesOf: (result: Result) => number
}

/**
 * Results that are given again while the data provably has not changed; forgotten with the first
 * look that finds another version. Nothing is remembered without a version, where others may change
 * the data without this process knowing.
 */
export class UnchangedResults {
  readonly #version: Version | null
  readonly #tables: { forget(): void }[] = []
  #current: number | null = null

  constructor(version: Version | null) {
    this.#version = version
  }

  /** Results of one kind, by keys that hold all that their queries are given. */
  table<Result>(bounds: Bounds<Result>): RememberedTable<Result> {
    const table = new RememberedTable(this, bounds)
    this.#tables.push(table)
    return table
  }

  /** The version now. What was remembered under another one is forgotten. */
  look(): number | null {
    const version = this.#version?.() ?? null
    if (version === null || version !== this.#current) {
      for (const table of this.#tables) table.forget()
      this.#current = version
    }
    return version
  }
}

/** Remembered results of one kind. */
class RememberedTable<Result> {
  readonly #data: Pick<UnchangedResults, 'look'>
  readonly #bounds: Bounds<Result>
  /** The oldest first. */
  readonly #results = new Map<string, Result>()
  #bytes = 0

  constructor(data: Pick<UnchangedResults, 'look'>, bounds: Bounds<Result>) {
    this.#data = data
    this.#bounds = bounds
  }

  /** The result as it was at the last look, if it is known. */
  atLastLook(key: string): Result | undefined {
    return this.#results.get(key)
  }

  /**
   * The result of `query` as it is now; at once when it is known. It is kept only when the version
   * before the query is also the one after it: in between, others may have changed the data.
   */
  get(key: string, query: () => Promise<Answer<Result>>): Result | Promise<Result> {
    const version = this.#data.look()
    return this.#results.get(key) ?? this.#ask(key, query, version)
  }

  forget(): void {
    this.#results.clear()
    this.#bytes = 0
  }

  async #ask(
    key: string,
    query: () => Promise<Answer<Result>>,
    before: number | null,
  ): Promise<Result> {
    const { result, lasts } = await query()
    if (lasts && before !== null && this.#data.look() === before) this.#keep(key, result)
    return result
  }

  #keep(key: string, result: Result): void {
    const { bytesMax, entriesMax } = this.#bounds
    // Another call with the same key may have kept its result meanwhile.
    this.#remove(key)
    this.#results.set(key, result)
    this.#bytes += this.#sizeOf(key, result)
    for (const [oldest] of this.#results) {
      if (this.#bytes <= bytesMax && this.#results.size <= entriesMax) break
      this.#remove(oldest)
    }
  }

  #remove(key: string): void {
    const known = this.#results.get(key)
    if (known === undefined) return
    this.#bytes -= this.#sizeOf(key, known)
    this.#results.delete(key)
  }

  #sizeOf(key: string, result: Result): number {
    return key.length + this.#bounds.bytesOf(result)
  }
}
