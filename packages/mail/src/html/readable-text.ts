import { PREVIEW_CHARS_MAX } from '../limits.ts'
import type { HtmlBlock } from './blocks.ts'
import type { HtmlReading } from './read.ts'

/**
 * What a reader sees of HTML, as plain text.
 *
 * Paragraphs are parted by an empty line, cells of a row by a space, items of a list begin with
 * their mark; images are their alternative text, hidden text is left out.
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

function visibleText(block: HtmlBlock): string {
  let text = ''
  for (const run of block.runs) if (!run.style.isHidden) text += run.text
  const plain = text.includes('\u00a0') ? text.replaceAll('\u00a0', ' ') : text
  const tidy = plain.includes(' \n') ? plain.replaceAll(' \n', '\n') : plain
  return NEVER_SEEN.test(tidy) ? tidy.replace(ALL_NEVER_SEEN, '').trim() : tidy.trim()
}

function separator(before: HtmlBlock, block: HtmlBlock): string {
  const { cell } = block
  const isBeside =
    cell !== null && before.cell?.row === cell.row && before.cell.column < cell.column
  if (isBeside) return ' '
  return block.hasGapBefore ? '\n\n' : '\n'
}

/** Characters that show nothing and change nothing around them: soft hyphens, padding. */
const NEVER_SEEN = /[\u034f\u00ad\u200b\u2060\ufeff]/
const ALL_NEVER_SEEN = new RegExp(NEVER_SEEN.source, 'g')

/**
 * White space and invisible characters in a row, with which senders fill up their preview text.
 *
 * One alone is left: Persian and Hindi are written with joiners and non-joiners.
 */
const PADDING =
  /[\u034f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\s]{2,}/g

/** Characters looked at for a preview: few, then more where padding takes up the first. */
const PREVIEW_LOOKS: readonly number[] = [2 * PREVIEW_CHARS_MAX, 8 * 1024]

/** The start of the text in one line, as lists of messages show it; null when there is none. */
export function previewOf(text: string): string | null {
  let line = ''
  for (const chars of PREVIEW_LOOKS) {
    line = foldPadding(text.slice(0, chars))
    if (line.length > PREVIEW_CHARS_MAX || text.length <= chars) break
  }
  if (line.length <= PREVIEW_CHARS_MAX) return line === '' ? null : line
  const cut = line.slice(0, PREVIEW_CHARS_MAX - 1)
  const isHalf = /[\ud800-\udbff]$/.test(cut)
  return `${(isHalf ? cut.slice(0, -1) : cut).trimEnd()}…`
}

function foldPadding(text: string): string {
  return text
    .replace(PADDING, (run) => (/\s/.test(run) ? ' ' : ''))
    .replace(ALL_NEVER_SEEN, '')
    .replace(/\s/g, ' ')
    .trim()
}

/** Plain text as HTML, for a mail that mixes both. */
export function textToHtml(text: string): string {
  if (text === '') return ''
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return `<div style="white-space:pre-wrap">${escaped}</div>`
}
