/** Most of a subject that a sentence shows. */
const QUOTED_LENGTH_MAX = 100

/** Most of an explanation: one long line. */
const PLAIN_LENGTH_MAX = 300

/** Controls move the cursor of a terminal, the other marks turn or hide what is written. */
const INVISIBLE = /[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]+/g

/** A text from a mail in quotes, fit for a sentence in a report. */
export function quote(text: string | null): string {
  return text === null ? '(none)' : `"${plain(text, QUOTED_LENGTH_MAX)}"`
}

/** Strangers write mail: a text of theirs on one line, without anything that acts on a terminal. */
export function plain(text: string, lengthMax = PLAIN_LENGTH_MAX): string {
  const visible = text.replace(INVISIBLE, ' ')
  return visible.length > lengthMax ? `${visible.slice(0, lengthMax)}…` : visible
}
