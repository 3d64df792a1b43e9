import {
  EMBEDDING,
  FLOATS,
  HIDDEN,
  INPUTS,
  type ModelHeader,
  ROW_BYTES,
} from '../../packages/mail/src/codes/model.ts'
import type { Network } from './network.ts'

/** The largest whole number of a byte with a sign. */
const BYTE_MAX = 127

/** Numbers above the scale of their column are cut: one in so many. */
const CUT = 2_000

/** The file of a model: its header, the hidden layer, the keys of its rows, the rows. */
export function modelFile(
  network: Network,
  keys: Int32Array,
  facts: Omit<ModelHeader, 'rows' | 'keyBytes'>,
): Uint8Array {
  const gaps = gapsOf(keys)
  const header = JSON.stringify({ ...facts, rows: keys.length, keyBytes: gaps.length })
  // Numbers begin at a multiple of their size.
  const padded = new TextEncoder().encode(header.padEnd(4 * Math.ceil(header.length / 4)))
  const scales = Array.from({ length: ROW_BYTES }, (_, column) => scaleOf(column, network, keys))
  const floats = floatsOf(network, scales)
  const table = tableOf(network, scales, keys.length)
  const length = new Uint8Array(Uint32Array.of(padded.length).buffer)
  return Buffer.concat([length, padded, new Uint8Array(floats.buffer), gaps, table])
}

/** Gaps between sorted keys, seven bits a byte, the highest first. */
function gapsOf(keys: Int32Array): Uint8Array {
  const bytes: number[] = []
  let before = -1
  for (const key of keys) {
    const gap = key - before - 1
    for (const shift of [21, 14, 7])
      if (gap >>> shift > 0) bytes.push(0x80 | ((gap >>> shift) & 0x7f))
    bytes.push(gap & 0x7f)
    before = key
  }
  return Uint8Array.from(bytes)
}

function numberAt({ weights, embeddings }: Network, row: number, column: number): number {
  const number = column < EMBEDDING ? embeddings[row * EMBEDDING + column] : weights[row]
  return number ?? 0
}

/** What a whole number of a column counts. */
function scaleOf(column: number, network: Network, { length }: Int32Array): number {
  const all = Float32Array.from({ length }, (_, row) => Math.abs(numberAt(network, row, column)))
  return (all.sort()[length - 1 - Math.floor(length / CUT)] ?? 1) / BYTE_MAX
}

function floatsOf({ inputs, biases, outputs }: Network, scales: readonly number[]): Float32Array {
  const floats = new Float32Array(FLOATS)
  floats[0] = scales[EMBEDDING] ?? 1
  for (let at = 0; at < HIDDEN * INPUTS; at += 1) {
    floats[1 + at] = (inputs[at] ?? 0) * (scales[at % EMBEDDING] ?? 1)
  }
  floats.set(biases, 1 + HIDDEN * INPUTS)
  floats.set(outputs, 1 + HIDDEN * INPUTS + HIDDEN)
  return floats
}

function tableOf(network: Network, scales: readonly number[], rows: number): Uint8Array {
  const table = new Int8Array(rows * ROW_BYTES)
  for (let at = 0; at < table.length; at += 1) {
    const column = at % ROW_BYTES
    const whole = Math.round(
      numberAt(network, Math.floor(at / ROW_BYTES), column) / (scales[column] ?? 1),
    )
    table[at] = Math.max(-BYTE_MAX, Math.min(BYTE_MAX, whole))
  }
  return new Uint8Array(table.buffer)
}
