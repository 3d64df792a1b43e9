import { type Dataset, LOST } from './dataset.ts'
import { type Network, PARTS } from './network.ts'
import type { Settings } from './settings.ts'
import { Trainer } from './trainer.ts'

/** Random numbers from 0 to 1 that are the same for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

/** Weights of the last third of the epochs are averaged. */
const AVERAGED_FROM = 2 / 3

/** Trains on some mails of a dataset; the same mails and seed give the same network. */
export function train(
  data: Dataset,
  mails: Int32Array,
  { settings, seed }: { readonly settings: Settings; readonly seed: number },
): Network {
  const random = randomFrom(seed)
  const trainer = new Trainer(data, { settings, random })
  const order = mails.filter((mail) => {
    const values = (data.mails[mail + 1] ?? 0) - (data.mails[mail] ?? 0) - 1
    return values > 0 && data.labels[mail] !== LOST
  })
  let averaged = 0
  let sum: Network | null = null
  for (let epoch = 0; epoch < settings.epochs; epoch += 1) {
    shuffle(order, random)
    trainer.slow(1 - (0.9 * epoch) / settings.epochs)
    for (const mail of order) trainer.step(mail)
    if (epoch < settings.epochs * AVERAGED_FROM) continue
    sum = plus(sum, trainer.network)
    averaged += 1
  }
  const all = sum ?? trainer.network
  for (const part of PARTS) {
    for (const [at, one] of all[part].entries()) all[part][at] = one / averaged
  }
  return all
}

function shuffle(order: Int32Array, random: () => number): void {
  for (let at = order.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1))
    const kept = order[at] ?? 0
    order[at] = order[other] ?? 0
    order[other] = kept
  }
}

function plus(sum: Network | null, network: Network): Network {
  if (sum === null) {
    const copy = Object.fromEntries(PARTS.map((part) => [part, network[part].slice()]))
    // The parts are those of a network.
    return copy as unknown as Network
  }
  for (const part of PARTS) {
    const to = sum[part]
    for (const [at, one] of network[part].entries()) to[at] = (to[at] ?? 0) + one
  }
  return sum
}
