import type { Gap, TextContext } from './blocks.ts'
import type { Display } from './css-declarations.ts'
import { ELEMENT_KINDS, type ElementKind, elementKind } from './elements.ts'
import { ROOT_STYLE } from './text-style.ts'

/** An element that is not closed yet. */
export interface OpenElement extends TextContext {
  readonly kind: ElementKind
  /** Laid out on lines of its own, by its name or by its style. */
  readonly isBlock: boolean
  readonly display: Display | null
  /** Number of the row whose cells its children are; 0 until it has a cell. */
  row: number
  /** Children counted so far: cells of a row, items of a list. */
  children: number
  // Set by `push`, as indexes into the stack; -1 for none.
  /** The next outer element of the same kind. */
  sameBelow: number
  /** The innermost boundary element, itself included. */
  boundary: number
  /** The innermost element that an end tag such as `</span>` cannot close. */
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
 * All lookups use indexes, so that unmatched tags cost no more than matched tags.
 */
export class OpenElements {
  readonly #stack: OpenElement[] = []
  /** Index of the innermost open element of each kind; -1 for none. */
  readonly #last = new Array<number>(ELEMENT_KINDS).fill(-1)
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

  /** Closes the elements that a start tag of this kind closes: a `p`, the previous cell. */
  closeBefore(kind: ElementKind): Gap {
    let gap: Gap = 0
    if (kind.isBlock) gap = this.#closeAbove(P.id, this.top.boundary)
    if (kind.closes.length === 0) return gap
    const floor = kind.within === null ? this.top.boundary : this.#container(kind.within)
    for (const id of kind.closes) gap = wider(gap, this.#closeAbove(id, floor))
    return gap
  }

  /** Handles an end tag; one that matches no open element has no effect. */
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

  /** Closes the innermost element of a kind with its content, if it is above index `floor`. */
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

/** The gap before and after the element. */
export function gapOf(element: OpenElement): Gap {
  if (!element.isBlock) return 0
  return element.kind.hasMargin ? 2 : 1
}

function wider(one: Gap, other: Gap): Gap {
  return one > other ? one : other
}
