/** How a run of text looks, with all that its ancestors, the style sheet and it itself declare. */
export interface TextStyle {
  /** A reader of the mail cannot see it. */
  readonly isHidden: boolean
  readonly fontSizePx: number
  readonly isBold: boolean
  readonly isMonospace: boolean
  readonly letterSpacingPx: number
  readonly isCentred: boolean
  /** White space stands as written: `pre`. */
  readonly keepsSpace: boolean
  /** 0xRRGGBB, or negative when it cannot be told. */
  readonly colour: number
  readonly background: number
  /** Hidden with all descendants, whatever they declare. */
  readonly isConcealed: boolean
  /** False by `visibility`, which descendants may turn on again. */
  readonly isVisible: boolean
}

/** What a mail starts with: black on white at 16 pixels. */
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
