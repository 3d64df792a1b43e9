import { constants, inflateRawSync } from 'node:zlib'

/** Compressed bytes of the first attempt: with them, the description of the codes is complete. */
const INPUT_BYTES_FIRST = 512

/** The smallest step by which the input grows. */
const INPUT_STEP_MIN = 64

/** Deflate makes data at most so many times shorter. */
const RATIO_MAX = 1_032

/** Output of one attempt, as a multiple of what is wanted. */
const OUTPUT_RATIO_MAX = 4

/**
 * The first bytes of raw deflate data, at most `maxBytes`; null when it is damaged.
 *
 * `inflateRawSync` returns nothing at all if the output exceeds its limit, so the input grows
 * until the output suffices, and then by smaller steps if the output was too large. Real data
 * takes two attempts or three, and a decompression bomb one.
 */
export function inflateStart(data: Buffer, maxBytes: number): Buffer | null {
  const outputBytesMax = Math.max(OUTPUT_RATIO_MAX * maxBytes, RATIO_MAX * INPUT_BYTES_FIRST)
  let start: Buffer | null = null
  let inputBytes = 0
  let stepBytes = INPUT_BYTES_FIRST
  let wasTooLarge = false
  while (stepBytes >= INPUT_STEP_MIN) {
    const output = inflate(data.subarray(0, inputBytes + stepBytes), outputBytesMax)
    if (output === 'damaged') break
    if (output === 'too large') wasTooLarge = true
    else {
      start = output
      inputBytes += stepBytes
      if (start.length >= maxBytes || inputBytes >= data.length) break
    }
    stepBytes = wasTooLarge ? stepBytes >> 1 : 3 * inputBytes
  }
  return start?.subarray(0, maxBytes) ?? null
}

function inflate(data: Buffer, maxOutputLength: number): Buffer | 'damaged' | 'too large' {
  try {
    return inflateRawSync(data, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength })
  } catch (error) {
    const isTooLarge =
      error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
    return isTooLarge ? 'too large' : 'damaged'
  }
}
