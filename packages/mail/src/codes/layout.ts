import type { Candidate } from './candidates.ts'
import { LARGE_PX } from './findings.ts'
import type { ReadLine } from './mail-reader.ts'

/** A number of the mail, with its places and its most marked style. */
export interface StyledNumber {
  readonly places: readonly { readonly candidate: Candidate; readonly line: ReadLine }[]
  readonly style: readonly string[]
}

/** What of a mail is compared with a number, whatever its language is. */
export interface Layout {
  /** How many numbers are set off from the text around them. */
  readonly striking: number
  /** Something is bold, large or monospaced, so that a number could be set off. */
  readonly isStyled: boolean
  readonly subject: string
  readonly body: string
}

const STRIKING: ReadonlySet<string> = new Set(['bold', 'large', 'letters spaced', 'monospaced'])

/** Characters of the body in which the words of labels are searched. */
const BODY_CHARS_MAX = 4 * 1024

/** Characters of a label, at its end, and the words of them that are searched. */
const LABEL_CHARS_MAX = 60
const LABEL_WORDS_MAX = 3

/** A word without its endings, roughly. */
const STEM = /(?<![\p{L}\p{M}])\p{L}[\p{L}\p{M}]{2,4}/gu

/** Reads the layout of a mail; its HTML part, if it has one, because the text part repeats it. */
export function layoutOf(lines: readonly ReadLine[], numbers: readonly StyledNumber[]): Layout {
  const source = lines.some((line) => line.source === 'html') ? 'html' : 'text'
  let subject = ''
  let body = ''
  for (const line of lines) {
    if (line.source === 'subject') subject = line.text
    else if (line.source === source && body.length < BODY_CHARS_MAX) body += `${line.text}\n`
  }
  return {
    striking: numbers.filter(isStriking).length,
    isStyled: lines.some(hasStyle),
    subject: subject.toLowerCase(),
    body: body.slice(0, BODY_CHARS_MAX).toLowerCase(),
  }
}

function hasStyle({ stretches }: ReadLine): boolean {
  return stretches.some(
    ({ style }) => style.isBold || style.isMonospace || style.fontSizePx >= LARGE_PX,
  )
}

function isStriking({ style }: StyledNumber): boolean {
  return style.some((fact) => STRIKING.has(fact))
}

/** Facts by the place and the look of a number, which need no word tables. */
export function layoutFacts(
  number: StyledNumber,
  layout: Layout,
  lineAt: (index: number) => ReadLine | undefined,
): readonly string[] {
  const facts: string[] = []
  if (isStriking(number)) {
    if (layout.striking === 1) facts.push('the only number that is set off')
  } else if (layout.striking > 0) facts.push('others are set off')
  for (const { candidate, line } of number.places) {
    if (line.source === 'subject') {
      if (candidate.beginsLine) facts.push('begins the subject')
      else if (candidate.end >= line.text.length - 1) facts.push('ends the subject')
    } else facts.push(...labelFacts(labelOf(candidate, line, lineAt), layout))
  }
  return facts
}

/** The text before a number in its line, or the line above it. */
function labelOf(
  { start, line: index }: Candidate,
  { text, source }: ReadLine,
  lineAt: (index: number) => ReadLine | undefined,
): string {
  const before = text.slice(Math.max(0, start - LABEL_CHARS_MAX), start)
  if (/\p{L}{3}/u.test(before)) return before
  const above = lineAt(index - 1)
  return above?.source === source ? above.text.slice(-LABEL_CHARS_MAX) : ''
}

/** How often a word occurs, up to 3 times. */
function timesIn(text: string, word: string): number {
  let times = 0
  let at = text.indexOf(word)
  while (at >= 0 && times < 3) {
    times += 1
    at = text.indexOf(word, at + word.length)
  }
  return times
}

/** A mail that hands over a number speaks of it more than once, by the same word. */
function labelFacts(label: string, { subject, body }: Layout): readonly string[] {
  const stems = (label.toLowerCase().match(STEM) ?? []).slice(-LABEL_WORDS_MAX)
  const facts: string[] = []
  if (stems.some((stem) => subject.includes(stem))) facts.push('a word before it is in the subject')
  let most = 0
  for (const stem of stems) most = Math.max(most, timesIn(body, stem))
  if (most > 1) facts.push('a word before it is repeated')
  if (most > 2) facts.push('a word before it is repeated often')
  return facts
}
