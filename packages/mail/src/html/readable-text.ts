import { PREVIEW_CHARS_MAX, TEXT_CHARS_MAX } from '../limits.ts'
import type { HtmlBlock, HtmlRun } from './blocks.ts'
import type { HtmlReading } from './read-html.ts'

/**
 * The visible text of HTML as plain text.
 *
 * Paragraphs are separated by an empty line, cells of a row by a space; list items begin with
 * their marker; images are replaced by their alternative text; hidden text is left out.
 */
export function readableText(reading: HtmlReading): string {
  let text = ''
  let before: HtmlBlock | null = null
  for (const block of reading.blocks) {
    const line = visibleText(block)
    if (line === '') continue
    if (before !== null) text += separator(before, block)
    text += block.marker === null ? line : `${block.marker} ${line}`
    before = block
  }
  return text
}

/**
 * The same text with the address of each link after the link, unless the link's text is its
 * address. `form` writes an address.
 */
export function readableTextWithUrls(reading: HtmlReading, form: (url: string) => string): string {
  const ends = linkEnds(reading)
  // A link may be left and entered again, so that its address is written more than once.
  let charsLeft = TEXT_CHARS_MAX
  const withUrl = (run: HtmlRun): HtmlRun => {
    const { href, text } = run
    if (href === null || !ends.has(run) || isWritten(href, text.trim())) return run
    charsLeft -= href.length
    if (charsLeft < 0) return run
    const words = text.trimEnd()
    return { ...run, text: `${words} ${form(href)}${text.slice(words.length)}` }
  }
  const blocks = reading.blocks.map((block) => ({ ...block, runs: block.runs.map(withUrl) }))
  return readableText({ ...reading, blocks })
}

/** The last visible run of each link, which may have several blocks. */
function linkEnds({ blocks }: HtmlReading): ReadonlySet<HtmlRun> {
  const visible = blocks
    .flatMap(({ runs }) => runs)
    .filter(({ style, text }) => !style.isHidden && text.trim() !== '')
  return new Set(visible.filter(({ href }, i) => href !== visible[i + 1]?.href))
}

function isWritten(url: string, text: string): boolean {
  return url === '' || url === text || url === `mailto:${text}`
}

function visibleText(block: HtmlBlock): string {
  let text = ''
  for (const run of block.runs) if (!run.style.isHidden) text += run.text
  const plain = text.includes('\u00a0') ? text.replaceAll('\u00a0', ' ') : text
  const tidy = plain.includes(' \n') ? plain.replaceAll(' \n', '\n') : plain
  return INVISIBLE.test(tidy) ? tidy.replace(ALL_INVISIBLE, '').trim() : tidy.trim()
}

function separator(before: HtmlBlock, block: HtmlBlock): string {
  const { cell } = block
  const isBeside =
    cell !== null && before.cell?.row === cell.row && before.cell.column < cell.column
  if (isBeside) return ' '
  return block.hasGapBefore ? '\n\n' : '\n'
}

/** Invisible characters that do not affect the characters around them: soft hyphens, padding. */
const INVISIBLE = /[\u034f\u00ad\u200b\u2060\ufeff]/
const ALL_INVISIBLE = new RegExp(INVISIBLE.source, 'g')

/**
 * Runs of white space and invisible characters, with which senders pad their preview text.
 *
 * A single one is kept: Persian and Hindi use joiners and non-joiners.
 */
const PADDING =
  /[\u034f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\s]{2,}/g

/** The same without white space: most text has none of these. */
const UNSEEN = /[\u034f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/

/** Characters read for one line of a longer text, if padding takes up those that are read first. */
const LINE_READ_CHARS = 8 * 1024

/** The beginning of the text in one line, for a list of messages; null if there is no text. */
export function previewOf(text: string): string | null {
  const line = lineOf(text, PREVIEW_CHARS_MAX + 1)
  if (line.length <= PREVIEW_CHARS_MAX) return line === '' ? null : line
  const cut = line.slice(0, PREVIEW_CHARS_MAX - 1)
  const isHalf = /[\ud800-\udbff]$/.test(cut)
  return `${(isHalf ? cut.slice(0, -1) : cut).trimEnd()}…`
}

/** The beginning of a text in one line, of this many characters or some more if it has as many. */
export function lineOf(text: string, chars: number): string {
  const line = collapsePadding(text.slice(0, 2 * chars))
  if (line.length >= chars || text.length <= 2 * chars) return line
  return collapsePadding(text.slice(0, LINE_READ_CHARS))
}

function collapsePadding(text: string): string {
  if (!UNSEEN.test(text)) return text.replace(/\s+/g, ' ').trim()
  return text
    .replace(PADDING, (run) => (/\s/.test(run) ? ' ' : ''))
    .replace(ALL_INVISIBLE, '')
    .replace(/\s/g, ' ')
    .trim()
}

/** Plain text as HTML, for a mail that has both. */
export function textToHtml(text: string): string {
  if (text === '') return ''
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return `<div style="white-space:pre-wrap">${escaped}</div>`
}
