import { codeAt } from '../text/code-at.ts'
import { answerOf, type Lead } from './answers.ts'
import type { PlacedValue } from './binding.ts'
import { FOLDED, KIND, KINDS } from './fold.ts'
import type { Shape } from './groups.ts'
import type { Line } from './lines.ts'
import { areRandom, isRandomWord } from './random-letters.ts'
import { SIGN } from './signs.ts'
import { joinedWordsIn, wordsIn } from './written-words.ts'

/** A code by the form of a whole stretch of text, whatever separates its parts. */
export interface WrittenForm {
  readonly value: string
  readonly shape: Shape
  readonly parts: number
  readonly start: number
  readonly end: number
}

/** What a form is, without its place. */
type Form = Pick<WrittenForm, 'value' | 'shape' | 'parts'>

/** Characters of a stretch that may be one code. */
const CHARS_MIN = 4
const CHARS_MAX = 50

/** Parts of a line in styles of their own; a line of text has few. */
const STRETCHES_MAX = 100

/** Characters of a line with a label and a code. */
const TAILED_CHARS_MAX = 200

/** What stands behind a colon, an equals sign or a row of dots. */
const LEADS = /[:：=՝፦]\s*|\.{4,}\s*/gu
const LEADS_MAX = 4

/**
 * Forms of the line, of its end, of its styled parts and in its sentences: one for each place. A
 * line to which the one above leads may have more forms.
 */
export function writtenFormsOf(line: Line, lead: Lead): readonly WrittenForm[] {
  const { text, stretches } = line
  const whole = (isSentence(line) ? null : wholeIn(text)) ?? answerIn(text, lead)
  if (whole !== null) return [whole]
  const forms = stretches.length > 1 ? styledForms(line) : []
  const tail = tailOf(line)
  if (tail !== null) forms.push(tail)
  return forms.length > 0 ? forms : sentenceForms(line)
}

function wholeIn(text: string): WrittenForm | null {
  return formAt(text, { start: 0, end: text.length }, lineOf)
}

/** Most characters of a line of groups in both cases, with a stop. */
const GROUPS_CHARS_MAX = 15

/**
 * Whether a line has small letters and a space between other characters, and is too long for groups
 * in both cases: no other form of a whole line has these, but words beyond ASCII.
 */
function isSentence({ text, signs }: Line): boolean {
  const { length } = text
  if (length <= GROUPS_CHARS_MAX || length > CHARS_MAX) return false
  if ((signs & SIGN.small) === 0 || (signs & SIGN.foreign) !== 0) return false
  return isVisible(codeAt(text, 0)) && isVisible(codeAt(text, length - 1)) && text.includes(' ')
}

/** A visible character of ASCII. */
function isVisible(code: number): boolean {
  return code > 0x20 && code < 0x7f
}

function answerIn(text: string, lead: Lead): WrittenForm | null {
  if (lead === 'none') return null
  return formAt(text, { start: 0, end: text.length }, (written) => answerOf(written, lead))
}

function styledForms({ text, stretches }: Line): WrittenForm[] {
  const forms: WrittenForm[] = []
  if (stretches.length > STRETCHES_MAX) return forms
  for (let at = 0; at < stretches.length; at += 1) {
    const start = stretches[at]?.start ?? 0
    const end = stretches[at + 1]?.start ?? text.length
    // The whole line has no form; beside a line break it has an empty stretch as well.
    if (end - start === text.length) continue
    const form = formAt(text, { start, end }, partOf)
    if (form !== null) forms.push(form)
  }
  return forms
}

function tailOf({ text, signs }: Line): WrittenForm | null {
  if (text.length > TAILED_CHARS_MAX) return null
  if ((signs & SIGN.lead) === 0 && !text.includes('....')) return null
  // Not `matchAll`, which makes an expression and an iterator for each line.
  LEADS.lastIndex = 0
  for (let leads = 0; leads < LEADS_MAX && LEADS.test(text); leads += 1) {
    const start = LEADS.lastIndex
    const form = formAt(text, { start, end: text.length }, partOf)
    if (form !== null) return form
    LEADS.lastIndex = start
  }
  return null
}

function lineOf(written: string): Form | null {
  return wordForm(written, wordsIn(written)) ?? groupsOf(written)
}

function partOf(written: string): Form | null {
  return joinedWordsOf(written) ?? groupsOf(written)
}

function joinedWordsOf(written: string): Form | null {
  return wordForm(written, joinedWordsIn(written))
}

function wordForm(written: string, parts: number): Form | null {
  return parts === 0 ? null : { value: written, shape: 'words', parts }
}

function randomLettersOf(written: string): Form | null {
  return isRandomWord(written) ? { value: written, shape: 'letters', parts: 1 } : null
}

const WIDE_SPACES = /[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g

function formAt(
  text: string,
  { start: from, end: to }: PlacedValue,
  formOf: (written: string) => Form | null,
): WrittenForm | null {
  if (to - from < CHARS_MIN || to - from > CHARS_MAX) return null
  const stretch = text.slice(from, to)
  const written = withoutStop(stretch.trim())
  const form = formOf(written.replace(WIDE_SPACES, ' '))
  if (form === null) return null
  const start = from + stretch.indexOf(written)
  return { ...form, start, end: start + written.length }
}

function withoutStop(text: string): string {
  return text.endsWith('.') || text.endsWith(',') ? text.slice(0, -1) : text
}

/** Characters of a line in whose sentences forms are searched. */
const SENTENCE_CHARS_MAX = 400

/**
 * Groups that are hardly anything else inside a sentence: `482/913`, `27 61 – 30 84`, `AB 12 CD`,
 * `A1.B2.C3`, `KXQ TRM`, `9FK2 7DQ`.
 */
const IN_SENTENCE =
  /(?=[\dA-Z]{2})(?<![\p{L}\p{M}\p{N}@#+*%.,:/\\_'’-])(?:\d{3} ?[/~=:…'’*+] ?\d{3}|\d\d \d\d ?[-–—] ?\d\d \d\d|(?=[A-Z]*\d)[\dA-Z]{2}([ .:/])(?=\d*[A-Z])[\dA-Z]{2}\1[\dA-Z]{2}(?:\1[\dA-Z]{2})?|[A-Z]{2} \d\d [A-Z]{2}|(?=[A-Z]*\d)(?=\d*[A-Z])[\dA-Z]{4}[ .](?=[A-Z]*\d)(?=\d*[A-Z])[\dA-Z]{3,4}|[B-DF-HJ-NP-TV-XZ]{3,4} [B-DF-HJ-NP-TV-XZ]{3,4}|[B-DF-HJ-NP-TV-XZ]{2}(?: [B-DF-HJ-NP-TV-XZ]{2}){2,3})(?![\p{L}\p{M}\p{N}@%/\\_-]|[.,:]\d)/gu

/** Three words and more with dashes or underscores, in a script with spaces between words. */
const WORDS_IN_SENTENCE =
  /(?<![\p{L}\p{M}\p{N}@/._-])(?![\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af])[\p{L}\p{M}]{3,12}(?:[-_](?:\p{L}[\p{L}\p{M}]{2,11}|\p{Nd}{1,4})){2,4}(?![\p{L}\p{M}\p{N}@/_-]|\.\p{L})/gu

/** What each of the groups above contains; few lines do. */
const DIVIDED_GROUPS = /[\dA-Z]{2} ?[ ./~=:…'’*+] ?[\dA-Z]{2}/

const DIVIDED_TWICE = /[-_][^\s_-]{1,12}[-_]/

const SMALL = /\p{Ll}|\p{Lo}/u

/** Groups in brackets: `［３７１］［９０５］`. */
const BRACKETED =
  /(?:(?:[[［【〔(（]\p{Nd}{3,4}[\]］】〕)）]\s?){2,3}|(?:[[［【〔(（]\p{Nd}{2}[\]］】〕)）]\s?){3,4}|(?:[[［【〔(（]\p{Nd}[\]］】〕)）]\s?){4,8})/gu
const BRACKETS = /[\]］】〕)）]\s?[[［【〔(（]/

function sentenceForms({ text, signs }: Line): readonly WrittenForm[] {
  if (text.length > SENTENCE_CHARS_MAX || !hasSmallLetters({ text, signs })) return []
  const hasBracket = (signs & SIGN.closingBracket) !== 0
  if (hasBracket && BRACKETS.test(text)) return formsIn(text, BRACKETED, bracketedOf)
  const hasGroup = (signs & (SIGN.digit | SIGN.capital)) !== 0
  const forms = hasGroup && DIVIDED_GROUPS.test(text) ? formsIn(text, IN_SENTENCE, groupsOf) : []
  if ((signs & SIGN.dash) === 0 || !DIVIDED_TWICE.test(text)) return forms
  return [...forms, ...formsIn(text, WORDS_IN_SENTENCE, joinedWordsOf)]
}

/** Whether a line has letters that are no capitals. */
function hasSmallLetters({ text, signs }: Pick<Line, 'text' | 'signs'>): boolean {
  return (signs & SIGN.small) !== 0 || ((signs & SIGN.foreign) !== 0 && SMALL.test(text))
}

function bracketedOf(written: string): Form {
  const parts = written.split(SEPARATORS).filter((part) => part !== '')
  return { value: typed(parts.join('')), shape: 'digits', parts: parts.length }
}

function formsIn(
  text: string,
  expression: RegExp,
  formOf: (written: string) => Form | null,
): readonly WrittenForm[] {
  const forms: WrittenForm[] = []
  expression.lastIndex = 0
  for (let match = expression.exec(text); match !== null; match = expression.exec(text)) {
    const written = match[0]
    const form = formOf(written)
    if (form !== null) {
      forms.push({ ...form, start: match.index, end: match.index + written.length })
    }
  }
  return forms
}

/** Capitals and digits with separators of any kind: `DK-9 04-RT`, `5F:09:B2`, `( 6 ) ( 0 )`. */
const GROUPED =
  /^[\p{Ps}|│┃║\s]*[\p{Nd}\p{Lu}]{1,5}(?:[^\p{L}\p{N}%@"#]{1,6}[\p{Nd}\p{Lu}]{1,5})+[\p{Pe}|│┃║\s]*$/u

/** One letter of a script without capitals before digits, not Chinese: `가 7 3 9 2`, `み7-4209`. */
const LETTER_AND_DIGITS = /^(?!\p{Script=Han})\p{Lo}[\s－-]?\p{Nd}(?:[\s－-]?\p{Nd}){2,6}$/u
const SEPARATORS = /[^\p{L}\p{N}]+/u
const VALUE_CHARS_MIN = 4
const VALUE_CHARS_MAX = 10

/** Groups in both cases, each with a digit and of one length: `aB3 xY9`. */
const BOTH_CASES = /^(?=.*[A-Z])(?:(?=[A-Za-z]*\d)[\dA-Za-z]{3,4}(?: (?!$)|$)){2,3}$/

/** Three groups of four with spaces between. */
const BOTH_CASES_CHARS_MAX = 14

/** Letters beside a number that are a name, a unit or a part of a date. */
const NO_PART =
  /^(?:AM|PM|UTC|GMT|CES?T|[EPCM][SD]T|EUR|USD|GBP|SEK|NOK|DKK|CHF|PLN|TRY|INR|BRL|KG|KM|CM|MM|ML|GB|MB|KB|TB|NO|NR|ID|REF|TEL|FAX|INV|ORD|PO|TKT|BOX|VAT|PIN|OTP|OTC|TAN|TAC|MFA|TFA|SMS|KOD|COD|NIP|PAC|КОД|ПИН|JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)$/
const YEAR = /^(?:19|20)\d\d$/
const LETTERS_MAX = 3

/** `| TAN: 2480 19 |` */
const LABELLED = /^[|│┃║\s]*\p{Lu}{2,}\s?[:：]/u

/** `Q 148.50`: a currency and an amount. */
const AMOUNT = /^\p{Lu}{1,3}\s?[\d.,' ]+[.,]\d\d$/u

function groupsOf(written: string): Form | null {
  if (hasSmallLetter(written)) return bothCasesOf(written) ?? randomLettersOf(written)
  if (LETTER_AND_DIGITS.test(written)) {
    return { value: typed(written.replaceAll(/[\s－-]/gu, '')), shape: 'mixed', parts: 2 }
  }
  if (!GROUPED.test(written)) return randomLettersOf(written)
  if (LABELLED.test(written) || AMOUNT.test(written)) return null
  const parts = written
    .split(SEPARATORS)
    .filter((part) => part !== '')
    .map(typed)
  const value = parts.join('')
  if (value.length < VALUE_CHARS_MIN || value.length > VALUE_CHARS_MAX) return null
  const form = { value, parts: parts.length, shape: shapeOf(value) }
  if (parts.every((part) => part.length === 1)) return form
  if (/,/.test(written)) return null
  if (form.shape === 'digits') return areDigitGroups(parts, written) ? form : null
  if (form.shape === 'letters') return areRandomGroups(parts) ? form : null
  return parts.some(isNoPart) || hasAdjacentLetters(parts) ? null : form
}

function bothCasesOf(written: string): Form | null {
  if (written.length > BOTH_CASES_CHARS_MAX || !BOTH_CASES.test(written)) return null
  const parts = written.split(' ')
  const isEven = parts.every(({ length }) => length === parts[0]?.length)
  const value = parts.join('')
  if (!isEven || value.length > VALUE_CHARS_MAX) return null
  return { value, parts: parts.length, shape: 'mixed' }
}

/** As it is typed: digits as 0 to 9, letters not in full width. */
function typed(part: string): string {
  let value = ''
  for (const sign of part.normalize('NFKC')) {
    const code = sign.charCodeAt(0)
    const isDigit = KINDS[code] === KIND.digit
    value += isDigit ? String.fromCharCode(FOLDED[code] ?? code) : sign
  }
  return value
}

/** Most lines have one, and are then not matched with an expression. */
function hasSmallLetter(text: string): boolean {
  const { length } = text
  for (let at = 0; at < length; at += 1) {
    const code = codeAt(text, at)
    if (code >= 0x61 && code <= 0x7a) return true
  }
  return false
}

/** Two pairs of pairs, with a dash between: `27 61 – 30 84`. */
const PAIRS = /^\P{L}{5} ?[-–—] ?\P{L}{5}$/u

/** `60.731`: a code only if it is called so. */
export const LIKE_AMOUNT = /^\p{Nd}{2}\.\p{Nd}{3}$/u

/** `20:25:07`: a code only if it is called so. */
export const LIKE_TIME = /^\p{Nd}{2}:\p{Nd}{2}:\p{Nd}{2}$/u

/** `482/913`, `48:29:13`; not a date. */
function areDigitGroups(parts: readonly string[], written: string): boolean {
  const form = parts.map(({ length }) => length).join()
  if (form === '3,3') return true
  if (form === '2,3' || form === '2,2,2') {
    if (LIKE_AMOUNT.test(written) || LIKE_TIME.test(written)) return true
  }
  if (form === '2,2,2,2') return PAIRS.test(written)
  return form === '2,2,2' && !isDateOrTime(parts.map(Number))
}

/** In any order of day, month and year; minutes and seconds are below 60. */
function isDateOrTime([first = 0, second = 0, third = 0]: readonly number[]): boolean {
  if (first < 24 && second < 60 && third < 60) return true
  return (first <= 31 && second <= 12) || (second <= 12 && third <= 31)
}

/** `WPL QHD`, `KX QT RM`. */
function areRandomGroups(parts: readonly string[]): boolean {
  const isEven = parts.every(({ length }) => length > 1 && length === parts[0]?.length)
  const isLong = parts[0]?.length !== 2 || parts.length > 2
  return isEven && isLong && areRandom(parts.join(''))
}

function shapeOf(value: string): Shape {
  if (/^\d+$/.test(value)) return 'digits'
  return /\d/.test(value) ? 'mixed' : 'letters'
}

function isNoPart(part: string): boolean {
  if (YEAR.test(part) || NO_PART.test(part)) return true
  return /^\p{L}+$/u.test(part) && part.length > LETTERS_MAX
}

/** `PO BOX 12`. */
function hasAdjacentLetters(parts: readonly string[]): boolean {
  return parts.some((part, at) => /^\p{L}+$/u.test(part) && /^\p{L}+$/u.test(parts[at + 1] ?? '1'))
}
