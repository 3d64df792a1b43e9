/** Slots that are searched for a text; what does not fit there has a map. */
const TRIES_MAX = 8

/**
 * Numbers by text.
 *
 * A `Map` would do the same, but V8 first enters each text that is looked up into its table of
 * unique texts, and leaves a reference to that table in its place: this takes longer than to read
 * a line of a mail. Here a text is found by a key that is the same for equal texts.
 */
export class TextTable {
  readonly #bits: number
  readonly #texts: (string | undefined)[]
  readonly #values: number[]
  #others: Map<string, number> | null = null

  /** A table for about so many texts. */
  constructor(count: number) {
    this.#bits = 33 - Math.clz32(count)
    this.#texts = new Array<string | undefined>(1 << this.#bits)
    // No typed array: its memory is not in the heap of V8, and takes a microsecond to reserve.
    this.#values = new Array<number>(1 << this.#bits)
  }

  /** The number of the text; this one if it has none yet. */
  keep(text: string, key: number, value: number): number {
    const last = this.#texts.length - 1
    let slot = slotOf(key, this.#bits)
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      const known = this.#texts[slot]
      if (known === undefined) {
        this.#texts[slot] = text
        this.#values[slot] = value
        return value
      }
      if (known === text) return this.#values[slot] ?? value
      slot = (slot + 1) & last
    }
    this.#others ??= new Map()
    const known = this.#others.get(text) ?? value
    this.#others.set(text, known)
    return known
  }
}

/** The slot of a key: the upper bits of a product depend on all bits of the key. */
export function slotOf(key: number, bits: number): number {
  return Math.imul(key, 0x9e3779b1) >>> (32 - bits)
}
