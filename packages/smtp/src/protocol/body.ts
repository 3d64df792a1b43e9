const CR = 0x0d
const LF = 0x0a
const DOT = 0x2e
const EMPTY = Buffer.alloc(0)
const END_OF_DATA = Buffer.from('\r\n.\r\n')
const LINE_START_DOT = Buffer.from('\r\n.')

/** Bytes at the end of what was seen that may begin an end of data. */
const TAIL_BYTES = END_OF_DATA.length - 1

/** Smallest room for a mail that comes in pieces; it doubles from there. */
const ROOM_BYTES_MIN = 4096

/**
 * Stuffing a dot adds at most one byte to three (CRLF and dot become CRLF, dot, dot), so a mail
 * of the allowed size never takes more than this times as many bytes on its way.
 */
const STUFFED_RATIO_MAX = 4 / 3

/**
 * The bytes of one mail.
 *
 * A mail that came in one piece is that piece, uncopied. Many tiny pieces cost no more than
 * twice their bytes: a list of one-byte buffers would take a hundred times as much.
 */
export class Body {
  #room: Buffer = EMPTY
  #lengthBytes = 0

  get lengthBytes(): number {
    return this.#lengthBytes
  }

  append(chunk: Buffer): void {
    if (this.#lengthBytes === 0) {
      this.#room = chunk
      this.#lengthBytes = chunk.length
      return
    }
    const needed = this.#lengthBytes + chunk.length
    if (needed > this.#room.length) {
      const room = Buffer.allocUnsafe(Math.max(needed, 2 * this.#room.length, ROOM_BYTES_MIN))
      this.#room.copy(room, 0, 0, this.#lengthBytes)
      this.#room = room
    }
    chunk.copy(this.#room, this.#lengthBytes)
    this.#lengthBytes = needed
  }

  bytes(): Buffer {
    return this.#room.subarray(0, this.#lengthBytes)
  }

  /** Forgets all but the last few bytes. */
  keepTail(tailBytes: number): void {
    const from = Math.max(0, this.#lengthBytes - tailBytes)
    this.#room = Buffer.from(this.#room.subarray(from, this.#lengthBytes))
    this.#lengthBytes = this.#room.length
  }

  clear(): void {
    this.#room = EMPTY
    this.#lengthBytes = 0
  }
}

/** What a reader of DATA knows after some bytes. */
export type DataProgress =
  | { readonly kind: 'more' }
  /** The end came; so many bytes behind it belong to the next command. `mail` null: too large. */
  | { readonly kind: 'ended'; readonly surplusBytes: number; readonly mail: Buffer | null }
  /** Far too large to be read to its end. */
  | { readonly kind: 'endless' }

const MORE: DataProgress = { kind: 'more' }
const ENDLESS: DataProgress = { kind: 'endless' }

/**
 * Reads the content of DATA up to CRLF . CRLF, and nothing else ends it.
 *
 * The end is searched once over each byte, across pieces. A mail over the limit is read on
 * without being kept, so that the client hears 552 instead of a broken connection, up to four
 * times the limit.
 */
export class DataReader {
  readonly #bytesMax: number
  readonly #body = new Body()
  #wireBytes = 0
  #isDiscarding = false

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** Bytes that came in so far, kept or not. */
  get wireBytes(): number {
    return this.#wireBytes
  }

  /** Bytes kept in memory. */
  get heldBytes(): number {
    return this.#body.lengthBytes
  }

  /** Keeps nothing of this mail from now on. */
  discard(): void {
    this.#isDiscarding = true
    this.#body.keepTail(TAIL_BYTES)
  }

  read(chunk: Buffer): DataProgress {
    const searchFrom = Math.max(0, this.#body.lengthBytes - TAIL_BYTES)
    const isStart = this.#wireBytes < END_OF_DATA.length
    this.#body.append(chunk)
    this.#wireBytes += chunk.length
    const bytes = this.#body.bytes()
    if (isStart && bytes[0] === DOT && bytes[1] === CR && bytes[2] === LF) {
      return { kind: 'ended', surplusBytes: bytes.length - 3, mail: EMPTY }
    }
    const end = bytes.indexOf(END_OF_DATA, searchFrom)
    if (end !== -1) return this.#end(bytes, end)
    if (this.#wireBytes > endlessBytes(this.#bytesMax)) return ENDLESS
    if (this.#isDiscarding) this.#body.keepTail(TAIL_BYTES)
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

/** More than this is not even read to its end. */
export function endlessBytes(bytesMax: number): number {
  return 4 * bytesMax
}

/** Takes away the dot that starts a line; only CRLF starts one. */
function unstuffed(wire: Buffer): Buffer {
  const firstAt = wire[0] === DOT ? 0 : wire.indexOf(LINE_START_DOT) + 2
  if (firstAt === 1) return wire
  const mail = Buffer.allocUnsafe(wire.length - 1)
  wire.copy(mail, 0, 0, firstAt)
  let to = firstAt
  // A loop over bytes: a mail made of nothing but stuffed dots costs ten times as much when
  // each of them is searched for.
  for (let from = firstAt + 1; from < wire.length; from++) {
    const byte = wire[from] ?? 0
    mail[to++] = byte
    if (byte === LF && wire[from + 1] === DOT && wire[from - 1] === CR) from++
  }
  return mail.subarray(0, to)
}
