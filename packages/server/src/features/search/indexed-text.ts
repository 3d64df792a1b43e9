/**
 * Different pieces of three characters by which the index finds a mail. Each is an entry of its
 * own, and SQLite writes about 700 in a millisecond, in which no other transaction can write. A
 * mail in a natural language has 500 to 5,000; random letters would have hundreds of thousands.
 */
export const PIECES_MAX = 10_000

/** The beginning of a text that the index takes, and the number of its different pieces. */
export type IndexedText = { readonly text: string; readonly pieces: number }

/** Cuts a text where it would have more different pieces. */
export function indexedText(text: string): IndexedText {
  const pieces = new Set<number>()
  let piece = 0
  for (let i = 0; i < text.length; i++) {
    // The last three UTF-16 units: 48 bits.
    piece = (piece % 2 ** 32) * 2 ** 16 + text.charCodeAt(i)
    if (i < 2) continue
    pieces.add(piece)
    if (pieces.size > PIECES_MAX) return { text: text.slice(0, i), pieces: PIECES_MAX }
  }
  return { text, pieces: pieces.size }
}
