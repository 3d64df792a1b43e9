const BEYOND_LATIN_1 = /[^\0-\xff]/
const BEYOND_ASCII = /[^\0-\x7f]/

/**
 * HTML in the form in which it is scanned fastest.
 *
 * V8 searches strings with one byte per character about eight times as fast as others, and all
 * markup is ASCII. So HTML with characters beyond Latin-1 is scanned as its UTF-8 bytes, one
 * character for each byte; `widen` decodes the pieces that are taken out of it.
 */
export class HtmlSource {
  readonly chars: string
  readonly #isUtf8: boolean

  constructor(html: string) {
    this.#isUtf8 = BEYOND_LATIN_1.test(html)
    this.chars = this.#isUtf8 ? bytesAsChars(html) : html
  }

  /** The text that a piece of `chars` stands for. */
  widen(piece: string): string {
    if (!this.#isUtf8 || !BEYOND_ASCII.test(piece)) return piece
    return piece.length <= SHORT_BYTES_MAX
      ? fromUtf8(piece)
      : Buffer.from(piece, 'latin1').toString()
  }
}

/** Characters of HTML that is encoded in a buffer of the thread; longer HTML has its own. */
const SHARED_CHARS_MAX = 64 * 1024

/** Bytes of a code unit in UTF-8. */
const UNIT_BYTES_MAX = 3

let shared: Buffer | null = null

/** The UTF-8 bytes of a text, one character for each. */
function bytesAsChars(text: string): string {
  if (text.length > SHARED_CHARS_MAX) return Buffer.from(text).toString('latin1')
  shared ??= Buffer.allocUnsafeSlow(SHARED_CHARS_MAX * UNIT_BYTES_MAX)
  return shared.toString('latin1', 0, shared.write(text))
}

/** Pieces up to this length are decoded faster without a buffer. */
const SHORT_BYTES_MAX = 40

/** Decodes whole characters of valid UTF-8, one character of the piece for each byte. */
function fromUtf8(piece: string): string {
  let text = ''
  let from = 0
  for (let at = 0; at < piece.length; ) {
    const lead = piece.charCodeAt(at)
    if (lead < 0x80) {
      at += 1
      continue
    }
    const end = at + bytesOf(lead)
    let point = lead & (0x7f >> (end - at))
    const start = at
    for (at += 1; at < end; at += 1) point = (point << 6) | (piece.charCodeAt(at) & 0x3f)
    text += piece.slice(from, start) + String.fromCodePoint(point)
    from = end
  }
  return text + piece.slice(from)
}

/** Bytes of a character by the first of them. */
function bytesOf(lead: number): number {
  if (lead < 0xe0) return 2
  return lead < 0xf0 ? 3 : 4
}
