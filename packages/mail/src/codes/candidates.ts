import { codeAt } from '../text/code-at.ts'
import type { Lead } from './answers.ts'
import type { PlacedValue } from './binding.ts'
import { isYearOfDate } from './dates.ts'
import { KIND, KINDS } from './fold.ts'
import { type Group, groupsOf, type Shape } from './groups.ts'
import type { Line } from './lines.ts'
import { isProse } from './prose.ts'
import { SIGN } from './signs.ts'
import { followsColon, isAsciiLetter, type Token, tokensOf } from './tokens.ts'
import { writtenFormsOf } from './written-forms.ts'

/** Something in the mail that could be typed as a code. */
export interface Candidate {
  readonly value: string
  readonly shape: Shape
  /** Letters before a dash that are not part of the code: `G-`. */
  readonly prefix: string
  readonly groups: number
  /** Digits, or capitals and digits. */
  readonly isNumeric: boolean
  /** Index of its line. */
  readonly line: number
  readonly start: number
  readonly end: number
  /** Nothing else in its line is readable. */
  readonly standsAlone: boolean
  /** Nothing before it in its line is readable. */
  readonly beginsLine: boolean
}

/** Candidates of one mail: far more than any mail with a code has. */
const CANDIDATES_MAX = 100

/** Candidates of one line, so that a table of numbers does not use up `CANDIDATES_MAX`. */
const LINE_CANDIDATES_MAX = 60

/** Everything that has the form of a code, in the order of the lines. */
export function candidatesOf(lines: readonly Line[]): readonly Candidate[] {
  const candidates: Candidate[] = []
  const bare: (BareLine | undefined)[] = []
  // By the first line with the same text.
  const known: (readonly LineCandidate[] | undefined)[] = []
  for (let index = 0; index < lines.length && candidates.length < CANDIDATES_MAX; index += 1) {
    const line = lines[index]
    if (line === undefined) break
    const lead = leadTo(line, lines[index - 1])
    // Words with capitals, `Amber Lake River`, are a code only below a label.
    if (lead !== 'colon' && isProse(line)) continue
    if (isBare(line, lead, bare[line.alike])) continue
    const places = known[line.first] ?? placesIn(line)
    known[line.first] = places
    const all = withForms(line, places, lead)
    if (all.length === 0) bare[line.alike] ??= { line, lead }
    for (const place of all) {
      if (!isInDigits(place, all)) candidates.push({ ...place, line: index })
    }
  }
  return candidates
}

/** A line without a code in any form. */
interface BareLine {
  readonly line: Line
  readonly lead: Lead
}

/** Whether nothing that a code is searched by is different in a line without one. */
function isBare({ stretches }: Line, lead: Lead, known: BareLine | undefined): boolean {
  if (known === undefined || known.lead !== lead) return false
  const others = known.line.stretches
  if (stretches.length !== others.length) return false
  for (let at = 0; at < stretches.length; at += 1) {
    if (stretches[at]?.start !== others[at]?.start) return false
  }
  return true
}

/** Words beside a number with as many digits: `vier-acht-twee-negen (4829)`. */
function isInDigits({ shape, groups }: LineCandidate, all: readonly LineCandidate[]): boolean {
  if (shape !== 'words') return false
  return all.some((other) => other.shape === 'digits' && other.value.length === groups)
}

/** The end of a line that leads to the next one. */
const COLON = /[:：՝፦]\s*$/
const LETTER = /[\p{L}\p{M}]\s*$/u
const ENDING_CHARS = 4
const QUOTATION = /^\s*(?:「[^「」]+」|『[^『』]+』|«[^«»]+»|“[^“”]+”|„[^„“”]+[“”]|"[^"]+")\s*$/

/** Characters of a line that may be an answer. */
const ANSWER_CHARS_MAX = 50

/** How the line above leads to a line. */
function leadTo({ text, source }: Line, above: Line | undefined): Lead {
  if (above === undefined || above.source !== source || text.length > ANSWER_CHARS_MAX) {
    return 'none'
  }
  // Nothing but a quotation.
  if (mayBeginQuotation(text) && QUOTATION.test(text)) return 'colon'
  const last = above.text.charCodeAt(above.text.length - 1)
  if (isPlainSign(last)) return isAsciiLetter(last) ? 'words' : 'none'
  const ending = above.text.slice(-ENDING_CHARS)
  if (COLON.test(ending)) return 'colon'
  return LETTER.test(ending) ? 'words' : 'none'
}

/** Whether the first character may be a space or a quotation mark, as that of few lines is. */
function mayBeginQuotation(text: string): boolean {
  if (text === '') return false
  const code = codeAt(text, 0)
  if (code < 0x7f) return code <= 0x20 || code === 0x22
  // Currencies.
  return code < 0x20a0 || code > 0x20c0
}

/** A visible character of ASCII but the colon: the last one of nearly all lines. */
function isPlainSign(code: number): boolean {
  return code > 0x20 && code < 0x7f && code !== 0x3a
}

/** `ABXXXXX18K`: a number of which only some characters are shown. */
const MASKED = /[A-Z\d]X{3,}|^X{3,}\d|x{3,}\d/

type LineCandidate = Omit<Candidate, 'line'>

function placesIn({ text, signs }: Line): readonly LineCandidate[] {
  const foreign = (signs & SIGN.foreign) === 0 ? null : foreignIn(text)
  if (foreign !== null) return [foreign]
  const tokens = tokensOf(text)
  if (!haveSigns(tokens, GROUP_SIGNS_MIN)) return []
  const places: LineCandidate[] = []
  const first = firstReadable(text)
  const last = lastReadable(text)
  for (const group of groupsOf(text, tokens)) {
    if (places.length >= LINE_CANDIDATES_MAX) break
    const { value, shape, prefix, parts, start, end } = group
    const beginsLine = start <= first
    const standsAlone = beginsLine && end > last
    if (!standsAlone && !isPlausible(group, text)) continue
    if (isYearOfDate(text, group) || MASKED.test(value)) continue
    const isNumeric = shape === 'digits' || (shape === 'mixed' && value === value.toUpperCase())
    places.push({
      value,
      shape,
      prefix,
      groups: parts,
      isNumeric,
      start,
      end,
      standsAlone,
      beginsLine,
    })
  }
  return places
}

/** Letters and digits that each form of a code has at least. */
const GROUP_SIGNS_MIN = 4

/** Whether tokens have so many letters and digits together. */
function haveSigns(tokens: readonly Token[], min: number): boolean {
  let signs = 0
  for (const { value } of tokens) {
    signs += value.length
    if (signs >= min) return true
  }
  return false
}

/** Adds what has the form of a code as a whole, instead of the parts of it that were found. */
function withForms(
  line: Line,
  places: readonly LineCandidate[],
  lead: Lead,
): readonly LineCandidate[] {
  const { text } = line
  let all = places
  const forms = writtenFormsOf(line, lead)
  // As for nearly all lines: a loop would make an iterator.
  if (forms.length === 0) return all
  for (const { value, shape, parts, start, end } of forms) {
    if (all.some((place) => shape !== 'words' && isFoundIn(text, place, { start, end }))) continue
    const beginsLine = start <= firstReadable(text)
    const form = {
      value,
      shape,
      prefix: '',
      groups: parts,
      isNumeric: shape === 'digits' || shape === 'mixed',
      start,
      end,
      standsAlone: beginsLine && end > lastReadable(text),
      beginsLine,
    }
    const others = all.filter((place) => place.end <= start || place.start >= end)
    all = [...others, form].sort((one, other) => one.start - other.start)
  }
  return all
}

/** Found as a whole, or without a prefix: `551 278` in `G-551 278`. */
function isFoundIn(text: string, place: LineCandidate, { start, end }: PlacedValue): boolean {
  if (place.end < end) return false
  return place.start <= start || /^[A-Z]{1,3}-$/.test(text.slice(start, place.start))
}

/** Ordinary words are candidates only after a colon, or if they look random. */
function isPlausible(group: Group, text: string): boolean {
  if (group.shape === 'digits' || group.shape === 'mixed') return true
  if (group.shape === 'words') {
    return group.separator === '-' && (followsColon(text, group.start) || isNumbered(group))
  }
  if (followsColon(text, group.start)) return endsThought(text, group) || !isSmall(group.value)
  if (group.parts > 1) return true
  return (looksRandom(group.value) && !isLoud(text)) || isQuotedWord(text, group)
}

/** `amber-lake-42`: in a sentence, three parts and the last a number are no ordinary words. */
function isNumbered({ parts, value }: Group): boolean {
  return parts >= 3 && (/(?:^|-)\d+(?:-|$)/.test(value) || value === value.toUpperCase())
}

/** `code: niet per mail` is a sentence, `code: kxqt` is not. */
function endsThought(text: string, { end }: Group): boolean {
  return end > lastReadable(text) || /^[.,;]/.test(text.slice(end))
}

function isSmall(value: string): boolean {
  return value === value.toLowerCase()
}

/** `«QUETZAL»`. */
function isQuotedWord(text: string, { value, start, end }: Group): boolean {
  const isOpen = '«“„"「'.includes(text.charAt(start - 1) || ' ')
  return isOpen && '»”“"」'.includes(text.charAt(end) || ' ') && value === value.toUpperCase()
}

/** Capitals of another alphabet with digits, alone in a line or behind a colon: `Ж5К-183`. */
const FOREIGN =
  /^(?:[^:：]*[:：])?\s*((?=\P{Nd}*\p{Nd})[\p{Lu}\p{Nd}]{2,10}(?:[- ][\p{Lu}\p{Nd}]{2,6})?)\s*$/u
const FOREIGN_CAPITAL = /(?=[^A-ZＡ-Ｚ])\p{Lu}/u
const FOREIGN_CHARS_MIN = 4

/** Characters at the end of a line in which such a code is searched. */
const FOREIGN_TAIL_CHARS = 40
const FOREIGN_CHARS_MAX = 10

function foreignIn(text: string): LineCandidate | null {
  const from = Math.max(0, text.length - FOREIGN_TAIL_CHARS)
  if (!hasForeignLetter(text, from)) return null
  const written = FOREIGN.exec(text.slice(from))?.[1]
  if (written === undefined || !FOREIGN_CAPITAL.test(written)) return null
  const value = written.replace(/[- ]/, '')
  if (value.length < FOREIGN_CHARS_MIN || value.length > FOREIGN_CHARS_MAX) return null
  const start = text.lastIndexOf(written)
  const beginsLine = start <= firstReadable(text)
  return {
    value,
    shape: 'mixed',
    prefix: '',
    groups: value === written ? 1 : 2,
    isNumeric: true,
    start,
    end: start + written.length,
    standsAlone: beginsLine,
    beginsLine,
  }
}

/** A sentence in capitals: what looks like random letters in it is more often a word. */
function isLoud(text: string): boolean {
  return !/\p{Ll}/u.test(text) && /\p{Lu}{2}.*\s\p{Lu}{2}.*\s\p{Lu}{2}/u.test(text)
}

/** Capitals with too few vowels for a word. */
function looksRandom(value: string): boolean {
  if (value.length < 5 || /[a-z]/.test(value)) return false
  return value.replaceAll(/[^AEIOUY]/g, '').length * 5 <= value.length
}

function hasForeignLetter(text: string, from: number): boolean {
  const { length } = text
  for (let at = from; at < length; at += 1) {
    const code = codeAt(text, at)
    if (code > 0x7f && KINDS[code] === KIND.letter) return true
  }
  return false
}

/** Position of the first letter or digit; the length of the text if there is none. */
function firstReadable(text: string): number {
  const { length } = text
  let at = 0
  while (at < length && !isReadable(text, at)) at += 1
  return at
}

function lastReadable(text: string): number {
  let at = text.length - 1
  while (at >= 0 && !isReadable(text, at)) at -= 1
  return at
}

/** Whether the character at a position inside the text is a letter or a digit. */
function isReadable(text: string, at: number): boolean {
  const kind = KINDS[codeAt(text, at)]
  return kind !== KIND.other && kind !== KIND.space && kind !== KIND.nothing
}
