import { LINK_TEXT_CHARS_MAX, TEXT_CHARS_MAX } from '../limits.ts'
import type { HtmlSource } from './html-source.ts'
import { decodeText, withCommonDecoded } from './references.ts'
import { isSpace } from './scan-tag.ts'
import type { TextStyle } from './text-style.ts'

/** Text with one style and one link. */
export interface HtmlRun {
  /** Character references decoded, white space collapsed; `\n` is a line break. */
  readonly text: string
  readonly source: 'text' | 'alt'
  /** Address of the link around the text, as written. */
  readonly href: string | null
  readonly style: TextStyle
}

/** Position of a table cell. Cells of one row have the same `row`, unique in the document. */
export interface HtmlCell {
  readonly row: number
  readonly column: number
  /** The cell that contains the table. */
  readonly parent: HtmlCell | null
}

/** Text that a browser lays out together: a paragraph, a table cell, a heading. */
export interface HtmlBlock {
  readonly runs: readonly HtmlRun[]
  /** Name of the innermost block element: `p`, `td`, `h1`, `li`, `div`. */
  readonly tag: string
  /** The innermost table cell around it, or what is laid out like one. */
  readonly cell: HtmlCell | null
  readonly isCentred: boolean
  /** The marker of a list item, `-` or `3.`, on the first block of the item. */
  readonly marker: string | null
  /** Whether an empty line separates this block from the one before. */
  readonly hasGapBefore: boolean
}

/** A link whose text is still being read. */
export interface OpenLink {
  readonly url: string
  readonly block: number
  readonly isHidden: boolean
  text: string
}

/** The properties of an element that its text needs. */
export interface TextContext {
  readonly style: TextStyle
  /** Name of the innermost block element. */
  readonly blockTag: string
  readonly cell: HtmlCell | null
  readonly link: OpenLink | null
}

/** What the start or end of an element makes: nothing, a line break, an empty line. */
export type Gap = 0 | 1 | 2

interface MutableRun extends HtmlRun {
  text: string
}

/** What must be done to a piece of text, as bits; most pieces need nothing. */
const HAS_REFERENCE = 1
const HAS_NON_ASCII = 2
const HAS_SPACES = 4
const UNCOLLAPSED = /[\t\n\f\r]| {2}/
const SPACES = /[ \t\n\f\r]+/g

/** Builds runs and blocks from text, with the white space rules of browsers. */
export class BlockBuilder {
  readonly blocks: HtmlBlock[] = []
  readonly #source: HtmlSource
  #runs: MutableRun[] = []
  #lastRun: MutableRun | null = null
  #lastLink: OpenLink | null = null
  #start: TextContext | null = null
  /** Whether there is anything but spaces, non-breaking ones included. */
  #hasText = false
  #marker: string | null = null
  #gap: Gap = 0
  #charsLeft = TEXT_CHARS_MAX
  // Separate, so that hidden text does not affect how the white space around it collapses.
  readonly #visible: LineState = { isStarted: false, isSpaceDue: false }
  readonly #hidden: LineState = { isStarted: false, isSpaceDue: false }

  constructor(source: HtmlSource) {
    this.#source = source
  }

  /** Whether there was more text than is kept. */
  get isFull(): boolean {
    return this.#charsLeft <= 0
  }

  /** Adds the text between `from` and `to` of the source. */
  addText(from: number, to: number, context: TextContext): void {
    if (this.#charsLeft <= 0) return
    if (context.style.keepsSpace) {
      this.#addPreformatted(this.#source.chars.slice(from, to), context)
      return
    }
    // Trimmed before anything is copied: most text between tags is white space only.
    const html = this.#source.chars
    let start = from
    while (start < to && isSpace(html.charCodeAt(start))) start += 1
    const line = context.style.isHidden ? this.#hidden : this.#visible
    if (start > from) line.isSpaceDue = true
    if (start === to) return
    let end = to
    while (isSpace(html.charCodeAt(end - 1))) end -= 1
    const needs = needsOf(html, start, end)
    const written = html.slice(start, end)
    const text = needs === 0 ? written : this.#decode(written, needs)
    this.#hasText ||= needs === 0 || text.trim() !== ''
    this.#append(line.isSpaceDue && line.isStarted ? ` ${text}` : text, 'text', context)
    line.isStarted = true
    line.isSpaceDue = end < to
  }

  #addPreformatted(written: string, context: TextContext): void {
    const text = decodeText(this.#source.widen(written)).replace(/\r\n?/g, '\n')
    if (text === '') return
    this.#hasText ||= text.trim() !== ''
    this.#append(text, 'text', context)
    const line = context.style.isHidden ? this.#hidden : this.#visible
    line.isStarted = true
    line.isSpaceDue = false
  }

  #decode(text: string, needs: number): string {
    const wide = (needs & HAS_NON_ASCII) !== 0 ? this.#source.widen(text) : text
    const decoded = (needs & HAS_REFERENCE) !== 0 ? withCommonDecoded(wide) : wide
    if (decoded === null) return collapseSpace(decodeText(wide))
    return (needs & HAS_SPACES) !== 0 ? decoded.replace(SPACES, ' ') : decoded
  }

  /** Adds an image's alternative text. */
  addAlt(text: string, context: TextContext): void {
    const collapsed = collapseSpace(text).trim()
    if (collapsed === '' || this.#charsLeft <= 0) return
    const line = context.style.isHidden ? this.#hidden : this.#visible
    this.#hasText = true
    this.#append(line.isSpaceDue && line.isStarted ? ` ${collapsed}` : collapsed, 'alt', context)
    line.isStarted = true
    line.isSpaceDue = false
  }

  /** Adds a `<br>`: a line break, or an empty line if there is no text before it. */
  addBreak(context: TextContext): void {
    if (this.#runs.length === 0) {
      this.#gap = 2
      return
    }
    if (this.#charsLeft > 0) this.#append('\n', 'text', context)
    startLine(this.#visible)
    startLine(this.#hidden)
  }

  /** Ends the block; `gap` separates it from the next. */
  endBlock(gap: Gap): void {
    if (this.#runs.length === 0) {
      if (gap > this.#gap) this.#gap = gap
    } else {
      this.#finishBlock(gap)
      this.#runs = []
      this.#lastRun = null
      this.#start = null
      this.#hasText = false
    }
    startLine(this.#visible)
    startLine(this.#hidden)
  }

  #finishBlock(gap: Gap): void {
    if (!this.#visible.isStarted && !this.#hidden.isStarted) trimEnd(this.#runs)
    if (this.#start === null || !this.#hasText) {
      this.#gap = 2
      return
    }
    this.blocks.push({
      runs: this.#runs,
      tag: this.#start.blockTag,
      cell: this.#start.cell,
      isCentred: this.#start.style.isCentred,
      marker: this.#marker,
      hasGapBefore: this.#gap === 2,
    })
    this.#gap = gap
    this.#marker = null
  }

  /** Sets the list marker of the next block; null when the item ended without a block. */
  setMarker(marker: string | null): void {
    this.#marker = marker
  }

  #append(text: string, source: HtmlRun['source'], context: TextContext): void {
    const kept = text.length > this.#charsLeft ? text.slice(0, this.#charsLeft) : text
    this.#charsLeft -= kept.length
    this.#start ??= context
    if (context.link !== null) this.#addToLink(kept, context, context.link)
    const { style, link } = context
    const last = this.#lastRun
    const isSame = last !== null && last.style === style && last.source === source
    // Not by the address: two links with the same one have runs of their own.
    if (isSame && this.#lastLink === link) {
      last.text += kept
      return
    }
    this.#lastLink = link
    const run = { text: kept, source, href: link === null ? null : link.url, style }
    this.#lastRun = run
    // Most blocks have one: `push` would reserve memory for many.
    if (this.#runs.length === 0) this.#runs = [run]
    else this.#runs.push(run)
  }

  /** Hidden text is not part of a link's text, unless the whole link is hidden. */
  #addToLink(text: string, context: TextContext, link: OpenLink): void {
    if (context.style.isHidden && !link.isHidden) return
    if (link.text.length >= LINK_TEXT_CHARS_MAX) return
    link.text += this.#runs.length === 0 ? ` ${text}` : text
  }
}

/** The state of white space collapsing on the current line. */
interface LineState {
  /** There is text on the line: a space after it is visible. */
  isStarted: boolean
  /** There was white space, which is visible once more text follows on the line. */
  isSpaceDue: boolean
}

function startLine(line: LineState): void {
  line.isStarted = false
  line.isSpaceDue = false
}

/** What must be done to the piece of text, found in one pass. */
function needsOf(html: string, start: number, end: number): number {
  let needs = 0
  let wasSpace = false
  for (let at = start; at < end; at += 1) {
    const code = html.charCodeAt(at)
    if (code > 127) needs |= HAS_NON_ASCII
    else if (code === 38) needs |= HAS_REFERENCE
    else if (code <= 32 && (code !== 32 || wasSpace)) needs |= HAS_SPACES
    wasSpace = code === 32
  }
  return needs
}

/** Replaces each run of white space by one space, as a browser does. */
export function collapseSpace(text: string): string {
  return UNCOLLAPSED.test(text) ? text.replace(SPACES, ' ') : text
}

/** White space at the end of a block is invisible. */
function trimEnd(runs: MutableRun[]): void {
  for (let last = runs.at(-1); last !== undefined; last = runs.at(-1)) {
    const { text } = last
    let end = text.length
    while (end > 0 && isBreakable(text.charCodeAt(end - 1))) end -= 1
    if (end < text.length) last.text = text.slice(0, end)
    if (end > 0) return
    runs.pop()
  }
}

function isBreakable(code: number): boolean {
  return code === 32 || code === 10
}
