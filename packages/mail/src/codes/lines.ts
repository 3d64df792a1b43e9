import type { HtmlBlock, HtmlCell } from '../html/blocks.ts'
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

/** Text from this size on is set off. */
export const LARGE_PX = 20

/** The style at a position of a line; null if it has none. */
export function styleAt({ stretches }: Line, at: number): StyledStretch | null {
  let found: StyledStretch | null = null
  for (const stretch of stretches) {
    if (stretch.start > at) break
    found = stretch
  }
  return found
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

/** A line without a style. */
function plainLine(text: string, source: LineSource): OpenedLine {
  const clear = readable(text.slice(0, LINE_CHARS_MAX))
  return { text: clear, source, ...UNSTYLED }
}

const UNSTYLED = { stretches: [], cell: null, isCentred: false, isJoined: false, first: 0 }

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

function addBlock({ runs, cell, isCentred }: HtmlBlock, lines: OpenedLine[], charsMax: number) {
  let text = ''
  let stretches: StyledStretch[] = []
  const end = (): void => {
    if (text.trim() !== '') {
      lines.push({ text, source: 'html', stretches, cell, isCentred, isJoined: false, first: 0 })
    }
    text = ''
    stretches = []
  }
  let hidden = ''
  let chars = 0
  for (const { text: raw, style, href, source } of runs) {
    if (chars >= charsMax) break
    const added = readable(raw.slice(0, charsMax - chars))
    chars += added.length
    if (style.isHidden) {
      hidden += added
      continue
    }
    // The alternative text replaces an image beside the text, not a word in it.
    if (source === 'alt') end()
    for (const [at, part] of added.split('\n').entries()) {
      if (at > 0) end()
      if (text.length >= LINE_CHARS_MAX) continue
      stretches.push({ start: text.length, style, isLink: href !== null })
      text += part
    }
    if (source === 'alt') end()
  }
  end()
  if (hidden.trim() !== '') {
    const isFirst = lines.every((other) => other.source !== 'html')
    lines.push(plainLine(hidden, isFirst ? 'preheader' : 'hidden'))
  }
  return chars
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

/** Characters of a code that has a cell, a span or a line for each of them. */
const PIECES_MIN = 4
const PIECES_MAX = 12

/** A group of a code that has a cell for each of them. */
const GROUP =
  /^\s*(?:[\dA-Z](?: [\dA-Z]){2}|[\dA-Z]{2}|\d{3,4}|(?=[A-Z]*\d)[\dA-Z]{3,4}|[B-DF-HJ-NP-TV-XZ]{3,4})\s*$/

/** A group that has a line of its own. */
const LINE_GROUP = /^\s*(?:\d{3,4}|\d(?: \d){2}|[\dA-Z]{2})\s*$/

/** Characters of a line that is a part of a code. */
const PART_CHARS_MAX = 12

/** Joins a code that is split into boxes for single characters, or for groups of them. */
function joinSplitCodes(lines: readonly OpenedLine[]): readonly OpenedLine[] {
  const parts = lines.map(partOf)
  if (parts.every((part) => part === '')) return lines
  const joined: OpenedLine[] = []
  for (let at = 0; at < lines.length; ) {
    const end = endOfParts(lines, parts, at)
    const own = parts.slice(at, end).filter((part) => part !== '')
    const first = lines[at]
    if (first !== undefined && areOneCode(own, first.cell !== null)) {
      joined.push({ ...first, text: own.join(''), isJoined: true })
    } else joined.push(...lines.slice(at, end))
    at = end
  }
  return joined
}

/** One letter or digit, or a group; empty for other lines. */
function partOf({ text, cell }: Line): string {
  if (text.length > PART_CHARS_MAX) return ''
  const signs = Array.from(text).filter((sign) => isVisible(kindAt(sign, 0)))
  if (signs.length === 1) return /[\p{L}\p{Nd}]/u.test(signs[0] ?? '') ? signs.join('') : ''
  return (cell === null ? LINE_GROUP : GROUP).test(text) ? text.replaceAll(/\s/g, '') : ''
}

function isVisible(kind: number): boolean {
  return kind !== KIND.nothing && kind !== KIND.space
}

/** Where parts of one length end, side by side; dashes may have boxes of their own between. */
function endOfParts(lines: readonly Line[], parts: readonly string[], start: number): number {
  const first = lines[start]
  const length = parts[start]?.length ?? 0
  let end = start + 1
  for (let at = end; length > 0 && at < lines.length; at += 1) {
    const line = lines[at]
    if (line === undefined || line.source !== first?.source) break
    if (DIVIDER.test(line.text)) continue
    if (parts[at]?.length !== length) break
    if (length > 1 && line.cell?.row !== first.cell?.row) break
    end = at + 1
  }
  return end
}

const DIVIDER = /^\s*[-–—·•.]\s*$/

/** Pairs may be three or four, of which only digits may be two; longer groups two or three. */
function areOneCode(parts: readonly string[], areCells: boolean): boolean {
  const { length } = parts
  const all = parts.join('')
  if (all.length === length) return length >= PIECES_MIN && length <= PIECES_MAX
  if (parts[0]?.length !== 2) return length === 2 || (areCells && length === 3)
  if (/^\d+$/.test(all)) return areCells && length >= 2 && length <= 4
  return (length === 3 || length === 4) && /\d/.test(all)
}
