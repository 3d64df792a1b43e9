import { PACKED_CHARS_MAX, packName } from './names.ts'

/** What reading needs to know of an element by its name alone. */
export interface ElementKind {
  /** Lower-case; empty for an element that we know nothing of, which is read like `span`. */
  readonly name: string
  /** A small number of its own; 0 for all unknown elements together. */
  readonly id: number
  /** It begins and ends a line of its own. */
  readonly isBlock: boolean
  /** It keeps an empty line around itself: `p`, `h1`, `ul` and the like. */
  readonly hasMargin: boolean
  /** It never holds anything: `br`, `img`. */
  readonly isVoid: boolean
  /** What is inside is not markup and never shown: `script`, `style`, `title`. */
  readonly isRaw: boolean
  /** An end tag from inside closes nothing outside: table parts. */
  readonly isBoundary: boolean
  /** An end tag may close it although blocks inside it are still open: `b`, `font`, `a`. */
  readonly isFormatting: boolean
  /** The kinds, by id, whose open element a new one closes; and what keeps it out of reach. */
  readonly closes: readonly number[]
  readonly within: string | null
}

const MARGIN = 'p h1 h2 h3 h4 h5 h6 ul ol dl blockquote pre figure menu fieldset hr'
const BLOCK = `${MARGIN} address article aside body caption center dd details dialog dir div dt
  footer form header hgroup html legend li main nav option section summary table tbody td tfoot th
  thead tr`
const VOID = `area base basefont bgsound br col embed frame hr image img input keygen link meta
  param source track wbr`
const RAW = 'script style title iframe noembed noframes'
const BOUNDARY = 'table td th caption template button object marquee'
const FORMATTING = 'a b big code em font i nobr s small strike strong tt u'

const IMPLIED_ENDS: Readonly<Record<string, { closes: readonly string[]; within: string | null }>> =
  {
    a: { closes: ['a'], within: null },
    option: { closes: ['option'], within: null },
    li: { closes: ['li'], within: 'list' },
    dt: { closes: ['dt', 'dd'], within: 'dl' },
    dd: { closes: ['dt', 'dd'], within: 'dl' },
    td: { closes: ['td', 'th'], within: 'table' },
    th: { closes: ['td', 'th'], within: 'table' },
    tr: { closes: ['tr'], within: 'table' },
    tbody: { closes: ['tbody', 'thead', 'tfoot'], within: 'table' },
    thead: { closes: ['tbody', 'thead', 'tfoot'], within: 'table' },
    tfoot: { closes: ['tbody', 'thead', 'tfoot'], within: 'table' },
  }

const words = (list: string): readonly string[] => list.split(/\s+/)

const UNKNOWN: ElementKind = {
  name: '',
  id: 0,
  isBlock: false,
  hasMargin: false,
  isVoid: false,
  isRaw: false,
  isBoundary: false,
  isFormatting: false,
  closes: [],
  within: null,
}

const NAMES = [
  ...new Set(
    words(`${BLOCK} ${VOID} ${RAW} ${BOUNDARY} ${FORMATTING} span sub sup label abbr kbd samp`),
  ),
]

const KINDS: ReadonlyMap<string, ElementKind> = new Map(
  NAMES.map((name, index) => {
    const { closes = [], within = null } = IMPLIED_ENDS[name] ?? {}
    const kind: ElementKind = {
      name,
      id: index + 1,
      isBlock: words(BLOCK).includes(name),
      hasMargin: words(MARGIN).includes(name),
      isVoid: words(VOID).includes(name),
      isRaw: words(RAW).includes(name),
      isBoundary: words(BOUNDARY).includes(name),
      isFormatting: words(FORMATTING).includes(name),
      closes: closes.map((closed) => NAMES.indexOf(closed) + 1),
      within,
    }
    return [name, kind]
  }),
)

/** How many values `ElementKind.id` can have. */
export const ELEMENT_KINDS = KINDS.size + 1

const PACKED = new Map<number, ElementKind>()
for (const [name, kind] of KINDS) {
  if (name.length <= PACKED_CHARS_MAX) PACKED.set(packName(name, 0, name.length), kind)
}

/** The kind of the element with this lower-case name. */
export function elementKind(name: string): ElementKind {
  return KINDS.get(name) ?? UNKNOWN
}

/** The kind of the element whose name, in any case, stands in `html` from `start` to `end`. */
export function elementKindAt(html: string, start: number, end: number): ElementKind {
  // Nearly every name of a mail is short, and a number is found faster than a fresh string.
  if (end - start <= PACKED_CHARS_MAX) return PACKED.get(packName(html, start, end)) ?? UNKNOWN
  return elementKind(html.slice(start, end).toLowerCase())
}
