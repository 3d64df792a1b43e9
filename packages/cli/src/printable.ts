/** Controls move the cursor and worse, the other marks turn or hide what is written. */
const ACTING = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g

/** Text of a mail without anything that acts on a terminal; line breaks and tabs stay. */
export function printable(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(ACTING, '')
}

/** The same on one line. */
export function printableLine(text: string): string {
  return printable(text).replace(/\s+/g, ' ').trim()
}
