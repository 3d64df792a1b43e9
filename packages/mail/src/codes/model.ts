import { readModelFile } from './data-files.ts'
import { FAMILIES, FAMILY, type FeatureList, type Rows } from './feature-list.ts'

/** Numbers that stand for a feature in the hidden layer. */
export const EMBEDDING = 8

/** Sums of such numbers: the families of features that belong together have one. */
const POOLS = 8

/** Units of the hidden layer. */
export const HIDDEN = 32

/** Inputs of the hidden layer. */
export const INPUTS = POOLS * EMBEDDING

/** Bits of a feature's hash by which the model knows it. */
export const KEY_BITS = 22
const HASH_BITS = 30

/** The key of a feature. */
export function keyOf(feature: number): number {
  return feature >>> (HASH_BITS - KEY_BITS)
}

/** The pool of each family. */
export const POOL_OF: Uint8Array = makePools()

function makePools(): Uint8Array {
  const pools = new Uint8Array(FAMILIES)
  pools[FAMILY.near] = 1
  pools[FAMILY.words] = 2
  pools[FAMILY.subject] = 3
  pools[FAMILY.body] = 4
  pools[FAMILY.meaning] = 5
  pools[FAMILY.meaningNear] = 5
  pools[FAMILY.meaningPair] = 6
  pools[FAMILY.mailMeaning] = 7
  return pools
}

/** What is written at the start of a model's file. */
export interface ModelHeader {
  /** A hash of all that the model follows from. */
  readonly inputs: string
  /** Lowest probability with which a code is given. */
  readonly threshold: number
  /** Probabilities and how often they are right on mails that were left out, both rising. */
  readonly calibration: readonly (readonly [number, number])[]
  readonly rows: number
  /** Bytes of the keys: gaps between sorted keys, seven bits a byte, the last below 0x80. */
  readonly keyBytes: number
}

/**
 * Numbers of a model that are not those of features: the scale of their weights, and the hidden
 * layer. The table has whole numbers; the scales of its other columns are in the layer.
 */
export const FLOATS = 1 + HIDDEN * INPUTS + 2 * HIDDEN

/** Bytes of a row: the numbers of its feature, and its weight. */
export const ROW_BYTES = EMBEDDING + 1

/** A ranker that bench/fit-codes.ts has trained. */
export class Model implements Rows {
  readonly header: ModelHeader
  /** A bit for each key, 32 a word; behind each word how many keys are before it. */
  readonly #keys = new Uint32Array(1 << (KEY_BITS - 4))
  readonly #scale: number
  readonly #inputs: Float32Array
  readonly #biases: Float32Array
  readonly #outputs: Float32Array
  readonly #table: Int8Array

  constructor(file: Uint8Array) {
    const bytes = Uint8Array.from(file)
    const headerEnd = 4 + new DataView(bytes.buffer).getUint32(0, true)
    // The file is ours, and a test reads it.
    this.header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, headerEnd))) as ModelHeader
    const floats = new Float32Array(bytes.slice(headerEnd, headerEnd + 4 * FLOATS).buffer)
    let at = 0
    const take = (count: number): Float32Array => {
      at += count
      return floats.subarray(at - count, at)
    }
    this.#scale = take(1)[0] ?? 0
    this.#inputs = take(HIDDEN * INPUTS)
    this.#biases = take(HIDDEN)
    this.#outputs = take(HIDDEN)
    const keysEnd = headerEnd + 4 * FLOATS + this.header.keyBytes
    this.#readKeys(bytes.subarray(headerEnd + 4 * FLOATS, keysEnd))
    this.#table = new Int8Array(bytes.buffer, keysEnd, this.header.rows * ROW_BYTES)
  }

  get count(): number {
    return this.header.rows
  }

  rowOf(feature: number): number {
    const key = keyOf(feature)
    const at = (key >>> 5) << 1
    const word = this.#keys[at] ?? 0
    const bit = 1 << (key & 31)
    if ((word & bit) === 0) return -1
    return (this.#keys[at + 1] ?? 0) + bitsOf(word & (bit - 1))
  }

  /** Adds the numbers of features to the inputs of the hidden layer; returns their weights. */
  sum(
    { rows, families }: Pick<FeatureList, 'rows' | 'families'>,
    scales: Float32Array,
    sums: Float32Array,
  ): number {
    const table = this.#table
    let weight = 0
    for (let at = 0; at < rows.length; at += 1) {
      const family = families[at] ?? 0
      const scale = scales[family] ?? 0
      const from = (rows[at] ?? 0) * ROW_BYTES
      const to = (POOL_OF[family] ?? 0) * EMBEDDING
      for (let one = 0; one < EMBEDDING; one += 1) {
        sums[to + one] = (sums[to + one] ?? 0) + (table[from + one] ?? 0) * scale
      }
      weight += (table[from + EMBEDDING] ?? 0) * scale
    }
    return weight * this.#scale
  }

  /** Adds what sums count for each unit of the hidden layer; most sums are 0. */
  activate(sums: Float32Array, units: Float32Array): void {
    const inputs = this.#inputs
    for (let pool = 0; pool < INPUTS; pool += EMBEDDING) {
      if (isZero(sums, pool)) continue
      for (let unit = 0; unit < HIDDEN; unit += 1) {
        const from = unit * INPUTS + pool
        let active = 0
        for (let one = 0; one < EMBEDDING; one += 1) {
          active += (inputs[from + one] ?? 0) * (sums[pool + one] ?? 0)
        }
        units[unit] = (units[unit] ?? 0) + active
      }
    }
  }

  /** The output of the hidden layer for what its units have been given. */
  output(units: Float32Array): number {
    let output = 0
    for (let unit = 0; unit < HIDDEN; unit += 1) {
      const active = (units[unit] ?? 0) + (this.#biases[unit] ?? 0)
      if (active > 0) output += (this.#outputs[unit] ?? 0) * active
    }
    return output
  }

  /** What each input counts in the output. */
  gradient(units: Float32Array): Float32Array {
    const gradient = new Float32Array(INPUTS)
    for (let unit = 0; unit < HIDDEN; unit += 1) {
      if ((units[unit] ?? 0) + (this.#biases[unit] ?? 0) <= 0) continue
      const weight = this.#outputs[unit] ?? 0
      for (let one = 0; one < INPUTS; one += 1) {
        gradient[one] = (gradient[one] ?? 0) + weight * (this.#inputs[unit * INPUTS + one] ?? 0)
      }
    }
    return gradient
  }

  #readKeys(bytes: Uint8Array): void {
    let key = -1
    let gap = 0
    for (const byte of bytes) {
      gap = gap * 128 + (byte & 0x7f)
      if (byte >= 0x80) continue
      key += gap + 1
      gap = 0
      const word = (key >>> 5) << 1
      this.#keys[word] = (this.#keys[word] ?? 0) | (1 << (key & 31))
    }
    let rank = 0
    for (let at = 0; at < this.#keys.length; at += 2) {
      this.#keys[at + 1] = rank
      rank += bitsOf(this.#keys[at] ?? 0)
    }
  }
}

function isZero(sums: Float32Array, pool: number): boolean {
  for (let one = 0; one < EMBEDDING; one += 1) if (sums[pool + one] !== 0) return false
  return true
}

/** How many bits of a word are set. */
function bitsOf(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555)
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333)
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

let known: Model | null = null

/** The model of this program: read for the first mail. */
export function model(): Model {
  known ??= new Model(readModelFile())
  return known
}
