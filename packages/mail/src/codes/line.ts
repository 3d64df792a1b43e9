import type { HtmlCell } from '../html/blocks.ts'
import type { TextStyle } from '../html/style.ts'

/** Where a line of the mail comes from. */
export type LineSource = 'subject' | 'html' | 'text' | 'preheader' | 'hidden'

/** A stretch of a line in one style, up to the next one's start. */
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
  /** Put together from characters that had a cell or a line each. */
  readonly isJoined: boolean
}
