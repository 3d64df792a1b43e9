/** Something that is opened when it is first used, and again after its opening has failed. */
export class OnDemand<T> {
  readonly #open: () => Promise<T>
  #opening: Promise<T> | null = null
  #opened: T | null = null

  constructor(open: () => Promise<T>) {
    this.#open = open
  }

  /** Null before it is open. */
  get opened(): T | null {
    return this.#opened
  }

  /** Opens it if it is not open. */
  get(): Promise<T> {
    this.#opening ??= this.#openOnce()
    return this.#opening
  }

  /** The open value, or the one that is being opened; null without one. */
  async last(): Promise<T | null> {
    return (await this.#opening?.catch(() => null)) ?? null
  }

  async #openOnce(): Promise<T> {
    try {
      this.#opened = await this.#open()
      return this.#opened
    } catch (error) {
      this.#opening = null
      throw error
    }
  }
}
