import type { HtmlBlock, HtmlCell, HtmlRun } from '../html/blocks.ts'
import type { HtmlReading } from '../html/read-html.ts'
import type { TextStyle } from '../html/text-style.ts'
import { KIND, kindAt } from './fold.ts'

/** Where a line of the mail comes from. */
type LineSource = 'subject' | 'html' | 'text' | 'preheader' | 'hidden'

/** A part of a line with one style, up to the start of the next part. */
export interface StyledStretch {
  readonly start: number
  readonly style: TextStyle
  readonly isLink: boolean
}

/** One line as a reader sees it: a paragraph, a table cell, a line of plain text. */
export interface Line {
  readonly text: string
  readonly source: LineSource
  readonly stretches: readonly StyledStretch[]
  readonly cell: HtmlCell | null
  readonly isCentred: boolean
  /** Joined from characters that had a cell or a line each. */
  readonly isJoined: boolean
  /** Index of the first line of the mail with the same text. */
  readonly first: number
}

/** A line whose place in the mail is not known yet. */
interface OpenedLine extends Line {
  first: number
}

/** The parts of a mail in which its code is searched. */
export interface OtpInput {
  readonly subject: string | null
  /** The plain text part. */
  readonly text: string | null
  readonly html: HtmlReading | null
}

/** Characters read of all parts together: mails with a code have a hundredth of it. */
export const READ_CHARS_MAX = 64 * 1024

/** Characters of HTML among these, so that the text part is read as well. */
const HTML_READ_CHARS_MAX = 40 * 1024

/** Characters of the subject that are read. */
const SUBJECT_CHARS_MAX = 1_000

/** Lines read of each part: mails with a code have fewer than a hundred. */
const LINES_MAX = 600

/** Characters read of one line: a paragraph has far fewer. */
const LINE_CHARS_MAX = 16 * 1024

/** The lines of a mail: the subject first, then the HTML, then the plain text. */
export function linesOf(input: OtpInput): readonly Line[] {
  const lines: OpenedLine[] = []
  if (input.subject !== null) {
    lines.push(plainLine(input.subject.slice(0, SUBJECT_CHARS_MAX).trim(), 'subject'))
  }
  let left = READ_CHARS_MAX
  if (input.html !== null) left -= addHtml(input.html, lines)
  if (input.text !== null) {
    const read = textLines(input.text.slice(0, left), LINES_MAX)
    lines.push(...joinSplitCodes(read.map((line) => plainLine(line, 'text'))))
  }
  findEqual(lines)
  return lines
}

/** Finds equal lines: the text part repeats most lines of the HTML. */
function findEqual(lines: readonly OpenedLine[]): void {
  const firsts = new Map<string, number>()
  for (const [index, line] of lines.entries()) {
    line.first = firsts.get(line.text) ?? index
    if (line.first === index) firsts.set(line.text, index)
  }
}

const NO_STRETCHES: readonly StyledStretch[] = []

/** A line without a style. */
function plainLine(text: string, source: LineSource): OpenedLine {
  const clear = readable(text.slice(0, LINE_CHARS_MAX))
  return {
    text: clear,
    source,
    stretches: NO_STRETCHES,
    cell: null,
    isCentred: false,
    isJoined: false,
    first: 0,
  }
}

/** Adds the lines of HTML; returns how many characters they have. */
function addHtml(reading: HtmlReading, lines: OpenedLine[]): number {
  const html: OpenedLine[] = []
  let left = HTML_READ_CHARS_MAX
  for (const block of reading.blocks) {
    if (left <= 0 || html.length >= LINES_MAX) break
    left -= addBlock(block, html, left)
  }
  lines.push(...joinSplitCodes(html))
  return HTML_READ_CHARS_MAX - left
}

function addBlock(block: HtmlBlock, lines: OpenedLine[], charsMax: number): number {
  const open = new OpenLine(block, lines)
  let hidden = ''
  let chars = 0
  for (const run of block.runs) {
    if (chars >= charsMax) break
    const text = readable(run.text.slice(0, charsMax - chars))
    chars += text.length
    if (run.style.isHidden) {
      hidden += text
      continue
    }
    // The alternative text replaces an image beside the text, not a word in it.
    if (run.source === 'alt') open.end()
    open.add(text, run)
    if (run.source === 'alt') open.end()
  }
  open.end()
  if (hidden.trim() !== '') {
    const isFirst = lines.every((other) => other.source !== 'html')
    lines.push(plainLine(hidden, isFirst ? 'preheader' : 'hidden'))
  }
  return chars
}

/** A line that the runs of a block are added to until it breaks. */
class OpenLine {
  readonly #block: HtmlBlock
  readonly #lines: OpenedLine[]
  #text = ''
  #stretches: StyledStretch[] | null = null

  constructor(block: HtmlBlock, lines: OpenedLine[]) {
    this.#block = block
    this.#lines = lines
  }

  add(text: string, { style, href }: HtmlRun): void {
    for (let start = 0; start <= text.length; ) {
      const at = text.indexOf('\n', start)
      const end = at < 0 ? text.length : at
      if (this.#text.length < LINE_CHARS_MAX) {
        const stretch = { start: this.#text.length, style, isLink: href !== null }
        // Nearly all lines have one: `push` would reserve memory for many.
        if (this.#stretches === null) this.#stretches = [stretch]
        else this.#stretches.push(stretch)
        this.#text += start === 0 && at < 0 ? text : text.slice(start, end)
      }
      if (at >= 0) this.end()
      start = end + 1
    }
  }

  end(): void {
    if (this.#text.trim() !== '') {
      const { cell, isCentred } = this.#block
      this.#lines.push({
        text: this.#text,
        source: 'html',
        stretches: this.#stretches ?? NO_STRETCHES,
        cell,
        isCentred,
        isJoined: false,
        first: 0,
      })
    }
    this.#text = ''
    this.#stretches = null
  }
}

/** Mathematical digits, bold or double-struck, and those in circles are digits to a reader. */
function readable(text: string): string {
  if (!SPECIAL.test(text)) return text
  return text.includes(MATHEMATICAL)
    ? text.normalize('NFKC')
    : text.replaceAll(CIRCLED_ALL, digitOf)
}

/** The first half of mathematical letters and digits. */
const MATHEMATICAL = '\ud835'

/** ①, ⑴, ❶, ➀, ➊, ⓵ and their zeros. */
const CIRCLED =
  /[\u2460-\u2468\u2474-\u247c\u24ea\u24f5-\u24fd\u24ff\u2776-\u277e\u2780-\u2788\u278a-\u2792]/
const CIRCLED_ALL = new RegExp(CIRCLED, 'g')
const SPECIAL = new RegExp(`${MATHEMATICAL}|${CIRCLED.source}`)
const CIRCLED_ONES = [0x2460, 0x2474, 0x24f5, 0x2776, 0x2780, 0x278a]

function digitOf(sign: string): string {
  const code = sign.charCodeAt(0)
  const one = CIRCLED_ONES.find((first) => code >= first && code < first + 9)
  return one === undefined ? '0' : String(code - one + 1)
}

/** A line of plain text of this length was wrapped by a program, not by its author. */
const WRAPPED_CHARS_MIN = 50

/**
 * The start of a list item, a quote, a separator or a label, which does not continue the line
 * before.
 */
const BEGINS_ANEW = /^(?:[-*•>#] |[-=_*#~]{3,}$|\||\d{1,2}[.)] |\p{Lu}[^:：.,!?]{1,24}[:：] )/u

/** The non-empty lines of plain text, wrapped lines joined. */
function textLines(text: string, linesMax: number): readonly string[] {
  const lines: string[] = []
  let isOpen = false
  for (let start = 0; start < text.length && lines.length < linesMax; ) {
    const at = text.indexOf('\n', start)
    const end = at < 0 ? text.length : at
    const line = text.slice(start, end).trim()
    start = end + 1
    if (line === '') {
      isOpen = false
      continue
    }
    const last = lines.length - 1
    if (isOpen && !BEGINS_ANEW.test(line)) lines[last] = `${lines[last]} ${line}`
    else lines.push(line)
    isOpen = line.length >= WRAPPED_CHARS_MIN
  }
  return lines
}

/** Length of a code that has a cell, a span or a line for each character. */
const PIECES_MIN = 4
const PIECES_MAX = 12

/** A group of a code that has a cell for each of them. */
const GROUP =
  /^\s*(?:[\dA-Z](?: [\dA-Z]){2}|[\dA-Z]{2}|\d{3,4}|(?=[A-Z]*\d)[\dA-Z]{3,4}|[B-DF-HJ-NP-TV-XZ]{3,4})\s*$/

/** A group that has a line of its own. */
const LINE_GROUP = /^\s*(?:\d{3,4}|\d(?: \d){2}|[\dA-Z]{2})\s*$/

/** Joins a code that is split into boxes for single characters, or for groups of them. */
function joinSplitCodes(lines: readonly OpenedLine[]): readonly OpenedLine[] {
  const whole = lines.some(isGroup) ? joinGroups(lines) : lines
  return whole.some(isPiece) ? joinPieces(whole) : whole
}

/** Two cells or more side by side with as many characters each: `123` and `456`. */
function joinGroups(lines: readonly OpenedLine[]): readonly OpenedLine[] {
  const joined: OpenedLine[] = []
  for (let at = 0; at < lines.length; ) {
    const first = lines[at]
    if (first === undefined) break
    let end = at + 1
    while (isGroup(first) && isBeside(first, lines[afterDivider(lines, end)])) {
      end = afterDivider(lines, end) + 1
    }
    const groups = lines.slice(at, end).filter((line) => line === first || !isDivider(line))
    const parts = groups.map((group) => group.text.replaceAll(/\s/g, ''))
    if (areOneCode(parts, first.cell !== null)) {
      joined.push(joinedLine(first, parts))
    } else joined.push(...lines.slice(at, end))
    at = end
  }
  return joined
}

function joinedLine(first: OpenedLine, parts: readonly string[]): OpenedLine {
  const text = parts.join('')
  return { ...first, text, isJoined: true }
}

/** Pairs may be three or four, of which only digits may be two; longer groups two or three. */
function areOneCode(parts: readonly string[], areCells: boolean): boolean {
  const { length } = parts
  if (parts[0]?.length !== 2) return length === 2 || (areCells && length === 3)
  const all = parts.join('')
  if (/^\d+$/.test(all)) return areCells && length >= 2 && length <= 4
  return (length === 3 || length === 4) && /\d/.test(all)
}

/** A dash may have a cell of its own between two groups. */
function afterDivider(lines: readonly Line[], at: number): number {
  const line = lines[at]
  return line !== undefined && isDivider(line) ? at + 1 : at
}

function isGroup({ text, cell }: Line): boolean {
  if (text.length > 12) return false
  return (cell === null ? LINE_GROUP : GROUP).test(text)
}

function isBeside(one: Line, other: Line | undefined): boolean {
  if (other === undefined || !isGroup(other) || one.source !== other.source) return false
  return one.cell?.row === other.cell?.row && one.text.trim().length === other.text.trim().length
}

function joinPieces(lines: readonly OpenedLine[]): readonly OpenedLine[] {
  const joined: OpenedLine[] = []
  for (let at = 0; at < lines.length; ) {
    const end = piecesEnd(lines, at)
    const pieces = lines.slice(at, end)
    const first = pieces[0]
    const code = pieces.filter(isPiece)
    if (first !== undefined && code.length >= PIECES_MIN && code.length <= PIECES_MAX) {
      joined.push(joinedLine(first, code.map(pieceOf)))
    } else {
      joined.push(...lines.slice(at, Math.max(end, at + 1)))
    }
    at = Math.max(end, at + 1)
  }
  return joined
}

function piecesEnd(lines: readonly Line[], start: number): number {
  let end = start
  for (let at = start; at < lines.length; at += 1) {
    const line = lines[at]
    if (line === undefined || line.source !== lines[start]?.source) break
    if (isPiece(line)) end = at + 1
    else if (!isDivider(line) || at === start) break
  }
  return end
}

/** One letter or digit, and nothing else that is visible. */
function isPiece(line: Line): boolean {
  return line.text.length <= 8 && pieceOf(line) !== ''
}

function pieceOf({ text }: Line): string {
  let piece = ''
  for (let at = 0; at < text.length; at += 1) {
    const kind = kindAt(text, at)
    if (kind === KIND.nothing || kind === KIND.space) continue
    const isSign = kind === KIND.digit || LETTER.test(text.charAt(at))
    if (!isSign || piece !== '') return ''
    piece = text.charAt(at)
  }
  return piece
}

const LETTER = /\p{L}/u

function isDivider({ text }: Line): boolean {
  return /^\s*[-–—·•.]\s*$/.test(text)
}
