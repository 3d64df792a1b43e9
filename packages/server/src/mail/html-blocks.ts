import type { TextStyle } from './html-style.ts'
import { LINK_TEXT_CHARS_MAX, TEXT_CHARS_MAX } from './limits.ts'

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

/** What the edge of an element means for the lines of text: nothing, a line's end, an empty line. */
export type Gap = 0 | 1 | 2

interface MutableRun extends HtmlRun {
  text: string
}

const SPACES = /[ \t\n\f\r]+/g

/** Gathers text into runs and runs into blocks, with the white space rules of browsers. */
export class BlockBuilder {
  readonly blocks: HtmlBlock[] = []
  #runs: MutableRun[] = []
  #start: TextPlace | null = null
  #marker: string | null = null
  #gap: Gap = 0
  #charsLeft = TEXT_CHARS_MAX
  // Hidden text is between the lines: spaces fold among visible text and among hidden text apart.
  #endsInSpace = true
  #hiddenEndsInSpace = true

  /** True once there was more text than is kept. */
  get isFull(): boolean {
    return this.#charsLeft <= 0
  }

  /** Adds text, its entities decoded already. */
  addText(text: string, place: TextPlace): void {
    const { style } = place
    if (style.keepsSpace) {
      this.#append(text.replace(/\r\n?/g, '\n'), 'text', place)
      return
    }
    const endsInSpace = style.isHidden ? this.#hiddenEndsInSpace : this.#endsInSpace
    const folded = foldSpace(text, endsInSpace)
    if (folded !== '') this.#append(folded, 'text', place)
  }

  /** Adds an image's alternative text. */
  addAlt(text: string, place: TextPlace): void {
    const folded = foldSpace(text, true).trimEnd()
    if (folded !== '') this.#append(folded, 'alt', place)
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
    if (gap === 0) return
    trimEnd(this.#runs)
    if (this.#start !== null && this.#runs.some((run) => run.text.trim() !== '')) {
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
    } else if (gap > this.#gap || this.#runs.length > 0) {
      this.#gap = this.#runs.length > 0 ? 2 : gap
    }
    if (this.#runs.length > 0) this.#runs = []
    this.#start = null
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

/** White space as a browser shows it; `afterSpace` when a space would double the one before. */
export function foldSpace(text: string, afterSpace: boolean): string {
  const start = spaceEnd(text)
  if (start === text.length) return afterSpace || start === 0 ? '' : ' '
  const rest = start === 0 ? text : text.slice(start)
  const folded = hasUnfoldedSpace(rest) ? rest.replace(SPACES, ' ') : rest
  return start > 0 && !afterSpace ? ` ${folded}` : folded
}

/** Where the white space at the start ends. */
function spaceEnd(text: string): number {
  let at = 0
  while (at < text.length && isSpace(text.charCodeAt(at))) at += 1
  return at
}

function hasUnfoldedSpace(text: string): boolean {
  let wasSpace = false
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code > 32) wasSpace = false
    else if (code !== 32 || wasSpace) return true
    else wasSpace = true
  }
  return false
}

function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13 && code !== 11)
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
