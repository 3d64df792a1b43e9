import { codeAt } from '../text/code-at.ts'

/** No such node. */
export const NOWHERE = -1

/** Words letter by letter, in flat arrays: a step allocates nothing. */
export class Trie {
  /** The node at which every search starts. */
  readonly root: number
  // A node is a slot, found by its parent and its letter; the parent of an empty slot is `NOWHERE`.
  readonly #parents: Int32Array
  readonly #letters: Uint16Array
  readonly #entries: Uint16Array
  readonly #shift: number
  #entryCount = 0

  /** With 2 ** `bits` slots: at least twice as many as nodes. */
  constructor(bits: number) {
    this.root = 2 ** bits
    this.#shift = 32 - bits
    this.#parents = new Int32Array(this.root).fill(NOWHERE)
    this.#letters = new Uint16Array(this.root)
    this.#entries = new Uint16Array(this.root)
  }

  /** Adds a word; returns the number of its entry, from 1. */
  add(word: string): number {
    let node = this.root
    for (let at = 0; at < word.length; at += 1) {
      const letter = codeAt(word, at)
      const slot = this.#slotOf(node, letter)
      this.#parents[slot] = node
      this.#letters[slot] = letter
      node = slot
    }
    if (this.#entries[node] === 0) {
      this.#entryCount += 1
      this.#entries[node] = this.#entryCount
    }
    return this.entryAt(node)
  }

  /** The child for a letter, or `NOWHERE`. */
  step(node: number, letter: number): number {
    const slot = this.#slotOf(node, letter)
    return this.#parents[slot] === NOWHERE ? NOWHERE : slot
  }

  /** The number of the word that ends at a node; 0 for none. */
  entryAt(node: number): number {
    return this.#entries[node] ?? 0
  }

  /** The slot of a child, or the one where it would be. */
  #slotOf(node: number, letter: number): number {
    let slot = Math.imul(node ^ Math.imul(letter, 0x85ebca6b), 0x9e3779b1) >>> this.#shift
    for (;;) {
      const parent = this.#parents[slot]
      if (parent === NOWHERE || (parent === node && this.#letters[slot] === letter)) return slot
      slot = (slot + 1) & (this.root - 1)
    }
  }
}
