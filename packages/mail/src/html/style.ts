import type { Tag } from './attributes.ts'
import {
  blankDeclarations,
  type Declarations,
  mergeDeclarations,
  NO_DECLARATIONS,
  parseDeclarations,
} from './css-declarations.ts'
import { StyleSheet } from './css-sheet.ts'
import { looksAlike, parseColour, UNKNOWN_COLOUR } from './css-values.ts'
import type { TextStyle } from './text-style.ts'

export type { TextStyle } from './text-style.ts'

/** Text of this size or less is there to be found by machines and not to be read. */
const UNREADABLE_PX = 1

/** Pixels of `<font size=1>` to 7. */
const FONT_SIZES_PX: readonly number[] = [10, 10, 13, 16, 18, 24, 32, 48]

const TAG_STYLES: ReadonlyMap<string, Readonly<Declarations>> = new Map(
  Object.entries({
    'b strong': 'font-weight:bold',
    th: 'font-weight:bold;text-align:center',
    h1: 'font-weight:bold;font-size:2em',
    h2: 'font-weight:bold;font-size:1.5em',
    h3: 'font-weight:bold;font-size:1.17em',
    h4: 'font-weight:bold',
    h5: 'font-weight:bold;font-size:0.83em',
    h6: 'font-weight:bold;font-size:0.67em',
    'small sub sup': 'font-size:smaller',
    big: 'font-size:larger',
    'code kbd samp tt': 'font-family:monospace',
    'pre xmp': 'font-family:monospace;white-space:pre',
    textarea: 'white-space:pre',
    center: 'text-align:center',
    'template datalist': 'display:none',
  }).flatMap(([names, css]) => names.split(' ').map((name) => [name, parseDeclarations(css)])),
)

const LINK_STYLE: Readonly<Declarations> = { ...NO_DECLARATIONS, colour: 0x0000ee }

/** Style attributes whose reading is remembered within one mail. */
const CACHE_MAX = 2_000

/** Everything that one mail says about looks: its style sheets, and what attributes declare. */
export class Styles {
  readonly #sheet = new StyleSheet()
  readonly #inline = new Map<string, Readonly<Declarations>>()
  readonly #links = new Map<string, Readonly<Declarations>>()

  /** Reads the content of a `<style>` element; it counts for what follows. */
  addSheet(css: string): void {
    this.#sheet.add(css)
    this.#links.clear()
  }

  /** All that is declared for the element of this tag, the nearer word over the farther. */
  declarationsOf(tag: Tag): Readonly<Declarations> {
    if (tag.kind.name === 'a' && tag.hasHref) return this.#ofLink(tag)
    return this.#merge(tag, TAG_STYLES.get(tag.kind.name) ?? NO_DECLARATIONS)
  }

  /** Links have an address each, so that their tags differ where their looks do not. */
  #ofLink(tag: Tag): Readonly<Declarations> {
    if (tag.class !== '' || tag.id !== '') return this.#merge(tag, LINK_STYLE)
    const known = this.#links.get(tag.style)
    if (known !== undefined) return known
    const found = this.#merge(tag, LINK_STYLE)
    if (this.#links.size < CACHE_MAX) this.#links.set(tag.style, found)
    return found
  }

  #merge(tag: Tag, ofKind: Readonly<Declarations>): Readonly<Declarations> {
    let found = ofKind
    if (hasLegacyStyle(tag)) found = mergeDeclarations(found, legacyStyle(tag))
    found = mergeDeclarations(found, this.#sheet.match(tag.kind.name, tag.class, tag.id))
    return tag.style === '' ? found : mergeDeclarations(found, this.#parse(tag.style))
  }

  #parse(style: string): Readonly<Declarations> {
    const known = this.#inline.get(style)
    if (known !== undefined) return known
    const parsed = parseDeclarations(style)
    if (this.#inline.size < CACHE_MAX) this.#inline.set(style, parsed)
    return parsed
  }
}

/** The style of an element inside one of style `parent`. */
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

function hasLegacyStyle(tag: Tag): boolean {
  return (
    tag.align !== '' ||
    tag.bgcolor !== '' ||
    tag.background !== '' ||
    tag.hidden !== '' ||
    tag.kind.name === 'font'
  )
}

/** Looks declared by attributes, as mail has done since before style sheets. */
function legacyStyle(tag: Tag): Declarations {
  const style = blankDeclarations()
  // A centred table has its text where it was: its place is centred, not what it holds.
  if (tag.align !== '' && tag.kind.name !== 'table' && tag.kind.name !== 'img') {
    style.isCentred = tag.align.toLowerCase() === 'center' || tag.align.toLowerCase() === 'middle'
  }
  if (tag.bgcolor !== '') style.background = attributeColour(tag.bgcolor)
  if (tag.background !== '') style.background = UNKNOWN_COLOUR
  if (tag.hidden !== '') style.display = 'none'
  if (tag.kind.name === 'font') {
    if (tag.color !== '') style.colour = attributeColour(tag.color)
    if (tag.face !== '') style.isMonospace = parseDeclarations(`font:${tag.face}`).isMonospace
    style.fontSize = fontSizeOf(tag.size)
  }
  return style
}

function attributeColour(value: string): number {
  const colour = value.trim().toLowerCase()
  const parsed = parseColour(colour)
  return parsed === UNKNOWN_COLOUR ? parseColour(`#${colour}`) : parsed
}

function fontSizeOf(size: string): Declarations['fontSize'] {
  const number = Number.parseInt(size, 10)
  if (Number.isNaN(number)) return null
  const isStep = size.trimStart().startsWith('+') || size.trimStart().startsWith('-')
  const index = Math.min(Math.max(isStep ? 3 + number : number, 1), 7)
  return { value: FONT_SIZES_PX[index] ?? 16, isRelative: false }
}
