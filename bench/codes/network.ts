import { FAMILIES } from '../../packages/mail/src/codes/feature-list.ts'
import { EMBEDDING, HIDDEN, INPUTS, POOL_OF } from '../../packages/mail/src/codes/model.ts'
import type { Dataset } from './dataset.ts'

/** A trained network. */
export interface Network {
  readonly weights: Float32Array
  readonly embeddings: Float32Array
  readonly inputs: Float32Array
  readonly biases: Float32Array
  readonly outputs: Float32Array
}

/** The names of its parts. */
export const PARTS = ['weights', 'embeddings', 'inputs', 'biases', 'outputs'] as const

/** For each family, by what the features of a list are multiplied. */
export function scalesOf({ lists, families }: Dataset, list: number): Float32Array {
  const scales = new Float32Array(FAMILIES)
  const end = lists[list + 1] ?? 0
  for (let at = lists[list] ?? 0; at < end; at += 1) {
    const family = families[at] ?? 0
    scales[family] = (scales[family] ?? 0) + 1
  }
  for (let family = 0; family < FAMILIES; family += 1) {
    const count = scales[family] ?? 0
    scales[family] = count === 0 ? 0 : 1 / Math.sqrt(count)
  }
  return scales
}

/** The output of the hidden layer; fills in what each of its units is given. */
export function layer(
  { inputs, biases, outputs }: Network,
  sums: Float32Array,
  hidden: Float32Array,
) {
  let output = 0
  for (let unit = 0; unit < HIDDEN; unit += 1) {
    const from = unit * INPUTS
    let active = biases[unit] ?? 0
    for (let one = 0; one < INPUTS; one += 1) active += (inputs[from + one] ?? 0) * (sums[one] ?? 0)
    hidden[unit] = active
    if (active > 0) output += (outputs[unit] ?? 0) * active
  }
  return output
}

/** The probabilities of the values of a mail. */
export function probabilitiesOf(
  data: Dataset,
  network: Network,
  { mail, hasLayer }: { readonly mail: number; readonly hasLayer: boolean },
): readonly number[] {
  const first = data.mails[mail] ?? 0
  const end = data.mails[mail + 1] ?? 0
  const base = new Float32Array(INPUTS)
  const weight = sumOf(data, network, { list: first, sums: base })
  const hidden = new Float32Array(HIDDEN)
  const scores: number[] = []
  for (let list = first + 1; list < end; list += 1) {
    const sums = base.slice()
    const score = weight + sumOf(data, network, { list, sums })
    scores.push(score + (hasLayer ? layer(network, sums, hidden) : 0))
  }
  const highest = Math.max(0, ...scores)
  const odds = scores.map((score) => Math.exp(score - highest))
  const all = odds.reduce((sum, one) => sum + one, Math.exp(-highest))
  return odds.map((one) => one / all)
}

/** Adds the numbers of the features of a list to the sums; returns their weights. */
function sumOf(
  data: Dataset,
  network: Network,
  { list, sums }: { readonly list: number; readonly sums: Float32Array },
): number {
  const { lists, rows, families } = data
  const scales = scalesOf(data, list)
  let weight = 0
  for (let at = lists[list] ?? 0; at < (lists[list + 1] ?? 0); at += 1) {
    const family = families[at] ?? 0
    const scale = scales[family] ?? 0
    const row = rows[at] ?? 0
    weight += (network.weights[row] ?? 0) * scale
    const to = (POOL_OF[family] ?? 0) * EMBEDDING
    for (let one = 0; one < EMBEDDING; one += 1) {
      const number = network.embeddings[row * EMBEDDING + one] ?? 0
      sums[to + one] = (sums[to + one] ?? 0) + number * scale
    }
  }
  return weight
}
