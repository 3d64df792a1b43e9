/**
 * Texts that were computed from mails, by a key that holds all that they depend on.
 *
 * Sanitising a large mail takes a second; a mail is often read by several at the same time.
 */
export class DerivedTexts {
  readonly #charsMax: number
  /** The least recently used first. */
  readonly #texts = new Map<string, string>()
  #chars = 0

  constructor(charsMax: number) {
    this.#charsMax = charsMax
  }

  /** The text with this key; computed when it is not known. */
  async get(key: string, compute: () => string | Promise<string>): Promise<string> {
    const known = this.#texts.get(key)
    const text = known ?? (await compute())
    this.#remove(key)
    this.#texts.set(key, text)
    this.#chars += text.length
    for (const [oldest] of this.#texts) {
      if (this.#chars <= this.#charsMax) break
      this.#remove(oldest)
    }
    return text
  }

  #remove(key: string): void {
    this.#chars -= this.#texts.get(key)?.length ?? 0
    this.#texts.delete(key)
  }
}
