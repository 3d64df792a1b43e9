/** Longest quoted text in a sentence. */
const QUOTED_LENGTH_MAX = 100

/** Longest plain text: one long line. */
const PLAIN_LENGTH_MAX = 300

/** Control characters, which move the cursor, and marks that reorder or hide text. */
const UNSAFE = /[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]+/g

/** A text of a mail in quotes. */
export function quote(text: string | null): string {
  return text === null ? '(none)' : `"${plain(text, QUOTED_LENGTH_MAX)}"`
}

/** A text of a mail on one line, without characters that control a terminal. */
export function plain(text: string, lengthMax = PLAIN_LENGTH_MAX): string {
  const visible = text.replace(UNSAFE, ' ')
  return visible.length > lengthMax ? `${visible.slice(0, lengthMax)}…` : visible
}
