import { FAMILIES, FAMILY } from '../../packages/mail/src/codes/feature-list.ts'
import { EMBEDDING, HIDDEN, INPUTS, POOL_OF } from '../../packages/mail/src/codes/model.ts'
import type { Dataset } from './dataset.ts'
import { layer, type Network, scalesOf } from './network.ts'
import type { Settings } from './settings.ts'

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}

const WORDS = [FAMILY.near, FAMILY.words, FAMILY.subject, FAMILY.body]
const MEANINGS = [
  FAMILY.meaning,
  FAMILY.meaningNear,
  FAMILY.meaningPair,
  FAMILY.mailMeaning,
] as const

/** A smaller error of a value teaches nothing. */
const ERROR_MIN = 1e-4

/** Values of a mail at most: the first pass keeps eight. */
const VALUES_MAX = 8

/** Learns from one mail after the other, by gradient descent. */
export class Trainer {
  readonly network: Network
  readonly #data: Dataset
  readonly #settings: Settings
  readonly #random: () => number
  readonly #weights: Adaptive
  readonly #inputs: Adaptive
  readonly #biases: Adaptive
  readonly #outputs: Adaptive
  /** Of each row. */
  readonly #pastOfRows: Float32Array
  readonly #sums = Array.from({ length: VALUES_MAX + 1 }, () => new Float32Array(INPUTS))
  readonly #hidden = Array.from({ length: VALUES_MAX }, () => new Float32Array(HIDDEN))
  readonly #scores = new Float64Array(VALUES_MAX)
  readonly #mailGradient = new Float32Array(INPUTS)
  readonly #gradient = new Float32Array(INPUTS)
  /** By what each feature of the mail in work is multiplied: 0 for those that are dropped. */
  #amounts = new Float32Array(1 << 16)
  #rate = 0
  #layerRate = 0

  constructor(
    data: Dataset,
    { settings, random }: { readonly settings: Settings; readonly random: () => number },
  ) {
    this.#data = data
    this.#settings = settings
    this.#random = random
    const { rowCount } = data
    const filled = (length: number, make: () => number) => new Float32Array(length).map(make)
    this.network = {
      weights: new Float32Array(rowCount),
      embeddings: filled(rowCount * EMBEDDING, () => 0.1 * normal(random)),
      inputs: filled(HIDDEN * INPUTS, () => (2 * normal(random)) / Math.sqrt(INPUTS)),
      biases: filled(HIDDEN, () => 0.1),
      outputs: filled(HIDDEN, () => normal(random) / Math.sqrt(HIDDEN)),
    }
    this.#weights = new Adaptive(this.network.weights, 1e-3)
    this.#inputs = new Adaptive(this.network.inputs, 1e-2)
    this.#biases = new Adaptive(this.network.biases, 1e-2)
    this.#outputs = new Adaptive(this.network.outputs, 1e-2)
    this.#pastOfRows = new Float32Array(rowCount).fill(1e-3)
  }

  /** Takes smaller steps. */
  slow(share: number): void {
    this.#rate = this.#settings.rate * share
    this.#layerRate = this.#settings.layerRate * share
  }

  /** Learns from one mail. */
  step(mail: number): void {
    const { mails, lists, labels } = this.#data
    const first = mails[mail] ?? 0
    const end = mails[mail + 1] ?? 0
    const from = lists[first] ?? 0
    this.#drop(first, end, from)
    const count = end - first - 1
    const all = this.#forward(first, count, from)
    const weight = this.#data.weights[mail] ?? 1
    this.#mailGradient.fill(0)
    let mailError = 0
    for (let value = 0; value < count; value += 1) {
      const target = labels[mail] === value ? 1 : 0
      const error = weight * ((this.#scores[value] ?? 0) / all - target)
      if (Math.abs(error) < ERROR_MIN) continue
      mailError += error
      this.#learnValue(first + 1 + value, { value, error, from })
    }
    if (mailError !== 0 || this.#mailGradient.some((one) => one !== 0)) {
      this.#learnList(first, { error: mailError, gradient: this.#mailGradient, from })
    }
  }

  /** Chooses the features that this step does without. */
  #drop(first: number, end: number, from: number): void {
    const { drop, dropWords, dropMeanings } = this.#settings
    const { lists, rows, families } = this.#data
    const isOut = new Uint8Array(FAMILIES)
    const chance = this.#random()
    const out = chance < dropWords ? WORDS : chance < dropWords + dropMeanings ? MEANINGS : []
    for (const family of out) isOut[family] = 1
    const salt = Math.floor(this.#random() * 2 ** 32)
    const size = (lists[end] ?? 0) - from
    if (size > this.#amounts.length) this.#amounts = new Float32Array(2 * size)
    for (let list = first; list < end; list += 1) {
      const scales = scalesOf(this.#data, list)
      for (let at = lists[list] ?? 0; at < (lists[list + 1] ?? 0); at += 1) {
        const family = families[at] ?? 0
        let amount = scales[family] ?? 0
        if (list === first || family > FAMILY.signs) {
          if (isOut[family] === 1 || isDropped(rows[at] ?? 0, salt, drop)) amount = 0
          else amount /= 1 - drop
        }
        this.#amounts[at - from] = amount
      }
    }
  }

  /** Fills in the odds of the values; returns those of all together, with none. */
  #forward(first: number, count: number, from: number): number {
    const base = this.#sums[VALUES_MAX]?.fill(0) ?? new Float32Array(INPUTS)
    const weight = this.#pool(first, from, base)
    let highest = 0
    for (let value = 0; value < count; value += 1) {
      const sums = this.#sums[value] ?? base
      sums.set(base)
      const score = weight + this.#pool(first + 1 + value, from, sums)
      const hidden = this.#hidden[value] ?? new Float32Array(HIDDEN)
      this.#scores[value] =
        score + (this.#settings.hasLayer ? layer(this.network, sums, hidden) : 0)
      highest = Math.max(highest, this.#scores[value] ?? 0)
    }
    let all = Math.exp(-highest)
    for (let value = 0; value < count; value += 1) {
      this.#scores[value] = Math.exp((this.#scores[value] ?? 0) - highest)
      all += this.#scores[value] ?? 0
    }
    return all
  }

  #pool(list: number, from: number, sums: Float32Array): number {
    const { lists, rows, families } = this.#data
    const { weights, embeddings } = this.network
    let weight = 0
    const end = lists[list + 1] ?? 0
    for (let at = lists[list] ?? 0; at < end; at += 1) {
      const amount = this.#amounts[at - from] ?? 0
      if (amount === 0) continue
      const row = rows[at] ?? 0
      weight += (weights[row] ?? 0) * amount
      const to = (POOL_OF[families[at] ?? 0] ?? 0) * EMBEDDING
      for (let one = 0; one < EMBEDDING; one += 1) {
        sums[to + one] = (sums[to + one] ?? 0) + (embeddings[row * EMBEDDING + one] ?? 0) * amount
      }
    }
    return weight
  }

  #learnValue(
    list: number,
    {
      value,
      error,
      from,
    }: { readonly value: number; readonly error: number; readonly from: number },
  ): void {
    const gradient = this.#gradient.fill(0)
    if (this.#settings.hasLayer) this.#learnLayer(value, error, gradient)
    for (let one = 0; one < INPUTS; one += 1) {
      this.#mailGradient[one] = (this.#mailGradient[one] ?? 0) + (gradient[one] ?? 0)
    }
    this.#learnList(list, { error, gradient, from })
  }

  #learnLayer(value: number, error: number, gradient: Float32Array): void {
    const { inputs, outputs } = this.network
    const sums = this.#sums[value] ?? gradient
    const hidden = this.#hidden[value] ?? gradient
    for (let unit = 0; unit < HIDDEN; unit += 1) {
      const active = hidden[unit] ?? 0
      if (active <= 0) continue
      const own = error * (outputs[unit] ?? 0)
      const from = unit * INPUTS
      for (let one = 0; one < INPUTS; one += 1) {
        gradient[one] = (gradient[one] ?? 0) + own * (inputs[from + one] ?? 0)
        this.#inputs.change(from + one, own * (sums[one] ?? 0), this.#layerRate)
      }
      this.#biases.change(unit, own, this.#layerRate)
      this.#outputs.change(unit, error * active, this.#layerRate)
    }
  }

  #learnList(
    list: number,
    {
      error,
      gradient,
      from,
    }: {
      readonly error: number
      readonly gradient: Float32Array
      readonly from: number
    },
  ): void {
    const { lists, rows, families } = this.#data
    const { embeddings } = this.network
    const { hasLayer } = this.#settings
    const squares = squaresOf(gradient)
    const end = lists[list + 1] ?? 0
    for (let at = lists[list] ?? 0; at < end; at += 1) {
      const amount = this.#amounts[at - from] ?? 0
      if (amount === 0) continue
      const row = rows[at] ?? 0
      this.#weights.change(row, error * amount, this.#rate)
      if (!hasLayer) continue
      const pool = POOL_OF[families[at] ?? 0] ?? 0
      const grown = (this.#pastOfRows[row] ?? 0) + (squares[pool] ?? 0) * amount * amount
      this.#pastOfRows[row] = grown
      const step = (this.#layerRate * amount) / Math.sqrt(grown)
      const to = row * EMBEDDING
      const of = pool * EMBEDDING
      for (let one = 0; one < EMBEDDING; one += 1) {
        const kept = (embeddings[to + one] ?? 0) * (1 - this.#layerRate * 1e-5)
        embeddings[to + one] = kept - step * (gradient[of + one] ?? 0)
      }
    }
  }
}

/** The mean square of the gradient of each pool. */
function squaresOf(gradient: Float32Array): Float32Array {
  const squares = new Float32Array(INPUTS / EMBEDDING)
  gradient.forEach((one, at) => {
    const pool = Math.floor(at / EMBEDDING)
    squares[pool] = (squares[pool] ?? 0) + (one * one) / EMBEDDING
  })
  return squares
}

/** Numbers that change by their slopes, the less the steeper their past slopes were (AdaGrad). */
class Adaptive {
  readonly numbers: Float32Array
  readonly past: Float32Array

  constructor(numbers: Float32Array, past: number) {
    this.numbers = numbers
    this.past = new Float32Array(numbers.length).fill(past)
  }

  change(at: number, slope: number, rate: number): void {
    const grown = (this.past[at] ?? 0) + slope * slope
    this.past[at] = grown
    this.numbers[at] = (this.numbers[at] ?? 0) - (rate * slope) / Math.sqrt(grown)
  }
}

/** Whether a step does without a feature: the same in all lists of a mail. */
function isDropped(row: number, salt: number, share: number): boolean {
  let mixed = Math.imul(row ^ salt, 2654435761)
  mixed ^= mixed >>> 15
  mixed = Math.imul(mixed, 2246822519)
  mixed ^= mixed >>> 13
  return (mixed & 0xffff) < share * 65_536
}
