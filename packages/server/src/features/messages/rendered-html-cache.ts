/**
 * Texts computed from mails, by a key of everything that they depend on.
 *
 * Sanitising a large mail takes a second; a mail is often read by several at the same time.
 */
export class RenderedHtmlCache {
  readonly #charsMax: number
  /** The least recently used first. */
  readonly #texts = new Map<string, string>()
  #chars = 0

  constructor(charsMax: number) {
    this.#charsMax = charsMax
  }

  /** The text with this key; computed when it is not in the cache. */
  async get(key: string, compute: () => Promise<string>): Promise<string> {
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
