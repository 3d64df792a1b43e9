import type { Line } from './lines.ts'
import type { Token } from './tokens.ts'

/** What a code is made of. */
export type Shape = 'digits' | 'mixed' | 'letters' | 'words'

/** A value with its place in a line. */
export interface PlacedValue {
  readonly value: string
  readonly shape: Shape
  readonly start: number
  readonly end: number
  readonly groups: number
  /** Letters before a dash that are not part of the code: `G-`. */
  readonly hasPrefix: boolean
}

/** A line that is searched for values. */
export interface SearchedLine extends Line {
  readonly tokens: readonly Token[]
  /** Positions of the first readable character, and behind the last. */
  readonly first: number
  readonly last: number
  /** The line above ends with a colon, or the line is nothing but a quotation. */
  readonly isLed: boolean
}
