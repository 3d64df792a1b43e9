/** The next line of input, or why there is none. */
export type InputLine =
  | { readonly kind: 'line'; readonly text: string }
  | { readonly kind: 'partial' | 'too_long' | 'bare_lf' | 'endless' }

/** A longer line ends the session, so that a client cannot send a single line without end. */
const SKIPPED_BYTES_MAX = 64 * 1024

const LF = 0x0a
const CR = 0x0d
const EMPTY = Buffer.alloc(0)
const PARTIAL: InputLine = { kind: 'partial' }
const TOO_LONG: InputLine = { kind: 'too_long' }
const BARE_LF: InputLine = { kind: 'bare_lf' }
const ENDLESS: InputLine = { kind: 'endless' }

/**
 * Received bytes that have not been consumed yet.
 *
 * Nothing here depends on how the bytes are split into chunks: a line counts as a whole.
 */
export class Input {
  readonly #lineBytesMax: number
  #bytes: Buffer = EMPTY
  #from = 0
  /** Bytes of a too long line that were already dropped. */
  #skippedBytes = 0

  constructor(lineBytesMax: number) {
    this.#lineBytesMax = lineBytesMax
  }

  /** Bytes that have not been consumed. */
  get length(): number {
    return this.#bytes.length - this.#from
  }

  push(chunk: Buffer): void {
    const isConsumed = this.#from === this.#bytes.length
    this.#bytes = isConsumed ? chunk : Buffer.concat([this.#bytes.subarray(this.#from), chunk])
    this.#from = 0
  }

  /** The next line without its CRLF, one character per byte. A too long line is skipped. */
  readLine(): InputLine {
    const from = this.#from
    const end = this.#bytes.indexOf(LF, from)
    const length = (end === -1 ? this.#bytes.length : end + 1) - from
    if (this.#skippedBytes + length > SKIPPED_BYTES_MAX) {
      this.clear()
      return ENDLESS
    }
    if (end === -1) {
      if (this.#skippedBytes + length > this.#lineBytesMax) {
        this.clear()
        this.#skippedBytes += length
      }
      return PARTIAL
    }
    this.#from = end + 1
    if (this.#skippedBytes + length > this.#lineBytesMax) {
      this.#skippedBytes = 0
      return TOO_LONG
    }
    if (length === 1 || this.#bytes[end - 1] !== CR) return BARE_LF
    return { kind: 'line', text: this.#bytes.toString('latin1', from, end - 1) }
  }

  /** The available bytes, at most `bytesMax`. */
  take(bytesMax: number): Buffer {
    const from = this.#from
    this.#from = Math.min(this.#bytes.length, from + bytesMax)
    return this.#bytes.subarray(from, this.#from)
  }

  /** Puts the last `bytes` bytes of the previous `take` back. */
  untake(bytes: number): void {
    this.#from -= bytes
  }

  clear(): void {
    this.#bytes = EMPTY
    this.#from = 0
  }
}
