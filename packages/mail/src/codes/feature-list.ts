/** Kinds of features: those of one kind are scaled by their number. */
export const FAMILY = {
  form: 0,
  style: 1,
  signs: 2,
  near: 3,
  words: 4,
  subject: 5,
  body: 6,
  meaning: 7,
  meaningNear: 8,
  meaningPair: 9,
  mailMeaning: 10,
} as const

/** How many there are. */
export const FAMILIES = 11

/** Where the model keeps what it knows of features. */
export interface Rows {
  /** How many rows there are. */
  readonly count: number
  /** The row of a feature, or -1. */
  rowOf(feature: number): number
}

/** The features of one mail or of one of its values that the model knows, each once. */
export class FeatureList {
  readonly rows: number[] = []
  readonly families: number[] = []
  /** Why each is there: for the sentences that explain a verdict. */
  readonly reasons: number[] = []
  readonly #known: Rows
  readonly #seen: SeenRows

  constructor(known: Rows, seen: SeenRows) {
    this.#known = known
    this.#seen = seen
    seen.begin()
  }

  /** Adds a feature by its hash; features that the model does not know have no effect. */
  add(family: number, reason: number, hash: number): void {
    const row = this.#known.rowOf(mixed(hash, family))
    if (row < 0 || this.#seen.has(row)) return
    this.rows.push(row)
    this.families.push(family)
    this.reasons.push(reason)
  }

  /** For each family, by what its features are multiplied. */
  scales(): Float32Array {
    const counts = new Float32Array(FAMILIES)
    for (const family of this.families) counts[family] = (counts[family] ?? 0) + 1
    return counts.map((count) => (count === 0 ? 0 : 1 / Math.sqrt(count)))
  }
}

/** The rows that the current list has. Lists are made one after the other. */
export class SeenRows {
  readonly #turns: Int32Array
  #turn = 0

  constructor(rows: number) {
    this.#turns = new Int32Array(rows)
  }

  begin(): void {
    this.#turn = (this.#turn + 1) | 0
  }

  /** Whether a row was asked for before. */
  has(row: number): boolean {
    if (this.#turns[row] === this.#turn) return true
    this.#turns[row] = this.#turn
    return false
  }
}

/** Combines a hash with one more number. */
export function mixed(hash: number, part: number): number {
  const product = Math.imul(hash ^ Math.imul(part + 0x7f4a7c15, 0x85ebca6b), 0xc2b2ae35)
  return (product ^ (product >>> 15)) & 0x3fffffff
}
