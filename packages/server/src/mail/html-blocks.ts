import { decodeEntities } from './html-entities.ts'
import { widen } from './html-source.ts'
import { isSpace } from './html-tokens.ts'
import { LINK_TEXT_CHARS_MAX, TEXT_CHARS_MAX } from './limits.ts'
import type { TextStyle } from './text-style.ts'

/** A stretch of text of one look and one link. */
export interface HtmlRun {
  /** Entities decoded, white space folded as a browser does; `\n` is a line break. */
  readonly text: string
  readonly source: 'text' | 'alt'
  /** Address of the link that the text lies in, as written. */
  readonly href: string | null
  readonly style: TextStyle
}

/** Where a table cell lies. Cells of one row have the same `row`, a number no other row has. */
export interface HtmlCell {
  readonly row: number
  readonly column: number
  /** The cell that the table itself lies in. */
  readonly parent: HtmlCell | null
}

/** Text that a browser lays out as one flow of lines: a paragraph, a table cell, a heading. */
export interface HtmlBlock {
  readonly runs: readonly HtmlRun[]
  /** Name of the nearest element that makes a block: `p`, `td`, `h1`, `li`, `div`. */
  readonly tag: string
  /** The nearest table cell around it, or what is laid out like one. */
  readonly cell: HtmlCell | null
  readonly isCentred: boolean
  /** What a list item begins with, `-` or `3.`, on the first block of the item. */
  readonly marker: string | null
  /** Whether an empty line lies between this block and the one before. */
  readonly hasGapBefore: boolean
}

/** A link with the text that it shows: the alternative text where it shows an image. */
export interface HtmlLink {
  readonly url: string
  readonly text: string
  /** How many blocks end before it: its place among the text. */
  readonly block: number
}

/** A link whose text is still being read. */
export interface MutableLink {
  readonly url: string
  readonly block: number
  readonly isHidden: boolean
  text: string
}

/** Where text stands: what its element tells about it. */
export interface TextPlace {
  readonly style: TextStyle
  /** The nearest element that lies on lines of its own. */
  readonly blockTag: string
  readonly cell: HtmlCell | null
  readonly link: MutableLink | null
}

/** What the edge of an element means for the text: nothing, a line's end, an empty line. */
export type Gap = 0 | 1 | 2

interface MutableRun extends HtmlRun {
  text: string
}

/** What a piece of text may need, as bits; most pieces need nothing. */
const HAS_ENTITY = 1
const HAS_WIDE = 2
const HAS_SPACES = 4
const UNFOLDED = /[\t\n\f\r]| {2}/
const SPACES = /[ \t\n\f\r]+/g

/** Gathers text into runs and runs into blocks, with the white space rules of browsers. */
export class BlockBuilder {
  readonly blocks: HtmlBlock[] = []
  readonly #isUtf8: boolean
  #runs: MutableRun[] = []
  #start: TextPlace | null = null
  /** Whether there is anything but spaces, those that do not break included. */
  #hasInk = false
  #marker: string | null = null
  #gap: Gap = 0
  #charsLeft = TEXT_CHARS_MAX
  // Hidden text is between the lines: spaces fold among visible text and among hidden text apart.
  #endsInSpace = true
  #hiddenEndsInSpace = true

  constructor(isUtf8: boolean) {
    this.#isUtf8 = isUtf8
  }

  /** True once there was more text than is kept. */
  get isFull(): boolean {
    return this.#charsLeft <= 0
  }

  /** Adds the text that lies in the HTML between `start` and `end`. */
  addText(
    html: string,
    range: { readonly start: number; readonly end: number },
    place: TextPlace,
  ): void {
    if (this.#charsLeft <= 0) return
    const { style } = place
    if (style.keepsSpace) {
      const written = html.slice(range.start, range.end)
      const text = decodeEntities(this.#isUtf8 ? widen(written) : written)
      this.#hasInk ||= text.trim() !== ''
      if (text !== '') this.#append(text.replace(/\r\n?/g, '\n'), 'text', place)
      return
    }
    // White space is looked at in place: most of what lies between tags is nothing else.
    let { start, end } = range
    while (start < end && isSpace(html.charCodeAt(start))) start += 1
    const endsInSpace = style.isHidden ? this.#hiddenEndsInSpace : this.#endsInSpace
    const before = start > range.start && !endsInSpace ? ' ' : ''
    if (start === end) {
      if (before !== '') this.#append(before, 'text', place)
      return
    }
    while (isSpace(html.charCodeAt(end - 1))) end -= 1
    const needs = needsOf(html, start, end)
    const written = html.slice(start, end)
    const text = needs === 0 ? written : this.#decode(written, needs)
    this.#hasInk ||= needs === 0 || text.trim() !== ''
    this.#append(before + (end < range.end ? `${text} ` : text), 'text', place)
  }

  #decode(text: string, needs: number): string {
    const wide = this.#isUtf8 && (needs & HAS_WIDE) !== 0 ? widen(text) : text
    if ((needs & HAS_ENTITY) !== 0) return foldSpace(decodeEntities(wide))
    return (needs & HAS_SPACES) !== 0 ? wide.replace(SPACES, ' ') : wide
  }

  /** Adds an image's alternative text. */
  addAlt(text: string, place: TextPlace): void {
    const folded = foldSpace(text).trim()
    if (folded === '') return
    this.#hasInk = true
    this.#append(folded, 'alt', place)
  }

  /** Adds what `<br>` makes: a line's end, or an empty line where there is nothing before it. */
  addBreak(place: TextPlace): void {
    if (this.#runs.length === 0) {
      this.#gap = 2
      return
    }
    this.#append('\n', 'text', place)
  }

  /** Ends the block; `gap` is what lies between it and the next. */
  endBlock(gap: Gap): void {
    if (this.#runs.length === 0) {
      if (gap > this.#gap) this.#gap = gap
      return
    }
    if (this.#endsInSpace || this.#hiddenEndsInSpace) trimEnd(this.#runs)
    if (this.#start !== null && this.#hasInk) {
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
    } else this.#gap = 2
    this.#runs = []
    this.#start = null
    this.#hasInk = false
    this.#endsInSpace = this.#hiddenEndsInSpace = true
  }

  /** The next block begins a list item with this mark; null when the item ended without any. */
  mark(marker: string | null): void {
    this.#marker = marker
  }

  #append(text: string, source: HtmlRun['source'], place: TextPlace): void {
    if (this.#charsLeft <= 0) return
    const kept = text.length > this.#charsLeft ? text.slice(0, this.#charsLeft) : text
    this.#charsLeft -= kept.length
    this.#start ??= place
    if (place.link !== null) this.#addToLink(kept, place)
    const { style } = place
    const href = place.link?.url ?? null
    const last = this.#runs.at(-1)
    if (last?.style === style && last.href === href && last.source === source) last.text += kept
    else this.#runs.push({ text: kept, source, href, style })
    const endsInSpace = isBreakable(kept.charCodeAt(kept.length - 1))
    if (style.isHidden) this.#hiddenEndsInSpace = endsInSpace
    else this.#endsInSpace = endsInSpace
  }

  /** Hidden text is no part of what a link shows, unless the whole link is hidden. */
  #addToLink(text: string, place: TextPlace): void {
    const { link } = place
    if (link === null || (place.style.isHidden && !link.isHidden)) return
    if (link.text.length >= LINK_TEXT_CHARS_MAX) return
    link.text += this.#runs.length === 0 ? ` ${text}` : text
  }
}

/** What decoding and folding the piece of text need to do, told in one look. */
function needsOf(html: string, start: number, end: number): number {
  let needs = 0
  let wasSpace = false
  for (let at = start; at < end; at += 1) {
    const code = html.charCodeAt(at)
    if (code > 127) needs |= HAS_WIDE
    else if (code === 38) needs |= HAS_ENTITY
    else if (code <= 32 && (code !== 32 || wasSpace)) needs |= HAS_SPACES
    wasSpace = code === 32
  }
  return needs
}

/** Each stretch of white space as the one space that a browser shows. */
export function foldSpace(text: string): string {
  return UNFOLDED.test(text) ? text.replace(SPACES, ' ') : text
}

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
