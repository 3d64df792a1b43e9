import type { Candidate } from './candidates.ts'
import { LARGE_PX } from './findings.ts'
import type { LineSource, StyledStretch } from './lines.ts'
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
  readonly words: LabelWords
}

/** How often the words of labels are in the subject and in the body. */
class LabelWords {
  readonly #lines: readonly ReadLine[]
  readonly #source: LineSource
  readonly #times = new Map<string, number>()
  #subject: string | null = null
  /** The lines that are there once, twice and more often. */
  #body: readonly string[] | null = null

  constructor(lines: readonly ReadLine[], source: LineSource) {
    this.#lines = lines
    this.#source = source
  }

  isInSubject(stem: string): boolean {
    this.#subject ??= this.#lines.findLast(isSubject)?.text.toLowerCase() ?? ''
    return this.#subject.includes(stem)
  }

  /** How often a word is in the body, up to 3 times; values of one table have the same labels. */
  timesInBody(stem: string): number {
    const known = this.#times.get(stem)
    if (known !== undefined) return known
    this.#body ??= this.#readBody()
    const all = this.#body.reduce((sum, lines, at) => sum + (at + 1) * timesIn(lines, stem), 0)
    const times = Math.min(all, TIMES_MAX)
    this.#times.set(stem, times)
    return times
  }

  /**
   * The body in small letters, line by line: V8 has a fast way for those within Latin-1, as most
   * are. Lines that differ in digits alone are read once: the words of labels have none.
   */
  #readBody(): readonly string[] {
    const lines: BodyLine[] = []
    const known: (BodyLine | undefined)[] = []
    let left = BODY_CHARS_MAX
    for (const { source, text, alike } of this.#lines) {
      if (source !== this.#source) continue
      if (left <= 0) break
      const isWhole = text.length < left
      const same = isWhole ? known[alike] : undefined
      if (same === undefined) {
        const line = { text: (isWhole ? text : text.slice(0, left)).toLowerCase(), times: 1 }
        known[alike] = line
        lines.push(line)
      } else same.times += 1
      left -= text.length + 1
    }
    return joinByTimes(lines)
  }
}

/** A line of the body, and how often it is there. */
interface BodyLine {
  readonly text: string
  times: number
}

/** The lines that are there once, twice and `TIMES_MAX` times or more. */
function joinByTimes(lines: readonly BodyLine[]): readonly string[] {
  const joined = ['', '', '']
  for (const { text, times } of lines) joined[Math.min(times, TIMES_MAX) - 1] += `${text}\n`
  return joined
}

function isSubject({ source }: ReadLine): boolean {
  return source === 'subject'
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
  return {
    striking: numbers.filter(isStriking).length,
    isStyled: lines.some(hasStyle),
    words: new LabelWords(lines, source),
  }
}

function hasStyle({ stretches }: ReadLine): boolean {
  return stretches.some(isStyled)
}

function isStyled({ style }: StyledStretch): boolean {
  return style.isBold || style.isMonospace || style.fontSizePx >= LARGE_PX
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

/** Times that a word is counted. */
const TIMES_MAX = 3

/** How often a word occurs, up to 3 times. */
function timesIn(text: string, word: string): number {
  let times = 0
  let at = text.indexOf(word)
  while (at >= 0 && times < TIMES_MAX) {
    times += 1
    at = text.indexOf(word, at + word.length)
  }
  return times
}

/** A mail that hands over a number speaks of it more than once, by the same word. */
function labelFacts(label: string, { words }: Layout): readonly string[] {
  const stems = (label.toLowerCase().match(STEM) ?? []).slice(-LABEL_WORDS_MAX)
  const facts: string[] = []
  if (stems.some((stem) => words.isInSubject(stem)))
    facts.push('a word before it is in the subject')
  let most = 0
  for (const stem of stems) most = Math.max(most, words.timesInBody(stem))
  if (most > 1) facts.push('a word before it is repeated')
  if (most > 2) facts.push('a word before it is repeated often')
  return facts
}
