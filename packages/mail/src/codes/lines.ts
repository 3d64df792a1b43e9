import type { HtmlBlock, HtmlRun } from '../html/blocks.ts'
import type { HtmlReading } from '../html/read.ts'
import type { Line, LineSource, StyledStretch } from './line.ts'
import { joinSplitCodes } from './split-codes.ts'
import { textLines } from './text-lines.ts'

/** What is read of a mail to find its code. */
export interface OtpInput {
  readonly subject: string | null
  /** The plain text part. */
  readonly text: string | null
  readonly html: HtmlReading | null
}

/** Characters looked at, over all parts: mails with a code are a hundredth of it. */
export const READ_CHARS_MAX = 64 * 1024

/** Characters that HTML may take of these, so that a text part behind it is seen as well. */
const HTML_CHARS_MAX = 40 * 1024

/** Characters of a subject line that are looked at. */
const SUBJECT_CHARS_MAX = 1_000

/** Lines read of each part: mails with a code have fewer than a hundred. */
const LINES_MAX = 1_000

/** The lines of a mail: the subject first, then the HTML, then the plain text. */
export function linesOf(input: OtpInput): readonly Line[] {
  const lines: Line[] = []
  if (input.subject !== null) {
    lines.push(plainLine(input.subject.slice(0, SUBJECT_CHARS_MAX).trim(), 'subject'))
  }
  let left = READ_CHARS_MAX
  if (input.html !== null) left -= addHtml(input.html, lines)
  if (input.text !== null) {
    const read = textLines(input.text.slice(0, left), LINES_MAX)
    lines.push(...joinSplitCodes(read.map((line) => plainLine(line, 'text'))))
  }
  return lines
}

/** A line without any look. */
function plainLine(text: string, source: LineSource): Line {
  const clear = readable(text)
  return { text: clear, source, stretches: [], cell: null, isCentred: false, isJoined: false }
}

/** Adds the lines of HTML; answers how many characters they have. */
function addHtml(reading: HtmlReading, lines: Line[]): number {
  const html: Line[] = []
  let left = HTML_CHARS_MAX
  for (const block of reading.blocks) {
    if (left <= 0 || html.length >= LINES_MAX) break
    left -= addBlock(block, html, left)
  }
  lines.push(...joinSplitCodes(html))
  return HTML_CHARS_MAX - left
}

function addBlock(block: HtmlBlock, lines: Line[], charsMax: number): number {
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
    // An image's text stands for a picture beside the text, not for a word in it.
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
  readonly #lines: Line[]
  #text = ''
  #stretches: StyledStretch[] = []

  constructor(block: HtmlBlock, lines: Line[]) {
    this.#block = block
    this.#lines = lines
  }

  add(text: string, { style, href }: HtmlRun): void {
    for (let start = 0; start <= text.length; ) {
      const at = text.indexOf('\n', start)
      const end = at < 0 ? text.length : at
      this.#stretches.push({ start: this.#text.length, style, isLink: href !== null })
      this.#text += start === 0 && at < 0 ? text : text.slice(start, end)
      if (at >= 0) this.end()
      start = end + 1
    }
  }

  end(): void {
    if (this.#text.trim() !== '') {
      const { cell, isCentred } = this.#block
      const line = { text: this.#text, stretches: this.#stretches, cell, isCentred }
      this.#lines.push({ ...line, source: 'html', isJoined: false })
    }
    this.#text = ''
    this.#stretches = []
  }
}

/** The digits that mathematics draws bold or doubled are digits to a reader. */
function readable(text: string): string {
  return text.includes('\ud835') ? text.normalize('NFKC') : text
}
