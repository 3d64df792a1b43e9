import { type Declarations, NO_DECLARATIONS } from './css-declarations.ts'
import { looksAlike } from './css-values.ts'

/** Text of this size or less is meant for machines, not for readers. */
const UNREADABLE_PX = 1

/** The computed style of a run of text. */
export interface TextStyle {
  /** Invisible to a reader of the mail. */
  readonly isHidden: boolean
  readonly fontSizePx: number
  readonly isBold: boolean
  readonly isMonospace: boolean
  readonly letterSpacingPx: number
  readonly isCentred: boolean
  /** White space is kept as written: `pre`. */
  readonly keepsSpace: boolean
  /** 0xRRGGBB, or negative when it is unknown. */
  readonly colour: number
  readonly background: number
  /** Hidden with all descendants, whatever they declare. */
  readonly isConcealed: boolean
  /** False by `visibility`, which descendants may override. */
  readonly isVisible: boolean
}

/** The initial style: black on white at 16 pixels. */
export const ROOT_STYLE: TextStyle = {
  isHidden: false,
  fontSizePx: 16,
  isBold: false,
  isMonospace: false,
  letterSpacingPx: 0,
  isCentred: false,
  keepsSpace: false,
  colour: 0x000000,
  background: 0xffffff,
  isConcealed: false,
  isVisible: true,
}

/** The style of an element with these declarations inside an element of style `parent`. */
export function inheritStyle(parent: TextStyle, own: Readonly<Declarations>): TextStyle {
  if (own === NO_DECLARATIONS) return parent
  const fontSizePx = sizeOf(own.fontSize, parent.fontSizePx, parent.fontSizePx)
  const colour = own.colour ?? parent.colour
  const background = own.background ?? parent.background
  const isConcealed = parent.isConcealed || conceals(own)
  const isVisible = own.isVisible ?? parent.isVisible
  return {
    isHidden:
      isConcealed || !isVisible || fontSizePx <= UNREADABLE_PX || looksAlike(colour, background),
    fontSizePx,
    isBold: own.isBold ?? parent.isBold,
    isMonospace: own.isMonospace ?? parent.isMonospace,
    letterSpacingPx: sizeOf(own.letterSpacing, fontSizePx, parent.letterSpacingPx),
    isCentred: own.isCentred ?? parent.isCentred,
    keepsSpace: own.keepsSpace ?? parent.keepsSpace,
    colour,
    background,
    isConcealed,
    isVisible,
  }
}

function sizeOf(length: Declarations['fontSize'], relativeTo: number, otherwise: number): number {
  if (length === null) return otherwise
  return length.isRelative ? length.value * relativeTo : length.value
}

function conceals(own: Readonly<Declarations>): boolean {
  return (
    own.display === 'none' ||
    own.isConcealed === true ||
    (own.isFlat === true && own.isClipped === true) ||
    (own.isOffPage === true && own.isAbsolute === true)
  )
}
