const CR = 0x0d
const LF = 0x0a
const DOT = 0x2e
const EMPTY = Buffer.alloc(0)
const END_OF_DATA = Buffer.from('\r\n.\r\n')
const LINE_START_DOT = Buffer.from('\r\n.')

/** The last bytes read so far that may be the beginning of the end of data. */
const TAIL_BYTES = END_OF_DATA.length - 1

/** Smallest allocation for a mail that arrives in pieces; it doubles from there. */
const CAPACITY_BYTES_MIN = 4096

/**
 * Dot-stuffing adds at most one byte to three (CRLF and dot become CRLF, dot, dot), so a mail of
 * the allowed size never has more than this times as many bytes in transit.
 */
const STUFFED_RATIO_MAX = 4 / 3

/**
 * The bytes of one mail.
 *
 * A mail that arrives in one piece is not copied. Many tiny pieces take at most twice their bytes:
 * a list of one-byte buffers would take a hundred times as much.
 */
export class MailBuffer {
  #bytes: Buffer = EMPTY
  #lengthBytes = 0

  get lengthBytes(): number {
    return this.#lengthBytes
  }

  append(chunk: Buffer): void {
    if (this.#lengthBytes === 0) {
      this.#bytes = chunk
      this.#lengthBytes = chunk.length
      return
    }
    const needed = this.#lengthBytes + chunk.length
    if (needed > this.#bytes.length) {
      const capacityBytes = Math.max(needed, 2 * this.#bytes.length, CAPACITY_BYTES_MIN)
      const larger = Buffer.allocUnsafe(capacityBytes)
      this.#bytes.copy(larger, 0, 0, this.#lengthBytes)
      this.#bytes = larger
    }
    chunk.copy(this.#bytes, this.#lengthBytes)
    this.#lengthBytes = needed
  }

  bytes(): Buffer {
    return this.#bytes.subarray(0, this.#lengthBytes)
  }

  /** Drops all but the last `tailBytes` bytes. */
  keepTail(tailBytes: number): void {
    const from = Math.max(0, this.#lengthBytes - tailBytes)
    this.#bytes = Buffer.from(this.#bytes.subarray(from, this.#lengthBytes))
    this.#lengthBytes = this.#bytes.length
  }

  clear(): void {
    this.#bytes = EMPTY
    this.#lengthBytes = 0
  }
}

/** The result of `DataReader.read`. */
export type DataProgress =
  | { readonly kind: 'more' }
  /** `surplusBytes` after the end belong to the next command. `mail` is null if too large. */
  | { readonly kind: 'ended'; readonly surplusBytes: number; readonly mail: Buffer | null }
  /** Too large to be read to its end. */
  | { readonly kind: 'endless' }

const MORE: DataProgress = { kind: 'more' }
const ENDLESS: DataProgress = { kind: 'endless' }

/**
 * Reads the content of DATA. Only CRLF . CRLF ends it.
 *
 * Each byte is searched once for the end, across pieces. A mail over the limit is read and
 * discarded, up to four times the limit, so that the client gets a 552 and not a broken
 * connection.
 */
export class DataReader {
  readonly #bytesMax: number
  readonly #buffer = new MailBuffer()
  #wireBytes = 0
  #isDiscarding = false

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** Bytes read so far, kept or discarded. */
  get wireBytes(): number {
    return this.#wireBytes
  }

  /** Bytes kept in memory. */
  get heldBytes(): number {
    return this.#buffer.lengthBytes
  }

  /** Discards this mail: nothing more of it is kept. */
  discard(): void {
    this.#isDiscarding = true
    this.#buffer.keepTail(TAIL_BYTES)
  }

  read(chunk: Buffer): DataProgress {
    const searchFrom = Math.max(0, this.#buffer.lengthBytes - TAIL_BYTES)
    const isStart = this.#wireBytes < END_OF_DATA.length
    this.#buffer.append(chunk)
    this.#wireBytes += chunk.length
    const bytes = this.#buffer.bytes()
    if (isStart && bytes[0] === DOT && bytes[1] === CR && bytes[2] === LF) {
      return { kind: 'ended', surplusBytes: bytes.length - 3, mail: EMPTY }
    }
    const end = bytes.indexOf(END_OF_DATA, searchFrom)
    if (end !== -1) return this.#end(bytes, end)
    if (this.#wireBytes > endlessBytes(this.#bytesMax)) return ENDLESS
    if (this.#isDiscarding) this.#buffer.keepTail(TAIL_BYTES)
    else if (this.#wireBytes > this.#bytesMax * STUFFED_RATIO_MAX + END_OF_DATA.length) {
      this.discard()
    }
    return MORE
  }

  #end(bytes: Buffer, end: number): DataProgress {
    const surplusBytes = bytes.length - end - END_OF_DATA.length
    if (this.#wireBytes - surplusBytes > endlessBytes(this.#bytesMax)) return ENDLESS
    if (this.#isDiscarding) return { kind: 'ended', surplusBytes, mail: null }
    const mail = unstuffed(bytes.subarray(0, end + 2))
    return { kind: 'ended', surplusBytes, mail: mail.length > this.#bytesMax ? null : mail }
  }
}

/** A mail with more bytes than this is not read to its end. */
export function endlessBytes(bytesMax: number): number {
  return 4 * bytesMax
}

/** Removes the dot at the start of a line. Only CRLF starts a line. */
function unstuffed(wire: Buffer): Buffer {
  const firstAt = wire[0] === DOT ? 0 : wire.indexOf(LINE_START_DOT) + 2
  if (firstAt === 1) return wire
  const mail = Buffer.allocUnsafe(wire.length - 1)
  wire.copy(mail, 0, 0, firstAt)
  let to = firstAt
  // A loop over bytes: searching for each dot takes ten times as long on a mail that consists of
  // stuffed dots.
  for (let from = firstAt + 1; from < wire.length; from++) {
    const byte = wire[from] ?? 0
    mail[to++] = byte
    if (byte === LF && wire[from + 1] === DOT && wire[from - 1] === CR) from++
  }
  return mail.subarray(0, to)
}
