import { codeAt } from '../text/code-at.ts'
import { KIND, KINDS } from './fold.ts'
import { groupedValuesOf } from './groups.ts'
import type { Line } from './lines.ts'
import type { PlacedValue, SearchedLine } from './placed-value.ts'
import { type Token, tokensOf } from './tokens.ts'
import { isSetOff, wordValuesOf } from './word-values.ts'

/** Something in the mail that could be typed as a code. */
export interface Candidate extends PlacedValue {
  /** Index of its line. */
  readonly line: number
  /** Nothing else in its line is readable. */
  readonly standsAlone: boolean
  /** Nothing before it in its line is readable. */
  readonly beginsLine: boolean
}

/** Candidates of one mail: far more than any mail with a code has. */
const CANDIDATES_MAX = 100

/** Candidates of one line, so that a table of numbers does not use up `CANDIDATES_MAX`. */
const LINE_CANDIDATES_MAX = 40

/** Characters of a line in which codes are searched. */
const LINE_CHARS_MAX = 4_000

/** Everything that could be a code, in the order of the lines: the ranker decides. */
export function candidatesOf(lines: readonly Line[]): readonly Candidate[] {
  const candidates: Candidate[] = []
  // By the first line with the same text, twice: below a colon there are more forms.
  const known: (readonly LineCandidate[] | undefined)[] = []
  for (const [index, line] of lines.entries()) {
    if (candidates.length >= CANDIDATES_MAX) break
    const isLed = isLedBy(line, lines[index - 1])
    const key = 2 * line.first + (isLed ? 1 : 0)
    const found = known[key] ?? candidatesIn(line, isLed)
    known[key] = found
    for (const one of found) candidates.push({ ...one, line: index })
  }
  return candidates
}

const COLON = /[:：՝፦]\s*$/
const COLON_CHARS = 4

/** `「ねこやま」`, alone in a line. */
const QUOTATION = /^\s*(?:「[^「」]+」|『[^『』]+』|«[^«»]+»|“[^“”]+”|„[^„“”]+[“”]|"[^"]+")\s*$/
const QUOTATION_CHARS_MAX = 50

function isLedBy({ text, source }: Line, above: Line | undefined): boolean {
  if (text.length > QUOTATION_CHARS_MAX) return false
  if (above?.source === source && COLON.test(above.text.slice(-COLON_CHARS))) return true
  return QUOTATION.test(text)
}

type LineCandidate = Omit<Candidate, 'line'>

const NONE: readonly LineCandidate[] = []

function candidatesIn(line: Line, isLed: boolean): readonly LineCandidate[] {
  const text = line.text.slice(0, LINE_CHARS_MAX)
  if (!isLed && !isSetOff(line) && isPlain(text)) return NONE
  const first = firstReadable(text)
  const last = endOfReadable(text)
  const searched = { ...line, text, first, last, isLed, tokens: tokensOf(text) }
  const values: PlacedValue[] = []
  for (const token of searched.tokens) values.push(...valuesOfToken(searched, token))
  values.push(...groupedValuesOf(searched), ...wordValuesOf(searched))
  if (values.length === 0) return NONE
  const unique = new Map(values.map((value) => [`${value.start} ${value.value}`, value]))
  return Array.from(unique.values(), (value) => ({
    ...value,
    beginsLine: value.start <= first,
    standsAlone: value.start <= first && value.end >= last,
  }))
    .sort((one, other) => one.start - other.start)
    .slice(0, LINE_CANDIDATES_MAX)
}

/**
 * A line without these is words and nothing that a code has: digits, full-width letters, signs that
 * lead to a value or join words, a capital or a dot inside a word.
 */
const OF_CODES = /\p{Nd}|[\uff00-\uffff:：=՝፦\-_+~·/「『«“„"]|\p{L}[A-Z]|\.\p{L}/u

function isPlain(text: string): boolean {
  return text.includes(' ') && !OF_CODES.test(text)
}

/** Digits with an ending of the language: `518064tür`. */
const WITH_ENDING = /^(\d{4,10})[a-z]{1,4}$/

/** `ABXXXXX18K`: a number of which only some characters are shown. */
const MASKED = /[A-Z\d]X{3,}|^X{3,}\d|x{3,}\d/

/** Longest of letters and digits; of digits alone. */
const MIXED_CHARS_MAX = 12
const DIGITS_MAX = 10
const CHARS_MIN = 4

function valuesOfToken(line: SearchedLine, token: Token): readonly PlacedValue[] {
  const { value, start, end, digits } = token
  if (value.length < CHARS_MIN || value.length > MIXED_CHARS_MAX) return []
  const place = { value, start, end, groups: 1, hasPrefix: false }
  if (digits === value.length) {
    return digits <= DIGITS_MAX ? [{ ...place, shape: 'digits' }] : []
  }
  if (token.isAttached || MASKED.test(value)) return []
  if (digits === 0) return isLikeCode(line, token) ? [{ ...place, shape: 'letters' }] : []
  const number = WITH_ENDING.exec(value)?.[1]
  if (number === undefined) return [{ ...place, shape: 'mixed' }]
  return [
    { ...place, shape: 'mixed' },
    { ...place, value: number, end: start + number.length, shape: 'digits' },
  ]
}

/** Whether letters alone may be a code: most are words. */
function isLikeCode(line: SearchedLine, token: Token): boolean {
  const { value, start, end, upper, lower } = token
  const isCapital = lower === 0
  const hasInner = upper > 0 && /[a-z][A-Z]/.test(value)
  const endsLine = end >= line.last
  if (endsLine && (start <= line.first || followsColon(line.text, start))) {
    if (isCapital || hasInner) return true
    return upper === 0 && (followsColon(line.text, start) || hasFewVowels(value))
  }
  if (value.length > DIGITS_MAX || (!isCapital && !hasInner)) return false
  if (followsColon(line.text, start) || isEnclosed(line.text, start, end)) return true
  if (line.stretches.length > 1 && line.stretches.some((stretch) => stretch.start === start)) {
    return true
  }
  if (hasInner) return upper >= 3
  return value.length >= 5 && hasFewVowels(value)
}

/** Capitals with too few vowels for a word. */
function hasFewVowels(value: string): boolean {
  return value.replaceAll(/[^AEIOUY]/gi, '').length * 5 <= value.length
}

/** Characters between an opening bracket and a code: `(Code KXQTRM)`. */
const BRACKET_CHARS_MAX = 24

function isEnclosed(text: string, start: number, end: number): boolean {
  const closing = CLOSING.indexOf(text.charAt(end) || ' ')
  if (closing < 0) return false
  const before = text.slice(Math.max(0, start - BRACKET_CHARS_MAX), start)
  return before.includes(OPENING.charAt(closing))
}

const OPENING = '([«“„"「【『‘\''
const CLOSING = ')]»”“"」】』’\''

/** Whether a colon or a similar character precedes a position. */
function followsColon(text: string, start: number): boolean {
  let at = start - 1
  while (at >= 0 && KINDS[codeAt(text, at)] === KIND.space) at -= 1
  if (at < 0) return false
  return ':：=՝፦'.includes(text.charAt(at)) || text.startsWith('...', at - 2)
}

function firstReadable(text: string): number {
  const { length } = text
  let at = 0
  while (at < length && !isReadable(codeAt(text, at))) at += 1
  return at
}

function endOfReadable(text: string): number {
  let at = text.length
  while (at > 0 && !isReadable(codeAt(text, at - 1))) at -= 1
  return at
}

function isReadable(code: number): boolean {
  const kind = KINDS[code]
  return kind !== KIND.other && kind !== KIND.space && kind !== KIND.nothing
}
