import { CODE_LIKE } from './binding.ts'
import type { Candidate } from './candidates.ts'
import { type Label, labelOfEnd, labelOfStart } from './context.ts'
import type { MailReader, ReadLine } from './mail-reader.ts'
import { type Meaning, meaningOf, NO_MEANING, OTHERWISE, unlessOfThing } from './meaning.ts'
import { clauseStart } from './sentences.ts'
import { bitsOf } from './words/concepts.ts'

/** Weight of the lines above, nearest first. */
const SHARES_ABOVE = [1, 0.9, 0.75]

/** Weight of the line below, and of the subject for a number without a label in the body. */
const SHARE_BELOW = 0.7
const SHARE_OF_SUBJECT = 0.7

/** From these points on a line decides what the number is. */
const SAID = 2.4

/** Characters between the last word of a label and the end of its line: `is`, a colon, a brand. */
const LEADING_CHARS_MAX = 12

/** Meanings that count together with a word for code anywhere in the sentence. */
const TELLING_FROM_AFAR = bitsOf('verify', 'login', 'once', 'promo', 'place', 'meeting', 'backup')

/** What a code is for. */
const PURPOSE = bitsOf('verify', 'login', 'once')

/** Cells of a table that are searched for the head of a column. */
const CELLS_BACK_MAX = 24

/** A line that begins with a number and is little more than it. */
const NUMBER_LINE = /^\s*\p{Nd}.{0,12}$/u

/** Characters of a label in a cell of its own. */
const LABEL_CELL_CHARS_MAX = 60

/** The meaning by the lines around a candidate that stands alone or begins its line. */
export function meaningAround(mail: MailReader, candidate: Candidate): Meaning {
  if (!isBelow(mail, candidate)) return NO_MEANING
  const above = meaningAbove(mail, candidate)
  if (above.points >= 3 || above.points <= -4 || !candidate.standsAlone) return above
  if (labelLineOf(mail, candidate.line) !== null) return above
  const below = mail.line(candidate.line + 1)
  if (below === undefined || below.source !== mail.line(candidate.line)?.source) return above
  // A label with a number below it names that number.
  if (NUMBER_LINE.test(mail.line(candidate.line + 2)?.text ?? '')) return above
  const { isNumeric } = candidate
  const meaning = meaningOf(labelOfStart(below), { isNumeric, isTouching: false })
  const points = meaning.points * SHARE_BELOW
  return points > above.points ? { ...meaning, points } : above
}

/** The line above is a label if the candidate stands alone, or if that line ends with a colon. */
function isBelow(mail: MailReader, candidate: Candidate): boolean {
  if (candidate.standsAlone) return true
  const above = mail.line(candidate.line - 1)
  return candidate.beginsLine && above !== undefined && /[:：՝፦]\s*$/.test(above.text)
}

function meaningAbove(mail: MailReader, candidate: Candidate): Meaning {
  const { isNumeric } = candidate
  const label = labelLineOf(mail, candidate.line)
  if (label !== null) return meaningOfLine(label, isNumeric)
  const source = mail.line(candidate.line)?.source
  let weak = meaningOfSubject(mail, candidate)
  for (const [index, share] of SHARES_ABOVE.entries()) {
    const above = mail.line(candidate.line - 1 - index)
    if (above === undefined || above.source !== source) break
    const meaning = meaningOfLine(above, isNumeric)
    const points = meaning.points * share
    const shared = { ...meaning, points, isFar: index > 0 }
    if (Math.abs(points) >= SAID) return shared
    if (points > weak.points) weak = shared
  }
  return weak
}

/** Where the body has no label, the subject is the label. */
function meaningOfSubject(mail: MailReader, candidate: Candidate): Meaning {
  const subject = mail.line(0)
  if (subject?.source !== 'subject' || !candidate.standsAlone) return NO_MEANING
  const meaning = meaningOfLine(subject, candidate.isNumeric)
  return { ...meaning, points: Math.max(0, meaning.points * SHARE_OF_SUBJECT), isFar: true }
}

/** In a table, the only label of a cell: the head of its column, or the cell to the left. */
export function labelLineOf(mail: MailReader, index: number): ReadLine | null {
  return headOf(mail, index) ?? labelCellOf(mail, index)
}

/**
 * The head of the column of a cell, in a table whose rows do not begin with a label: the cell to
 * the left has digits, or there is none.
 */
function headOf(mail: MailReader, index: number): ReadLine | null {
  const cell = mail.line(index)?.cell ?? null
  if (cell === null) return null
  for (let at = index - 1; at >= Math.max(0, index - CELLS_BACK_MAX); at -= 1) {
    const line = mail.line(at)
    const other = line?.cell ?? null
    if (line === undefined || other === null || other.parent !== cell.parent) return null
    if (other.row === cell.row && !/\d/.test(line.text)) return null
    if (other.row === cell.row || other.column !== cell.column) continue
    const hasRight = mail.line(at + 1)?.cell?.row === other.row
    return cell.column > 0 || hasRight ? line : null
  }
  return null
}

/** The cell directly to the left, if it is short enough for a label: then it alone is the label. */
function labelCellOf(mail: MailReader, index: number): ReadLine | null {
  const cell = mail.line(index)?.cell ?? null
  const left = mail.line(index - 1)
  if (cell === null || left === undefined || left.cell === null) return null
  const isBeside = left.cell.row === cell.row && left.cell.column === cell.column - 1
  const isLabel = left.text.trim().length <= LABEL_CELL_CHARS_MAX && /\p{L}{2}/u.test(left.text)
  return isBeside && isLabel ? left : null
}

/** The meaning of a line for the line below it: that of its last sentence that has one. */
function meaningOfLine(line: ReadLine, isNumeric: boolean): Meaning {
  if (line.concepts === 0) return NO_MEANING
  let weak = NO_MEANING
  for (let end = sentenceEnd(line.text, line.text.length); end > 0; ) {
    const label = labelOfSentence(line, end)
    const isTouching = label.gap <= LEADING_CHARS_MAX
    const said = meaningOf({ ...label, gap: 0 }, { isNumeric, isTouching })
    const meaning = unlessOfThing(said, line.text.slice(end - label.gap, end))
    const isNameFarOff = meaning.points < 0 && !isTouching && (label.concepts & CODE_LIKE) === 0
    if (Math.abs(meaning.points) >= SAID && !isNameFarOff) return meaning
    if (meaning.points > weak.points) weak = meaning
    end = sentenceEnd(line.text, clauseStart(line.text, end))
  }
  return weak
}

/** Where the last sentence before a position ends, without its punctuation. */
function sentenceEnd(text: string, place: number): number {
  let end = place
  while (end > 0 && clauseStart(text, end) === end) end -= 1
  return end
}

/** The label of a sentence that ends here; a word for code counts anywhere in it. */
function labelOfSentence(line: ReadLine, end: number): Label {
  const label = labelOfEnd(line, end)
  if ((label.concepts & CODE_LIKE) !== 0 || (label.clause & CODE_LIKE) === 0) return label
  // `The code to sign in to your customer area is`: the code has a purpose, the noun is part of it.
  const isNoun = (label.concepts & OTHERWISE) !== 0
  if (isNoun && (label.clause & PURPOSE) === 0) return label
  return { ...label, concepts: label.clause & (CODE_LIKE | TELLING_FROM_AFAR) }
}
