import { codeAt } from '../text/code-at.ts'
import { ANY_SIGN, SIGN, signsAndKeyOf, withKey } from './signs.ts'

/** Longest line that may be a code made of words alone. */
const SHORT_LINE_CHARS = 80

/** What a character means for a line that is prose; `never` does not occur in prose. */
const PROSE = { never: 0, small: 1, capital: 2, letter: 3, space: 4, pause: 5, mark: 6 } as const

/** Letters of Latin, Greek and Cyrillic beyond ASCII, of either case. */
const LETTER_RANGES: readonly (readonly [number, number])[] = [
  [0xc0, 0xd6],
  [0xd8, 0xf6],
  [0xf8, 0x24f],
  [0x388, 0x3ff],
  [0x400, 0x481],
  [0x48a, 0x52f],
]

/** Above these there are no letters in the table. */
const TABLE_SIZE = 0x530

const TABLE = makeTable()

function makeTable(): Uint8Array {
  const table = new Uint8Array(TABLE_SIZE)
  table.fill(PROSE.small, 0x61, 0x7b)
  table.fill(PROSE.capital, 0x41, 0x5b)
  for (const [first, last] of LETTER_RANGES) table.fill(PROSE.letter, first, last + 1)
  for (const sign of [' ', '\t', '\u00a0']) table[sign.charCodeAt(0)] = PROSE.space
  for (const sign of [';', '!', '?', '(', ')', '&']) table[sign.charCodeAt(0)] = PROSE.mark
  for (const sign of ['.', ',']) table[sign.charCodeAt(0)] = PROSE.pause
  return table
}

/** Characters that may occur in prose. */
const PROSE_SIGNS =
  SIGN.prose | SIGN.small | SIGN.capital | SIGN.foreign | SIGN.dot | SIGN.closingBracket | SIGN.mask

/** A longer line is searched for few forms, so that to look for their signs first saves nothing. */
const SIGNS_CHARS_MAX = 400

/**
 * The characters that a line may have, as bits of `SIGN`, and a key of its text above them: few
 * lines are read twice for these.
 */
export function lineSignsOf(text: string): number {
  const read = readProse(text)
  if (read !== NO_PROSE) return read
  return text.length > SIGNS_CHARS_MAX ? withKey(ANY_SIGN, text.length) : signsAndKeyOf(text)
}

const NO_PROSE = -1

/** What is known of a line: its signs, and its parts of different styles. */
interface SignedLine {
  readonly signs: number
  readonly stretches: readonly unknown[]
}

/** Whether a line is prose in one style: then it contains no code. */
export function isProse({ signs, stretches }: SignedLine): boolean {
  return (signs & SIGN.prose) !== 0 && stretches.length <= 1
}

/**
 * The signs and the key of a line that is words of a sentence that contain no code in any form, as
 * most lines are: no digit, no capital inside a word, nothing that joins words or leads to a value.
 * One pass instead of the checks for each form. `NO_PROSE` for other lines.
 */
function readProse(text: string): number {
  let key = 0
  let hasSmall = false
  // Words in small letters alone may be a code.
  const { length } = text
  let hasMark = length > SHORT_LINE_CHARS
  let before: number = PROSE.space
  for (let at = 0; at < length; at += 1) {
    const code = codeAt(text, at)
    const kind = code < TABLE_SIZE ? (TABLE[code] ?? PROSE.never) : PROSE.never
    if (kind === PROSE.never) return NO_PROSE
    if (kind === PROSE.small) hasSmall = true
    else if (kind === PROSE.capital) {
      if (before < PROSE.space) return NO_PROSE
      hasMark = true
    } else if (kind === PROSE.mark) hasMark = true
    else if (kind === PROSE.pause && before === PROSE.pause) return NO_PROSE
    before = kind
    key = (Math.imul(key, 31) + code) | 0
  }
  return hasSmall && hasMark ? withKey(PROSE_SIGNS, key) : NO_PROSE
}
