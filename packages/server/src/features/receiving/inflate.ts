import { constants, inflateRawSync } from 'node:zlib'

/** Output of one attempt, as a multiple of what is wanted: programs compress to about a third. */
const OUTPUT_RATIO_MAX = 4

/** Less compressed data than this holds no beginning of a file. */
const INPUT_BYTES_MIN = 64

/**
 * The first bytes of raw deflate data, at most `maxBytes`; null when it is damaged.
 *
 * `inflateRawSync` returns nothing at all if the output exceeds its limit, so the input is cut: to
 * `maxBytes` at first, as deflate hardly ever makes data longer, then in halves until the output
 * fits. A decompression bomb costs a few kilobytes of output for each attempt.
 */
export function inflateStart(data: Buffer, maxBytes: number): Buffer | null {
  const options = {
    finishFlush: constants.Z_SYNC_FLUSH,
    maxOutputLength: OUTPUT_RATIO_MAX * maxBytes,
  }
  for (let inputBytes = maxBytes; inputBytes >= INPUT_BYTES_MIN; inputBytes >>= 1) {
    try {
      return inflateRawSync(data.subarray(0, inputBytes), options).subarray(0, maxBytes)
    } catch (error) {
      if (!isTooLarge(error)) return null
    }
  }
  return null
}

function isTooLarge(error: unknown): boolean {
  return error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
}
