import type { Gap, TextPlace } from './blocks.ts'
import type { Display } from './css-declarations.ts'
import { ELEMENT_KINDS, type ElementKind, elementKind } from './elements.ts'
import { ROOT_STYLE } from './text-style.ts'

/** An element whose end tag has not come yet. */
export interface OpenElement extends TextPlace {
  readonly kind: ElementKind
  /** Lies on lines of its own, by its name or by its style. */
  readonly isBlock: boolean
  readonly display: Display | null
  /** Number of the row that its children are cells of; 0 until one of them is. */
  row: number
  /** Children counted so far: cells of a row, items of a list. */
  children: number
  /** Kept by the stack: where the element of the same kind below it lies; -1 for none. */
  sameBelow: number
  /** Where the nearest boundary lies, and the nearest element that `</span>` cannot reach past. */
  boundary: number
  special: number
}

const P = elementKind('p')
const TABLE = elementKind('table')
const UL = elementKind('ul')
const OL = elementKind('ol')
const TABLE_PARTS = new Set(
  ['td', 'th', 'tr', 'tbody', 'thead', 'tfoot', 'caption'].map((name) => elementKind(name)),
)

/**
 * The open elements, outermost first, with the rules by which HTML closes them.
 *
 * Every question is answered from indexes, so that a mail of unmatched tags costs no more than
 * one of matched tags.
 */
export class OpenElements {
  readonly #stack: OpenElement[] = []
  /** Where the innermost open element of each kind lies; -1 for none. */
  readonly #last = new Int16Array(ELEMENT_KINDS).fill(-1)
  readonly #root: OpenElement = {
    kind: elementKind(''),
    style: ROOT_STYLE,
    isBlock: true,
    blockTag: 'body',
    cell: null,
    link: null,
    display: null,
    row: 0,
    children: 0,
    sameBelow: -1,
    boundary: -1,
    special: -1,
  }
  /** The innermost open element. */
  top: OpenElement = this.#root

  get depth(): number {
    return this.#stack.length
  }

  push(element: OpenElement): void {
    const { kind } = element
    const index = this.#stack.length
    element.sameBelow = this.#lastOf(kind)
    element.boundary = kind.isBoundary ? index : this.top.boundary
    element.special = kind.isBlock || kind.isBoundary ? index : this.top.special
    this.#stack.push(element)
    this.#last[kind.id] = index
    this.top = element
  }

  /** Closes what the start of such an element implies to be closed: a `p`, the cell before. */
  closeBefore(kind: ElementKind): Gap {
    let gap: Gap = 0
    if (kind.isBlock) gap = this.#closeAbove(P.id, this.top.boundary)
    if (kind.closes.length === 0) return gap
    const floor = kind.within === null ? this.top.boundary : this.#container(kind.within)
    for (const id of kind.closes) gap = wider(gap, this.#closeAbove(id, floor))
    return gap
  }

  /** Closes by an end tag; one that matches nothing open does nothing. */
  close(kind: ElementKind): Gap {
    if (kind === TABLE) return this.#closeAbove(kind.id, -1)
    if (TABLE_PARTS.has(kind) || kind.isBoundary)
      return this.#closeAbove(kind.id, this.#lastOf(TABLE))
    const isNear = kind.isBlock || kind.isFormatting
    return this.#closeAbove(kind.id, isNear ? this.top.boundary : this.top.special)
  }

  #container(within: string): number {
    if (within !== 'list') return this.#lastOf(elementKind(within))
    return Math.max(this.#lastOf(UL), this.#lastOf(OL), this.top.boundary)
  }

  #lastOf(kind: ElementKind): number {
    return this.#last[kind.id] ?? -1
  }

  /** Closes the innermost of a kind with all inside it, unless it lies at or below `floor`. */
  #closeAbove(id: number, floor: number): Gap {
    const index = this.#last[id] ?? -1
    if (index < 0 || index <= floor) return 0
    let gap: Gap = 0
    while (this.#stack.length > index) {
      const element = this.#stack.pop()
      if (element === undefined) break
      this.#last[element.kind.id] = element.sameBelow
      gap = wider(gap, gapOf(element))
    }
    this.top = this.#stack[index - 1] ?? this.#root
    return gap
  }
}

/** The gap that the element makes before itself and behind. */
export function gapOf(element: OpenElement): Gap {
  if (!element.isBlock) return 0
  return element.kind.hasMargin ? 2 : 1
}

function wider(one: Gap, other: Gap): Gap {
  return one > other ? one : other
}
