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
