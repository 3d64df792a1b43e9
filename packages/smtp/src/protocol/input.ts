/** The next line of input, or why there is none. */
export type Line =
  | { readonly kind: 'line'; readonly text: string }
  | { readonly kind: 'partial' | 'too_long' | 'bare_lf' | 'endless' }

/** A line that goes on past this ends the session: nobody should feed us for minutes for free. */
const SKIPPED_BYTES_MAX = 64 * 1024

const LF = 0x0a
const CR = 0x0d
const EMPTY = Buffer.alloc(0)
const PARTIAL: Line = { kind: 'partial' }
const TOO_LONG: Line = { kind: 'too_long' }
const BARE_LF: Line = { kind: 'bare_lf' }
const ENDLESS: Line = { kind: 'endless' }

/**
 * Bytes that came in and were not yet used.
 *
 * Nothing here depends on how the bytes were cut: a line is judged by its whole length.
 */
export class Input {
  readonly #lineBytesMax: number
  #bytes: Buffer = EMPTY
  #from = 0
  /** Bytes already thrown away of a line that is too long. */
  #skippedBytes = 0

  constructor(lineBytesMax: number) {
    this.#lineBytesMax = lineBytesMax
  }

  push(chunk: Buffer): void {
    const isUsedUp = this.#from === this.#bytes.length
    this.#bytes = isUsedUp ? chunk : Buffer.concat([this.#bytes.subarray(this.#from), chunk])
    this.#from = 0
  }

  /** One line without its CRLF, one character a byte. A longer one is skipped to its end. */
  readLine(): Line {
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

  /** All that is there, at most `bytesMax` of it. */
  take(bytesMax: number): Buffer {
    const from = this.#from
    this.#from = Math.min(this.#bytes.length, from + bytesMax)
    return this.#bytes.subarray(from, this.#from)
  }

  /** Takes back the last `bytes` of what `take` gave. */
  untake(bytes: number): void {
    this.#from -= bytes
  }

  clear(): void {
    this.#bytes = EMPTY
    this.#from = 0
  }
}
