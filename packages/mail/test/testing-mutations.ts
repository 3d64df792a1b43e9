// Inputs for fuzzing: known samples, changed at random. A seed gives the same inputs again.

/** Random numbers from 0 to 1, the same for the same seed (the generator "mulberry32"). */
export function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** What changed samples are made of. */
export type MutationSource = {
  readonly random: () => number
  readonly samples: readonly Buffer[]
  /** Byte sequences that mean something to the reader of the input. */
  readonly tokens: readonly string[]
  readonly bytesMax: number
}

/** Most changes of one sample. */
const CHANGES_MAX = 8

/** A sample with one to eight changes. */
export function mutate(source: MutationSource): Buffer {
  const { random, samples, bytesMax } = source
  let bytes = pick(random, samples)
  for (let changes = 1 + below(random, CHANGES_MAX); changes > 0; changes--) {
    bytes = change(source, bytes).subarray(0, bytesMax)
  }
  return bytes
}

/** One of these. */
export function pick<T>(random: () => number, values: readonly T[]): T {
  const value = values[below(random, values.length)]
  if (value === undefined) throw new Error('There is nothing to choose from.')
  return value
}

function below(random: () => number, bound: number): number {
  return Math.floor(random() * bound)
}

function change(source: MutationSource, bytes: Buffer): Buffer {
  const { random, samples, tokens } = source
  const from = below(random, bytes.length + 1)
  const to = Math.min(bytes.length, from + below(random, 1 + below(random, 200)))
  const piece = bytes.subarray(from, to)
  const [head, tail] = [bytes.subarray(0, from), bytes.subarray(to)]
  const token = () => Buffer.from(pick(random, tokens), 'latin1')
  switch (below(random, 7)) {
    case 0: {
      const flipped = Buffer.from(bytes)
      if (from < flipped.length) flipped[from] = below(random, 256)
      return flipped
    }
    case 1:
      return Buffer.concat([head, tail])
    case 2:
      return Buffer.concat([head, token(), tail])
    case 3:
      return Buffer.concat([head, ...Array<Buffer>(1 + below(random, 40)).fill(token()), tail])
    case 4:
      return Buffer.concat([head, ...Array<Buffer>(1 + below(random, 20)).fill(piece), tail])
    case 5: {
      const other = pick(random, samples)
      return Buffer.concat([head, other.subarray(below(random, other.length + 1))])
    }
    default: {
      const noise = Buffer.from(Array.from({ length: below(random, 30) }, () => below(random, 256)))
      return Buffer.concat([head, noise, tail])
    }
  }
}
