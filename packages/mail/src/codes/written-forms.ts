import type { PlacedValue } from './binding.ts'
import type { Shape } from './groups.ts'
import type { Line } from './lines.ts'
import { areLoudWords } from './loud-words.ts'

/** A code by the form of a whole stretch of text, whatever separates its parts. */
export interface WrittenForm {
  readonly value: string
  readonly shape: Shape
  readonly parts: number
  readonly start: number
  readonly end: number
}

/** Characters of a stretch that may be one code. */
const CHARS_MIN = 5
const CHARS_MAX = 50

/** Characters of a line with a label and a code. */
const TAILED_CHARS_MAX = 200

/** What stands behind a colon, an equals sign or a row of dots. */
const LEADS = /[:：=՝፦]\s*|\.{4,}\s*/gu
const LEADS_MAX = 4

/** Forms of the line, of its end and of its styled parts: one for each place. */
export function writtenFormsOf({ text, stretches }: Line): readonly WrittenForm[] {
  const all = { start: 0, end: text.length }
  const whole = formAt(text, all, (written) => wordsOf(written) ?? groupsOf(written))
  if (whole !== null) return [whole]
  const forms = stretches.map(({ start }, at) =>
    formAt(text, { start, end: stretches[at + 1]?.start ?? text.length }, groupsOf),
  )
  forms.push(tailOf(text))
  return forms.filter((form) => form !== null)
}

function tailOf(text: string): WrittenForm | null {
  if (text.length > TAILED_CHARS_MAX) return null
  for (const lead of text.matchAll(LEADS).take(LEADS_MAX)) {
    const tail = { start: lead.index + lead[0].length, end: text.length }
    const form = formAt(text, tail, (written) => loudWordsOf(written) ?? groupsOf(written))
    if (form !== null) return form
  }
  return null
}

function formAt(
  text: string,
  { start: from, end: to }: PlacedValue,
  formOf: (written: string) => Form | null,
): WrittenForm | null {
  if (to - from < CHARS_MIN || to - from > CHARS_MAX) return null
  const stretch = text.slice(from, to)
  const written = stretch.trim().replace(/[.,]$/, '')
  const form = formOf(written)
  if (form === null) return null
  const start = from + stretch.indexOf(written)
  return { ...form, start, end: start + written.length }
}

type Form = Pick<WrittenForm, 'value' | 'shape' | 'parts'>

/** Capitals and digits with separators of any kind: `DK-9 04-RT`, `5F:09:B2`, `( 6 ) ( 0 )`. */
const GROUPED = /^[([{|│┃║\s]*[\dA-Z]{1,5}(?:[^\p{L}\p{N}+*%@"#]{1,6}[\dA-Z]{1,5})+[\])}|│┃║\s]*$/u
const SEPARATORS = /[^\dA-Z]+/
const VALUE_CHARS_MIN = 4
const VALUE_CHARS_MAX = 10

/** Letters beside a number that are a name, a unit or a part of a date. */
const NO_PART =
  /^(?:AM|PM|UTC|GMT|CES?T|[EPCM][SD]T|EUR|USD|GBP|SEK|NOK|DKK|CHF|PLN|TRY|INR|BRL|KG|KM|CM|MM|ML|GB|MB|KB|TB|NO|NR|ID|REF|TEL|FAX|INV|ORD|PO|TKT|BOX|VAT|PIN|OTP|JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)$/
const YEAR = /^(?:19|20)\d\d$/
const LETTERS_MAX = 3

/** `| TAN: 2480 19 |` */
const LABELLED = /^[|│┃║\s]*[A-Z]{2,}\s?[:：]/

function groupsOf(written: string): Form | null {
  if (hasSmallLetter(written) || !GROUPED.test(written) || LABELLED.test(written)) return null
  const parts = written.split(SEPARATORS).filter((part) => part !== '')
  const value = parts.join('')
  if (value.length < VALUE_CHARS_MIN || value.length > VALUE_CHARS_MAX) return null
  const form = { value, parts: parts.length, shape: shapeOf(value) }
  if (parts.every((part) => part.length === 1)) return form
  if (/,/.test(written)) return null
  if (form.shape === 'digits') return areDigitGroups(parts) ? form : null
  if (form.shape === 'letters') return areRandomLetters(parts) ? form : null
  return parts.some(isNoPart) || hasAdjacentLetters(parts) ? null : form
}

/** Most lines have one, and are then not matched with an expression. */
function hasSmallLetter(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code >= 0x61 && code <= 0x7a) return true
  }
  return false
}

/** `482/913`, `48:29:13`; not a date or a time. */
function areDigitGroups(parts: readonly string[]): boolean {
  const form = parts.map(({ length }) => length).join()
  if (form === '3,3') return true
  return form === '2,2,2' && Number(parts[0]) > 31
}

/** `WPL QHD`. */
function areRandomLetters(parts: readonly string[]): boolean {
  const letters = parts.join('')
  const isEven = parts.every(({ length }) => length > 2 && length === parts[0]?.length)
  return isEven && letters.replaceAll(/[^AEIOUY]/g, '').length * 5 <= letters.length
}

function shapeOf(value: string): Shape {
  if (/^\d+$/.test(value)) return 'digits'
  return /\d/.test(value) ? 'mixed' : 'letters'
}

function isNoPart(part: string): boolean {
  if (YEAR.test(part) || NO_PART.test(part)) return true
  return /^[A-Z]+$/.test(part) && part.length > LETTERS_MAX
}

/** `PO BOX 12`. */
function hasAdjacentLetters(parts: readonly string[]): boolean {
  return parts.some((part, at) => /^[A-Z]+$/.test(part) && /^[A-Z]+$/.test(parts[at + 1] ?? '1'))
}

/** Words with dashes, in any alphabet: `ek-sol-71`, `берёза-туман-47`. `hgt-204` is no word. */
const SMALL_WORDS =
  /^(?!\p{Ll}{2,3}-\d)\p{Ll}{2,12}(?:-\p{Ll}{2,12}){0,4}-(?:\d{2,4}|\p{Ll}{3,12})$/u

/** Three words and more, with a letter that is not ASCII: the others are found as tokens. */
const SPACED_WORDS = /^(?=.*[^\0-\x7f])\p{Ll}{3,12}(?: \p{Ll}{3,12}){2,5}$/u

/** Three words and more with dots, `tulp.fiets.regen`; not the name of a host. */
const DOTTED_WORDS =
  /^(?!www\.)\p{Ll}{3,12}(?:\.\p{Ll}{3,12}){1,3}\.(?!(?:com|net|org|edu|gov|info|example|test|local|app|dev|cloud|shop|online|invalid)$)\p{Ll}{4,12}$/u

function wordsOf(written: string): Form | null {
  if (DOTTED_WORDS.test(written)) return wordForm(written, '.')
  if (SPACED_WORDS.test(written)) return wordForm(written, ' ')
  if (SMALL_WORDS.test(written)) return wordForm(written, '-')
  return loudWordsOf(written)
}

function loudWordsOf(written: string): Form | null {
  return areLoudWords(written.split('-')) ? wordForm(written, '-') : null
}

function wordForm(written: string, separator: string): Form {
  return { value: written, shape: 'words', parts: written.split(separator).length }
}
