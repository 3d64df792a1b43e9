/** A colour that is set but unknown: an image, a gradient, a name that is not in our list. */
export const UNKNOWN_COLOUR = -1

/** Fully transparent. */
export const TRANSPARENT = -2

const NAMED_COLOURS: ReadonlyMap<string, number> = new Map(
  Object.entries({
    white: 0xffffff,
    black: 0x000000,
    red: 0xff0000,
    green: 0x008000,
    blue: 0x0000ff,
    gray: 0x808080,
    grey: 0x808080,
    silver: 0xc0c0c0,
    yellow: 0xffff00,
    orange: 0xffa500,
    navy: 0x000080,
    snow: 0xfffafa,
    whitesmoke: 0xf5f5f5,
    lightgray: 0xd3d3d3,
    lightgrey: 0xd3d3d3,
    transparent: TRANSPARENT,
  }),
)

/** From this alpha value on a colour counts as opaque. */
const OPAQUE_ALPHA = 0.9

/** A length: pixels, or relative to the font size. */
export interface Length {
  readonly value: number
  readonly isRelative: boolean
}

const ABSOLUTE_UNITS: ReadonlyMap<string, number> = new Map(
  Object.entries({
    '': 1,
    px: 1,
    pt: 4 / 3,
    rem: 16,
    in: 96,
    cm: 37.8,
    mm: 3.78,
    pc: 16,
  }),
)

const RELATIVE_UNITS: ReadonlyMap<string, number> = new Map(
  Object.entries({ em: 1, '%': 0.01, ex: 0.5, ch: 0.5 }),
)

/** Parses `14px`, `1.5em`, `0`, `120%`; the value must be in lower case and trimmed. */
export function parseLength(value: string): Length | null {
  const number = Number.parseFloat(value)
  if (Number.isNaN(number)) return null
  const unit = value.replace(/^[-+.\de]*\d\.?/, '')
  const absolute = ABSOLUTE_UNITS.get(unit)
  if (absolute !== undefined) return { value: number * absolute, isRelative: false }
  const relative = RELATIVE_UNITS.get(unit)
  return relative === undefined ? null : { value: number * relative, isRelative: true }
}

/** Parses `#fff`, `#ffffff`, `rgb(…)`, `rgba(…)` and common names into 0xRRGGBB. */
export function parseColour(value: string): number {
  const named = NAMED_COLOURS.get(value)
  if (named !== undefined) return named
  if (value.startsWith('#')) return parseHexColour(value)
  if (value.startsWith('rgb')) return parseRgbColour(value)
  return UNKNOWN_COLOUR
}

/** Whether text of this colour is invisible on this background. */
export function looksAlike(colour: number, background: number): boolean {
  if (colour < 0 || background < 0) return colour === TRANSPARENT
  return (
    differsLittle(colour >> 16, background >> 16) &&
    differsLittle((colour >> 8) & 255, (background >> 8) & 255) &&
    differsLittle(colour & 255, background & 255)
  )
}

function differsLittle(one: number, other: number): boolean {
  return Math.abs(one - other) <= 8
}

function parseHexColour(value: string): number {
  const digits = value.slice(1)
  if (!/^[\da-f]+$/.test(digits)) return UNKNOWN_COLOUR
  if (digits.length === 6) return Number.parseInt(digits, 16)
  if (digits.length === 8) {
    const alpha = Number.parseInt(digits.slice(6), 16) / 255
    return withAlpha(Number.parseInt(digits.slice(0, 6), 16), alpha)
  }
  if (digits.length !== 3) return UNKNOWN_COLOUR
  const [red = '', green = '', blue = ''] = digits
  return Number.parseInt(red + red + green + green + blue + blue, 16)
}

function parseRgbColour(value: string): number {
  const [red, green, blue, alpha] = value
    .slice(value.indexOf('(') + 1)
    .split(/[\s,/)]+/, 4)
    .map(Number.parseFloat)
  if (red === undefined || green === undefined || blue === undefined) return UNKNOWN_COLOUR
  const packed = (red << 16) | (green << 8) | blue
  const colour = packed >= 0 && packed <= 0xffffff ? packed : UNKNOWN_COLOUR
  return withAlpha(colour, alpha === undefined || Number.isNaN(alpha) ? 1 : alpha)
}

/** A translucent colour is known only if it is nearly opaque or fully transparent. */
function withAlpha(colour: number, alpha: number): number {
  if (alpha === 0) return TRANSPARENT
  return alpha >= OPAQUE_ALPHA ? colour : UNKNOWN_COLOUR
}
