/** What an element's name alone says about it. */
export interface ElementKind {
  /** In lower case; empty for an unknown element, which is read like `span`. */
  readonly name: string
  /** A small unique number; 0 for all unknown elements. */
  readonly id: number
  /** It is laid out on lines of its own. */
  readonly isBlock: boolean
  /** It has an empty line before and after it: `p`, `h1`, `ul`. */
  readonly hasMargin: boolean
  /** It has no content: `br`, `img`. */
  readonly isVoid: boolean
  /** Its content is not markup and not shown: `script`, `style`, `title`. */
  readonly isRaw: boolean
  /** An end tag inside it closes nothing outside it: table parts. */
  readonly isBoundary: boolean
  /** Its end tag closes it even if blocks inside it are still open: `b`, `font`, `a`. */
  readonly isFormatting: boolean
  /** Ids of the elements that its start tag closes. */
  readonly closes: readonly number[]
  /** The container outside which nothing is closed. */
  readonly within: string | null
}

const MARGIN = 'p h1 h2 h3 h4 h5 h6 ul ol dl blockquote pre figure menu fieldset hr'
const BLOCK = `${MARGIN} address article aside body caption center dd details dialog dir div dt
  footer form header hgroup html legend li main nav option section summary table tbody td tfoot th
  thead tr`
const VOID =
  'area base basefont br col embed frame hr img input keygen link meta param source track wbr'
const BROWSER_VOID = `${VOID} bgsound image`
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

/** Elements that have no content. */
export const VOID_ELEMENTS: readonly string[] = words(VOID)

/** Elements whose content is no markup, whether it is shown or not. */
export const RAW_TEXT_ELEMENTS: readonly string[] = words(`${RAW} plaintext textarea xmp`)

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
    words(
      `${BLOCK} ${BROWSER_VOID} ${RAW} ${BOUNDARY} ${FORMATTING} span sub sup label abbr kbd samp`,
    ),
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
      isVoid: words(BROWSER_VOID).includes(name),
      isRaw: words(RAW).includes(name),
      isBoundary: words(BOUNDARY).includes(name),
      isFormatting: words(FORMATTING).includes(name),
      closes: closes.map((closed) => NAMES.indexOf(closed) + 1),
      within,
    }
    return [name, kind]
  }),
)

/** Number of values of `ElementKind.id`. */
export const ELEMENT_KINDS = KINDS.size + 1

/** Longest name that `packName` packs into a small integer: six bits per character. */
export const PACKED_CHARS_MAX = 5

/**
 * The name between `start` and `end` as a number, the same in either case; -1 if it is no name.
 *
 * A mail has thousands of names, and a number is looked up faster than a new string.
 */
export function packName(text: string, start: number, end: number): number {
  let packed = 0
  for (let at = start; at < end; at += 1) {
    const code = text.charCodeAt(at)
    const letter = code | 32
    if (letter >= 97 && letter <= 122) packed = (packed << 6) | (letter - 96)
    else if (code >= 48 && code <= 57) packed = (packed << 6) | (code - 48 + 32)
    else return -1
  }
  return packed
}

const PACKED = new Map<number, ElementKind>()
for (const [name, kind] of KINDS) {
  if (name.length <= PACKED_CHARS_MAX) PACKED.set(packName(name, 0, name.length), kind)
}

/** The kind of the element with this lower-case name. */
export function elementKind(name: string): ElementKind {
  return KINDS.get(name) ?? UNKNOWN
}

/** The kind of the element with the name, in any case, between `start` and `end` of `html`. */
export function elementKindAt(html: string, start: number, end: number): ElementKind {
  if (end - start <= PACKED_CHARS_MAX) return PACKED.get(packName(html, start, end)) ?? UNKNOWN
  return elementKind(html.slice(start, end).toLowerCase())
}
