import type { Candidate } from './candidates.ts'
import { firstFrom, type MailText } from './words.ts'

/** Text around a candidate: what is before and behind it in its sentence, and other sentences. */
export const ZONE = {
  left: 0,
  right: 1,
  before: 2,
  after: 3,
  twoBefore: 4,
  /** The sentences beside one that is nothing but the candidate. */
  beforeAlone: 5,
  afterAlone: 6,
  /** The cell above in a table. */
  columnHead: 7,
} as const

/** A part of a line. */
export interface Zone {
  readonly kind: number
  readonly line: number
  readonly start: number
  readonly end: number
}

interface Sentence {
  readonly line: number
  readonly index: number
}

/** The text around a candidate, in the order of `ZONE`. */
export function zonesOf(mail: MailText, { line, start, end }: Candidate): readonly Zone[] {
  const { sentences } = mail.line(line)
  const index = Math.min(firstFrom(sentences, start + 1), Math.max(sentences.length - 1, 0))
  const from = Math.min(index === 0 ? 0 : (sentences[index - 1] ?? 0), start)
  const left = { kind: ZONE.left, line, start: from, end: start }
  const right = { kind: ZONE.right, line, start: end, end: Math.max(sentences[index] ?? end, end) }
  const isAlone = !hasWords(mail, left) && !hasWords(mail, right)
  const before = sentenceBefore(mail, { line, index })
  return [
    left,
    right,
    zoneOf(mail, before, isAlone ? ZONE.beforeAlone : ZONE.before),
    zoneOf(mail, sentenceAfter(mail, { line, index }), isAlone ? ZONE.afterAlone : ZONE.after),
    zoneOf(mail, before === null ? null : sentenceBefore(mail, before), ZONE.twoBefore),
    zoneOf(mail, cellAbove(mail, line), ZONE.columnHead),
  ]
}

function hasWords(mail: MailText, { line, start, end }: Zone): boolean {
  const { starts } = mail.line(line).words
  return (starts[firstFrom(starts, start)] ?? end) < end
}

/** Also the last one of the line above. */
function sentenceBefore(mail: MailText, { line, index }: Sentence): Sentence | null {
  if (index > 0) return { line, index: index - 1 }
  if (!areTogether(mail, line, line - 1)) return null
  return { line: line - 1, index: mail.line(line - 1).sentences.length - 1 }
}

/** Also the first one of the line below. */
function sentenceAfter(mail: MailText, { line, index }: Sentence): Sentence | null {
  if (index + 1 < mail.line(line).sentences.length) return { line, index: index + 1 }
  return areTogether(mail, line, line + 1) ? { line: line + 1, index: 0 } : null
}

/** Whether there are both lines, in the same part of the mail. */
function areTogether({ lines }: MailText, line: number, other: number): boolean {
  return lines[other] !== undefined && lines[other].source === lines[line]?.source
}

/** Lines that are searched for the cell above. */
const ROW_LINES_MAX = 12

/** The first sentence of the nearest cell above in the same column of a table with several. */
function cellAbove({ lines }: MailText, line: number): Sentence | null {
  const cell = lines[line]?.cell ?? null
  if (cell === null || cell.column === 0) return null
  for (let other = line - 1; other >= Math.max(0, line - ROW_LINES_MAX); other -= 1) {
    const above = lines[other]?.cell ?? null
    if (above === null) return null
    const isSame = above.row !== cell.row && above.column === cell.column
    if (isSame && above.parent === cell.parent) return { line: other, index: 0 }
  }
  return null
}

function zoneOf(mail: MailText, sentence: Sentence | null, kind: number): Zone {
  if (sentence === null) return { kind, line: -1, start: 0, end: 0 }
  const { line, index } = sentence
  const { sentences } = mail.line(line)
  const start = index === 0 ? 0 : (sentences[index - 1] ?? 0)
  return { kind, line, start, end: sentences[index] ?? start }
}
