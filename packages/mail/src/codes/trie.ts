/** Different symbols; the words of all languages use about 1,900. */
const SYMBOLS_MAX = 4_096

/** Slots for children: a power of two. */
const SLOT_BITS = 18
const SLOTS = 1 << SLOT_BITS

/** Nodes of one trie; the words of all languages need about 80,000. */
export const NODES_MAX = 120_000

/** The node at which every search starts. */
export const ROOT = 0

/** No such node. */
export const NOWHERE = -1

/**
 * A trie of words in flat arrays: a step is one lookup in a hash table of integers and allocates
 * nothing.
 */
export class Trie {
  readonly #symbols = new Uint16Array(0x10000)
  /** Children of the root: the search for most words of a mail ends here. */
  readonly #first = new Int32Array(0x10000).fill(NOWHERE)
  /** Key and child of each slot are adjacent, so that a step reads one cache line. */
  readonly #slots = new Int32Array(SLOTS * 2)
  #symbolCount = 0
  #nodeCount = 1

  /** Adds a word; returns its last node. */
  add(folded: string): number {
    let node = ROOT
    for (let at = 0; at < folded.length; at += 1) node = this.#grow(node, folded.charCodeAt(at))
    return node
  }

  /** The child for a folded code unit, or `NOWHERE`. */
  step(node: number, folded: number): number {
    if (node === ROOT) return this.#first[folded] ?? NOWHERE
    const symbol = this.#symbols[folded] ?? 0
    if (symbol === 0) return NOWHERE
    const key = node * SYMBOLS_MAX + symbol
    for (let slot = slotOf(key); ; slot = (slot + 1) & (SLOTS - 1)) {
      const held = this.#slots[slot * 2]
      if (held === key) return this.#slots[slot * 2 + 1] ?? NOWHERE
      if (held === 0) return NOWHERE
    }
  }

  #grow(node: number, code: number): number {
    const known = this.step(node, code)
    if (known !== NOWHERE) return known
    const child = this.#nodeCount
    this.#nodeCount += 1
    const symbol = this.#symbolOf(code)
    if (child >= NODES_MAX || symbol >= SYMBOLS_MAX) {
      throw new Error('The word tables exceed the size of the trie.')
    }
    if (node === ROOT) this.#first[code] = child
    else {
      const key = node * SYMBOLS_MAX + symbol
      let slot = slotOf(key)
      while (this.#slots[slot * 2] !== 0) slot = (slot + 1) & (SLOTS - 1)
      this.#slots[slot * 2] = key
      this.#slots[slot * 2 + 1] = child
    }
    return child
  }

  #symbolOf(code: number): number {
    const known = this.#symbols[code] ?? 0
    if (known !== 0) return known
    this.#symbolCount += 1
    this.#symbols[code] = this.#symbolCount
    return this.#symbolCount
  }
}

function slotOf(key: number): number {
  // The high bits of the product depend on all bits of the key.
  return Math.imul(key, 0x9e3779b1) >>> (32 - SLOT_BITS)
}
