// Deflate (RFC 1951), up to some byte of the result. Node's zlib cannot stop there: it returns
// nothing if the result is longer, so that the right length of the input has to be guessed. And it
// reads as many blocks as the sender wrote, each with a description of codes and without content.
// fflate 0.8.3 accepts a description with more codes of a length than there can be: 29 bytes then
// cost it 33 ms. And it returns nothing of a stored block that is truncated.

/** The beginning of the result, and how much work it was, in bytes read and written. */
export interface Inflated {
  readonly start: Buffer
  readonly work: number
  /** Whether `workMax` was reached before `maxBytes` and the end. */
  readonly isCut: boolean
  /** Bytes of the data that were read. */
  readonly readBytes: number
}

/** Work of a start, of a block, and of a block with a description of its codes. */
const START_WORK = 256
const BLOCK_WORK = 16
const CODED_BLOCK_WORK = 512

const CODE_BITS_MAX = 15
const END_OF_BLOCK = 256
const STORED = 0
const FIXED = 1
const DYNAMIC = 2

/** Shortest length or distance of each symbol, and bits that are added to it. */
const LENGTHS: readonly number[] = [
  ...[3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27],
  ...[31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258],
]
const LENGTH_BITS: readonly number[] = [
  ...[0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0],
]
const DISTANCES: readonly number[] = [
  ...[1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769],
  ...[1_025, 1_537, 2_049, 3_073, 4_097, 6_145, 8_193, 12_289, 16_385, 24_577],
]
const DISTANCE_BITS: readonly number[] = [
  ...[0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12],
  ...[13, 13],
]

/** The order in which the lengths of the codes for code lengths are written. */
const CODE_LENGTH_ORDER: readonly number[] = [
  ...[16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15],
]

/**
 * At most the first `maxBytes` of what raw deflate data contains; fewer if the data is damaged or
 * truncated, or if `workMax` is used up before a block.
 */
export function inflateStart(
  data: Buffer,
  { maxBytes, workMax }: { readonly maxBytes: number; readonly workMax: number },
): Inflated {
  const inflation = new Inflation(data, maxBytes)
  let isMore = maxBytes > 0
  while (isMore && inflation.work < workMax) isMore = inflation.readBlock()
  const { start, work, readBytes } = inflation
  return { start, work, isCut: isMore, readBytes }
}

/** A Huffman code: how many codes each length has, and the symbols in the order of their codes. */
interface Code {
  readonly counts: Uint16Array
  readonly symbols: Uint16Array
}

function codeOf(lengths: Uint8Array): Code {
  const counts = new Uint16Array(CODE_BITS_MAX + 1)
  for (const length of lengths) counts[length] = (counts[length] ?? 0) + 1
  counts[0] = 0
  const next = new Uint16Array(CODE_BITS_MAX + 2)
  for (let bits = 1; bits <= CODE_BITS_MAX; bits += 1) {
    next[bits + 1] = (next[bits] ?? 0) + (counts[bits] ?? 0)
  }
  const symbols = new Uint16Array(lengths.length)
  for (let symbol = 0; symbol < lengths.length; symbol += 1) {
    const bits = lengths[symbol] ?? 0
    if (bits === 0) continue
    const at = next[bits] ?? 0
    symbols[at] = symbol
    next[bits] = at + 1
  }
  return { counts, symbols }
}

const FIXED_LITERALS = codeOf(
  new Uint8Array(288).fill(8, 0, 144).fill(9, 144, 256).fill(7, 256, 280).fill(8, 280),
)
const FIXED_DISTANCES = codeOf(new Uint8Array(30).fill(5))

class Inflation {
  readonly #data: Buffer
  readonly #output: Buffer
  readonly #endBit: number
  #bit = 0
  #length = 0
  #blocksWork = START_WORK

  constructor(data: Buffer, maxBytes: number) {
    this.#data = data
    this.#output = Buffer.allocUnsafe(maxBytes)
    this.#endBit = data.length * 8
  }

  get start(): Buffer {
    return this.#output.subarray(0, this.#length)
  }

  get readBytes(): number {
    return (this.#bit + 7) >> 3
  }

  get work(): number {
    return this.#blocksWork + (this.#bit >> 3) + this.#length
  }

  /** Returns whether another block follows and is needed. */
  readBlock(): boolean {
    const isLast = this.#bits(1) === 1
    const type = this.#bits(2)
    this.#blocksWork += type === DYNAMIC ? CODED_BLOCK_WORK : BLOCK_WORK
    return this.#readContent(type) && !isLast && this.#length < this.#output.length
  }

  /** Returns false if the data is damaged or ends, or if the output is full within the block. */
  #readContent(type: number): boolean {
    if (type === STORED) return this.#copyStored()
    if (type === FIXED) return this.#decode(FIXED_LITERALS, FIXED_DISTANCES)
    return type === DYNAMIC && this.#decodeDynamic()
  }

  #copyStored(): boolean {
    const at = (this.#bit + 7) >> 3
    if (at + 4 > this.#data.length) return false
    const sizeBytes = this.#data.readUInt16LE(at)
    if (sizeBytes !== (this.#data.readUInt16LE(at + 2) ^ 0xffff)) return false
    const start = at + 4
    const copied = this.#data.copy(this.#output, this.#length, start, start + sizeBytes)
    this.#length += copied
    this.#bit = (start + copied) * 8
    return copied === sizeBytes
  }

  #decodeDynamic(): boolean {
    const literalCount = this.#bits(5) + 257
    const distanceCount = this.#bits(5) + 1
    const ofLengths = new Uint8Array(19)
    const written = this.#bits(4) + 4
    for (const symbol of CODE_LENGTH_ORDER.slice(0, written)) ofLengths[symbol] = this.#bits(3)
    const lengths = this.#codeLengths(codeOf(ofLengths), literalCount + distanceCount)
    if (lengths === null) return false
    const literals = codeOf(lengths.subarray(0, literalCount))
    return this.#decode(literals, codeOf(lengths.subarray(literalCount)))
  }

  #codeLengths(code: Code, count: number): Uint8Array | null {
    const lengths = new Uint8Array(count)
    let at = 0
    while (at < count) {
      const symbol = this.#symbol(code)
      if (symbol < 0) return null
      if (symbol < 16) {
        lengths[at] = symbol
        at += 1
        continue
      }
      const length = symbol === 16 ? (lengths[at - 1] ?? 0) : 0
      const times = symbol === 18 ? 11 + this.#bits(7) : 3 + this.#bits(symbol === 17 ? 3 : 2)
      lengths.fill(length, at, at + times)
      at += times
    }
    return lengths
  }

  #decode(literals: Code, distances: Code): boolean {
    const output = this.#output
    while (this.#length < output.length) {
      const symbol = this.#symbol(literals)
      if (symbol < 0) return false
      if (symbol === END_OF_BLOCK) return true
      if (symbol < END_OF_BLOCK) {
        output[this.#length] = symbol
        this.#length += 1
      } else if (!this.#repeat(symbol - END_OF_BLOCK - 1, distances)) return false
    }
    return false
  }

  /** Writes a piece of the output once more; false if there is none so far back. */
  #repeat(lengthSymbol: number, distances: Code): boolean {
    const length = (LENGTHS[lengthSymbol] ?? 0) + this.#bits(LENGTH_BITS[lengthSymbol] ?? 0)
    const symbol = this.#symbol(distances)
    if (symbol < 0) return false
    const distance = (DISTANCES[symbol] ?? 0) + this.#bits(DISTANCE_BITS[symbol] ?? 0)
    if (distance === 0 || distance > this.#length || this.#bit > this.#endBit) return false
    const end = Math.min(this.#length + length, this.#output.length)
    for (let at = this.#length; at < end; at += 1) {
      this.#output[at] = this.#output[at - distance] ?? 0
    }
    this.#length = end
    return true
  }

  /** -1 if the data ends or has no such code. */
  #symbol({ counts, symbols }: Code): number {
    const data = this.#data
    let bit = this.#bit
    let code = 0
    let firstCode = 0
    let firstSymbol = 0
    for (let bits = 1; bits <= CODE_BITS_MAX; bits += 1) {
      code |= ((data[bit >> 3] ?? 0) >> (bit & 7)) & 1
      bit += 1
      const count = counts[bits] ?? 0
      if (code < firstCode + count) {
        this.#bit = bit
        return bit > this.#endBit ? -1 : (symbols[firstSymbol + code - firstCode] ?? -1)
      }
      firstSymbol += count
      firstCode = (firstCode + count) << 1
      code <<= 1
    }
    return -1
  }

  /** Zeros behind the end. */
  #bits(count: number): number {
    let value = 0
    for (let index = 0; index < count; index += 1) {
      value |= (((this.#data[this.#bit >> 3] ?? 0) >> (this.#bit & 7)) & 1) << index
      this.#bit += 1
    }
    return value
  }
}
