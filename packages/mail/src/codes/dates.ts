import type { PlacedValue } from './binding.ts'

/** Of any calendar. */
const YEAR = /^(?:1[349]|2[05])\p{Nd}\p{Nd}$/u

/** A day and a word that may be a month, before a year: `15 नवंबर`, `May 15,`. */
const DAY_BEFORE =
  /(?:(?<!\d)[0-3]?\d[.,]?\s(?:de\s)?\p{L}[\p{L}\p{M}.]{2,14},?(?:\sde)?|\p{L}{3}\s[0-3]?\d,)\s$/u

/** Characters of a day and a month. */
const DAY_CHARS_MAX = 30

/** Whether a number is the year of a date with a written month. */
export function isYearOfDate(text: string, { start, end }: PlacedValue): boolean {
  if (end - start !== 4 || !YEAR.test(text.slice(start, end))) return false
  return DAY_BEFORE.test(text.slice(Math.max(0, start - DAY_CHARS_MAX), start))
}
