import {
  blankDeclarations,
  type Declarations,
  mergeDeclarations,
  NO_DECLARATIONS,
  parseDeclarations,
} from './css-declarations.ts'
import { StyleSheet } from './css-sheet.ts'
import { parseColour, UNKNOWN_COLOUR } from './css-values.ts'
import type { Tag } from './tag.ts'

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

/** Parsed style attributes that are cached for one mail. */
const CACHE_MAX = 2_000

/** The declarations of one mail: its style sheets and its attributes. */
export class Styles {
  readonly #sheet = new StyleSheet()
  readonly #inline = new Map<string, Readonly<Declarations>>()
  readonly #links = new Map<string, Readonly<Declarations>>()
  #lastLink: { readonly style: string; readonly declared: Readonly<Declarations> } | null = null

  /** Reads the content of a `<style>` element; it applies to the elements after it. */
  addSheet(css: string): void {
    this.#sheet.add(css)
    this.#links.clear()
    this.#lastLink = null
  }

  /** All declarations for the element of this tag; the more specific ones override the others. */
  declarationsOf(tag: Tag): Readonly<Declarations> {
    if (tag.kind.name === 'a' && tag.hasHref) return this.#ofLink(tag)
    return this.#merge(tag, TAG_STYLES.get(tag.kind.name) ?? NO_DECLARATIONS)
  }

  /** Cached by style attribute: the tags of links differ in their addresses only. */
  #ofLink(tag: Tag): Readonly<Declarations> {
    if (tag.class !== '' || tag.id !== '') return this.#merge(tag, LINK_STYLE)
    // Most links of a mail are styled as the one before.
    const last = this.#lastLink
    if (last !== null && last.style === tag.style) return last.declared
    const declared = this.#links.get(tag.style) ?? this.#merge(tag, LINK_STYLE)
    if (this.#links.size < CACHE_MAX) this.#links.set(tag.style, declared)
    this.#lastLink = { style: tag.style, declared }
    return declared
  }

  #merge(tag: Tag, ofKind: Readonly<Declarations>): Readonly<Declarations> {
    let found = ofKind
    if (hasPresentationalStyle(tag)) found = mergeDeclarations(found, presentationalStyle(tag))
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

function hasPresentationalStyle(tag: Tag): boolean {
  return (
    tag.align !== '' ||
    tag.bgcolor !== '' ||
    tag.background !== '' ||
    tag.hidden !== '' ||
    tag.kind.name === 'font'
  )
}

/** The declarations of presentational attributes such as `bgcolor`. */
function presentationalStyle(tag: Tag): Declarations {
  const style = blankDeclarations()
  // On a table or image `align` positions the element; its text stays as it is.
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
