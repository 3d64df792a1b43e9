import { visitDeclarations } from './css-syntax.ts'
import { type Length, parseColour, parseLength, TRANSPARENT, UNKNOWN_COLOUR } from './css-values.ts'

/** How an element is laid out, as far as its text is concerned. */
export type Display = 'none' | 'block' | 'inline' | 'cell' | 'flex'

/** The declarations that matter for text; null means "not declared". */
export interface Declarations {
  display: Display | null
  /** Invisible with all descendants: no opacity, or text moved off the page. */
  isConcealed: boolean | null
  /** No height. Together with `isClipped` it conceals. */
  isFlat: boolean | null
  isClipped: boolean | null
  isAbsolute: boolean | null
  isOffPage: boolean | null
  isVisible: boolean | null
  isFloating: boolean | null
  fontSize: Length | null
  isBold: boolean | null
  isMonospace: boolean | null
  letterSpacing: Length | null
  colour: number | null
  background: number | null
  isCentred: boolean | null
  keepsSpace: boolean | null
}

/** No declarations. */
export const NO_DECLARATIONS: Readonly<Declarations> = blankDeclarations()

/** An object to fill. All have the same properties, which keeps property access fast. */
export function blankDeclarations(): Declarations {
  return {
    display: null,
    isConcealed: null,
    isFlat: null,
    isClipped: null,
    isAbsolute: null,
    isOffPage: null,
    isVisible: null,
    isFloating: null,
    fontSize: null,
    isBold: null,
    isMonospace: null,
    letterSpacing: null,
    colour: null,
    background: null,
    isCentred: null,
    keepsSpace: null,
  }
}

/** Merges both; `over` takes precedence. */
export function mergeDeclarations(
  under: Readonly<Declarations>,
  over: Readonly<Declarations>,
): Readonly<Declarations> {
  if (under === NO_DECLARATIONS) return over
  if (over === NO_DECLARATIONS) return under
  return {
    display: over.display ?? under.display,
    isConcealed: over.isConcealed ?? under.isConcealed,
    isFlat: over.isFlat ?? under.isFlat,
    isClipped: over.isClipped ?? under.isClipped,
    isAbsolute: over.isAbsolute ?? under.isAbsolute,
    isOffPage: over.isOffPage ?? under.isOffPage,
    isVisible: over.isVisible ?? under.isVisible,
    isFloating: over.isFloating ?? under.isFloating,
    fontSize: over.fontSize ?? under.fontSize,
    isBold: over.isBold ?? under.isBold,
    isMonospace: over.isMonospace ?? under.isMonospace,
    letterSpacing: over.letterSpacing ?? under.letterSpacing,
    colour: over.colour ?? under.colour,
    background: over.background ?? under.background,
    isCentred: over.isCentred ?? under.isCentred,
    keepsSpace: over.keepsSpace ?? under.keepsSpace,
  }
}

/** Characters of a value that are read: some patterns backtrack. */
const VALUE_CHARS_MAX = 500

/** Parses the content of a style attribute or of a rule's braces. */
export function parseDeclarations(css: string): Readonly<Declarations> {
  const read = blankDeclarations()
  visitDeclarations(css.toLowerCase(), (property, value) => {
    READERS.get(property)?.(withoutImportant(value.slice(0, VALUE_CHARS_MAX).trim()), read)
  })
  return read
}

function withoutImportant(value: string): string {
  const mark = value.indexOf('!')
  return mark < 0 ? value : value.slice(0, mark).trimEnd()
}

/** Parses the value of one property into the declarations of the style so far. */
type Reader = (value: string, read: Declarations) => void

const FONT_SIZES: ReadonlyMap<string, Length> = new Map(
  Object.entries({
    'xx-small': { value: 9, isRelative: false },
    'x-small': { value: 10, isRelative: false },
    small: { value: 13, isRelative: false },
    medium: { value: 16, isRelative: false },
    large: { value: 18, isRelative: false },
    'x-large': { value: 24, isRelative: false },
    'xx-large': { value: 32, isRelative: false },
    smaller: { value: 0.83, isRelative: true },
    larger: { value: 1.2, isRelative: true },
  }),
)

const MONOSPACE = /mono|courier|consol|menlo/

/** Text that is moved further than this is hidden on purpose. */
const OFF_PAGE_PX = -500

const readFlatness: Reader = (value, read) => {
  const length = parseLength(value)
  if (length !== null) read.isFlat = read.isFlat === true || length.value === 0
}

const readOffset: Reader = (value, read) => {
  if (isOffPage(value)) read.isOffPage = true
}

const readBackground: Reader = (value, read) => {
  if (value.includes('url(') || value.includes('gradient')) {
    read.background = UNKNOWN_COLOUR
    return
  }
  const word = /#[\da-f]+|rgba?\([^)]*\)|^[a-z]+/.exec(value)?.[0] ?? ''
  const colour = parseColour(word)
  const isNone = word === 'none' || word === 'inherit' || colour === TRANSPARENT
  if (!isNone) read.background = colour
}

/** `font: italic bold 14px/1.5 "Courier New", monospace`. */
const readFont: Reader = (value, read) => {
  read.isBold = /\b(?:bold|bolder|[6-9]00)\b/.test(value)
  read.isMonospace = MONOSPACE.test(value)
  const size = /(?:^|\s)(\d[\d.]*(?:px|pt|em|rem|%))/.exec(value)?.[1] ?? ''
  read.fontSize = parseLength(size) ?? read.fontSize
}

const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>(
  Object.entries<Reader>({
    display: (value, read) => {
      read.display = displayOf(value) ?? read.display
    },
    'flex-direction': (value, read) => {
      if (value.startsWith('column')) read.display = 'block'
    },
    visibility: (value, read) => {
      read.isVisible = value === 'inherit' ? null : value === 'visible'
    },
    opacity: (value, read) => {
      read.isConcealed = Number.parseFloat(value) === 0
    },
    'max-height': readFlatness,
    height: readFlatness,
    overflow: (value, read) => {
      read.isClipped = value.startsWith('hidden')
    },
    position: (value, read) => {
      read.isAbsolute = value === 'absolute' || value === 'fixed'
    },
    left: readOffset,
    top: readOffset,
    clip: (value, read) => {
      if (/^rect\(\s*[01](?:px)?[\s,]/.test(value)) read.isOffPage = true
    },
    'text-indent': (value, read) => {
      if (isOffPage(value)) read.isConcealed = true
    },
    float: (value, read) => {
      read.isFloating = value === 'left' || value === 'right'
    },
    'font-size': (value, read) => {
      read.fontSize = FONT_SIZES.get(value) ?? parseLength(value) ?? read.fontSize
    },
    'font-weight': (value, read) => {
      read.isBold = value.startsWith('bold') || Number(value) >= 600
    },
    'font-family': (value, read) => {
      read.isMonospace = MONOSPACE.test(value)
    },
    font: readFont,
    'letter-spacing': (value, read) => {
      read.letterSpacing = parseLength(value === 'normal' ? '0' : value)
    },
    color: (value, read) => {
      read.colour = value === 'inherit' ? null : parseColour(value)
    },
    'background-color': readBackground,
    background: readBackground,
    'background-image': (value, read) => {
      if (value !== 'none') read.background = UNKNOWN_COLOUR
    },
    'text-align': (value, read) => {
      read.isCentred = value.endsWith('center')
    },
    'white-space': (value, read) => {
      read.keepsSpace = value.startsWith('pre') && value !== 'pre-line'
    },
  }),
)

function isOffPage(value: string): boolean {
  return (parseLength(value)?.value ?? 0) <= OFF_PAGE_PX
}

function displayOf(value: string): Display | null {
  if (value === 'none') return 'none'
  if (value === 'flex' || value === 'inline-flex') return 'flex'
  if (value === 'table-cell') return 'cell'
  if (value.startsWith('inline') || value === 'contents') return 'inline'
  const isBlock = value === 'block' || value === 'grid' || value === 'list-item'
  return isBlock || value.startsWith('table') ? 'block' : null
}
