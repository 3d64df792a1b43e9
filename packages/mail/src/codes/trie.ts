/** The node at which every search starts. */
export const ROOT = 0

/** No such node. */
export const NOWHERE = -1

/** Words that are added one by one, before they are searched. */
export class TrieBuilder {
  // By node: its last letter, its first child, the next child of its parent, its entry; 0 for none.
  readonly #letters = [0]
  readonly #children = [0]
  readonly #siblings = [0]
  readonly #entries = [0]
  /** Children of the root by letter: there are too many for a list. */
  readonly #beginnings = new Map<number, number>()
  #entryCount = 0

  /** Adds a word; returns the number of its entry, from 1. */
  add(folded: string): number {
    let node = ROOT
    for (let at = 0; at < folded.length; at += 1) node = this.#grow(node, folded.charCodeAt(at))
    const known = this.#entries[node] ?? 0
    if (known !== 0) return known
    this.#entryCount += 1
    this.#entries[node] = this.#entryCount
    return this.#entryCount
  }

  /** The words in the form in which they are searched. */
  finish(): Trie {
    const count = this.#letters.length
    const letters = new Uint16Array(count)
    const entries = new Uint16Array(count)
    const firstChild = new Uint32Array(count + 1)
    const beginnings = new Int32Array(0x10000).fill(NOWHERE)
    // Breadth first: the children of a node are adjacent, and follow those of the node before it.
    const queue = [ROOT]
    for (let at = 0; at < queue.length; at += 1) {
      const node = queue[at] ?? ROOT
      letters[at] = this.#letters[node] ?? 0
      entries[at] = this.#entries[node] ?? 0
      firstChild[at] = queue.length
      if (node === ROOT) {
        for (const [letter, child] of this.#beginnings) beginnings[letter] = queue.push(child) - 1
        continue
      }
      const child = this.#children[node] ?? 0
      if (child === 0) continue
      if (this.#siblings[child] === 0) queue.push(child)
      else queue.push(...this.#childrenFrom(child))
    }
    firstChild[count] = count
    return new Trie({ letters, entries, firstChild, beginnings })
  }

  /** A child and its siblings in the order of their letters. */
  #childrenFrom(first: number): readonly number[] {
    const children: number[] = []
    for (let child = first; child !== 0; child = this.#siblings[child] ?? 0) children.push(child)
    return children.sort((one, other) => (this.#letters[one] ?? 0) - (this.#letters[other] ?? 0))
  }

  #grow(node: number, letter: number): number {
    const known = node === ROOT ? this.#beginnings.get(letter) : this.#childOf(node, letter)
    if (known !== undefined) return known
    const child = this.#letters.push(letter) - 1
    this.#children.push(0)
    this.#entries.push(0)
    if (node === ROOT) {
      this.#beginnings.set(letter, child)
      this.#siblings.push(0)
    } else {
      this.#siblings.push(this.#children[node] ?? 0)
      this.#children[node] = child
    }
    return child
  }

  #childOf(node: number, letter: number): number | undefined {
    let child = this.#children[node] ?? 0
    while (child !== 0 && this.#letters[child] !== letter) child = this.#siblings[child] ?? 0
    return child === 0 ? undefined : child
  }
}

/** The nodes of a trie in flat arrays, by node. */
interface Nodes {
  readonly letters: Uint16Array
  /** The number of the word that ends here; 0 for none. */
  readonly entries: Uint16Array
  /** Where its children begin, in the order of their letters; those of the next node follow. */
  readonly firstChild: Uint32Array
  /** Children of the root by letter: the search for most words of a mail ends here. */
  readonly beginnings: Int32Array
}

/** A trie of words in flat arrays: small enough for the cache, and a step allocates nothing. */
export class Trie {
  readonly #letters: Uint16Array
  readonly #entries: Uint16Array
  readonly #firstChild: Uint32Array
  readonly #beginnings: Int32Array

  constructor({ letters, entries, firstChild, beginnings }: Nodes) {
    this.#letters = letters
    this.#entries = entries
    this.#firstChild = firstChild
    this.#beginnings = beginnings
  }

  /** The child for a folded code unit, or `NOWHERE`. */
  step(node: number, folded: number): number {
    if (node === ROOT) return this.#beginnings[folded] ?? NOWHERE
    const end = this.#firstChild[node + 1] ?? 0
    for (let child = this.#firstChild[node] ?? end; child < end; child += 1) {
      const letter = this.#letters[child] ?? 0
      if (letter >= folded) return letter === folded ? child : NOWHERE
    }
    return NOWHERE
  }

  /** The number of the word that ends at a node; 0 for none. */
  entryAt(node: number): number {
    return this.#entries[node] ?? 0
  }
}
