import { PRIORS } from './priors.ts'
import { ids, type Row } from './rows.ts'

/** How strongly a weight is pulled towards the one set by hand. */
const PULL = 1

/** Weights are made smaller by this, because confidences of left-out batches were too high. */
const SHRINKAGE = 0.8

const STEPS = 200
const STEP = 0.05

/** The least weight of a fact with a weight set by hand: it keeps its sign. */
const NATURAL_MIN = 0.2

/** Probabilities of the values; what is missing to 1 is that of no code. */
export function probabilitiesOf(
  { starts, facts, amounts }: Row,
  weights: Float64Array,
): Float64Array {
  const odds = new Float64Array(starts.length - 1)
  let top = 0
  for (let value = 0; value < odds.length; value += 1) {
    let score = 0
    const end = starts[value + 1] ?? 0
    for (let at = starts[value] ?? 0; at < end; at += 1) {
      score += (weights[facts[at] ?? 0] ?? 0) * (amounts[at] ?? 0)
    }
    odds[value] = score
    top = Math.max(top, score)
  }
  let sum = Math.exp(-top)
  for (let value = 0; value < odds.length; value += 1) {
    odds[value] = Math.exp((odds[value] ?? 0) - top)
    sum += odds[value] ?? 0
  }
  return odds.map((one) => one / sum)
}

/** Adds the gradient of a mail; returns how far its probabilities are from the truth. */
function addGradient(row: Row, weights: Float64Array, gradient: Float64Array): number {
  const { starts, facts, amounts } = row
  const probabilities = probabilitiesOf(row, weights)
  let distance = 0
  for (let value = 0; value < probabilities.length; value += 1) {
    const error = (probabilities[value] ?? 0) - (value === row.target ? 1 : 0)
    distance = Math.max(distance, Math.abs(error))
    const excess = error * row.weight
    if (Math.abs(excess) < 1e-7) continue
    const end = starts[value + 1] ?? 0
    for (let at = starts[value] ?? 0; at < end; at += 1) {
      const id = facts[at] ?? 0
      gradient[id] = (gradient[id] ?? 0) + excess * (amounts[at] ?? 0)
    }
  }
  return distance
}

/** Mails that are judged nearly right change little in a step: their gradient is kept. */
const SETTLED = 0.02
const SETTLED_STEPS = 10

/** The gradient of all mails. */
class Gradient {
  readonly #rows: readonly Row[]
  #open: Row[] = []
  #settled = new Float64Array(0)

  constructor(rows: readonly Row[]) {
    this.#rows = rows
  }

  at(step: number, weights: Float64Array): Float64Array {
    if ((step - 1) % SETTLED_STEPS === 0) this.#settle(weights)
    const gradient = Float64Array.from(this.#settled)
    for (const row of this.#open) addGradient(row, weights, gradient)
    return gradient
  }

  #settle(weights: Float64Array): void {
    this.#open = []
    this.#settled = new Float64Array(weights.length)
    const unused = new Float64Array(weights.length)
    for (const row of this.#rows) {
      const own = addGradient(row, weights, unused)
      if (own > SETTLED) this.#open.push(row)
      else addGradient(row, weights, this.#settled)
    }
  }
}

/** Adam, full batch, with a pull towards the priors. */
export function fitWeights(rows: readonly Row[]): Float64Array {
  const priors = Float64Array.from(ids.keys(), (fact) => PRIORS[fact] ?? 0)
  const weights = Float64Array.from(priors)
  const first = new Float64Array(ids.size)
  const second = new Float64Array(ids.size)
  const total = rows.reduce((sum, { weight }) => sum + weight, 0)
  const all = new Gradient(rows)
  for (let step = 1; step <= STEPS; step += 1) {
    const gradient = all.at(step, weights)
    const rate = step > STEPS * 0.7 ? STEP / 5 : STEP
    for (let id = 0; id < ids.size; id += 1) {
      const prior = priors[id] ?? 0
      const slope = ((gradient[id] ?? 0) + PULL * ((weights[id] ?? 0) - prior)) / total
      first[id] = 0.9 * (first[id] ?? 0) + 0.1 * slope
      second[id] = 0.999 * (second[id] ?? 0) + 0.001 * slope * slope
      const mean = (first[id] ?? 0) / (1 - 0.9 ** step)
      const spread = Math.sqrt((second[id] ?? 0) / (1 - 0.999 ** step)) + 1e-9
      weights[id] = natural((weights[id] ?? 0) - (rate * mean) / spread, prior)
    }
  }
  return weights.map((weight) => weight * SHRINKAGE)
}

function natural(weight: number, prior: number): number {
  if (prior > 0) return Math.max(weight, Math.min(prior, NATURAL_MIN))
  return prior < 0 ? Math.min(weight, Math.max(prior, -NATURAL_MIN)) : weight
}
