import { codeAt } from '../text/code-at.ts'
import { slotOf, TextTable } from '../text/text-table.ts'
import { SIGN } from './signs.ts'

/** A line, and the lines of its mail that were equal before it. */
interface ComparedLine {
  readonly text: string
  readonly signs: number
  /** The same for the same text. */
  readonly key: number
  /** Index of the first line with the same text. */
  first: number
  /** Index of the first line that is equal, or differs in digits that do not matter. */
  alike: number
}

/** Characters of a line that is compared without its digits: prices and numbers of items. */
const CHARS_MAX = 40

/**
 * Digits of such a line, in a row and together. With fewer than a year or a date has, no check
 * for a code looks at their values, but for zeros.
 */
const ROW_MAX = 3
const DIGITS_MAX = 5

const ZERO = 0x30
const NINE = 0x39

/** What replaces a digit whose value does not matter. */
const ANY = 0x31

/** Finds equal lines: the text part repeats most lines of the HTML, and a table its own. */
export function findEqual(lines: readonly ComparedLine[]): void {
  const texts = new TextTable(lines.length)
  const bits = 33 - Math.clz32(lines.length)
  // Indexes of lines by the key of their form.
  const forms = new Array<number | undefined>(1 << bits)
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index]
    if (line === undefined) break
    line.first = texts.keep(line.text, line.key, index)
    line.alike = line.first
    const key = line.first < index ? NOT_COMPARED : keyOfForm(line)
    if (key === NOT_COMPARED) continue
    const slot = slotOf(key, bits)
    const known = forms[slot]
    if (known === undefined) forms[slot] = index
    else if (isAlike(line.text, lines[known]?.text ?? '')) line.alike = known
  }
}

/** Not compared without its digits. */
const NOT_COMPARED = -1

/**
 * The key of a line without the values of its digits. Only for digits beside signs and letters of
 * ASCII: beside others, entries of the word tables have more than one.
 */
function keyOfForm({ text, signs }: ComparedLine): number {
  if ((signs & SIGN.digit) === 0 || (signs & SIGN.foreign) !== 0) return NOT_COMPARED
  const { length } = text
  if (length > CHARS_MAX) return NOT_COMPARED
  let key = length
  let before = 0
  let digits = 0
  let row = 0
  for (let at = 0; at < length; at += 1) {
    const code = codeAt(text, at)
    if (isDigit(code)) {
      digits += 1
      row += 1
      if (row > ROW_MAX || digits > DIGITS_MAX) return NOT_COMPARED
    } else row = 0
    key = (Math.imul(key, 31) + formOf(code, before)) | 0
    before = code
  }
  return key & 0x7fffffff
}

function isAlike(text: string, other: string): boolean {
  const { length } = text
  if (length !== other.length) return false
  let before = 0
  let otherBefore = 0
  for (let at = 0; at < length; at += 1) {
    const code = codeAt(text, at)
    const otherCode = codeAt(other, at)
    if (code !== otherCode && formOf(code, before) !== formOf(otherCode, otherBefore)) return false
    before = code
    otherBefore = otherCode
  }
  return true
}

/** Zeros keep their value, and the first digit of a row: words such as `last 4` have one. */
function formOf(code: number, before: number): number {
  return code > ZERO && code <= NINE && isDigit(before) ? ANY : code
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE
}
