import { CSS_CHARS_MAX } from '../limits.ts'
import {
  blankDeclarations,
  type Declarations,
  mergeDeclarations,
  NO_DECLARATIONS,
  parseDeclarations,
} from './css-declarations.ts'
import { rules, withoutComments } from './css-syntax.ts'
import { UNKNOWN_COLOUR } from './css-values.ts'

/** Classes of one element that are matched. */
const CLASSES_MAX = 20

/** Cached matches; further elements are matched anew each time. */
const CACHE_MAX = 2_000

const SIMPLE_SELECTOR = /^(?:\*|[a-z][a-z0-9]*)?(?:[.#][\w-]+)?$/i
const LAST_COMPOUND = /[\s>+~]((?:[a-z][a-z0-9]*)?(?:[.#][\w-]+)?)$/i

/**
 * The rules of a mail's `<style>` elements that select by tag, class or id alone.
 *
 * If a rule with another selector sets a background, the background of the elements that it may
 * match is unknown, so that white text on a button does not count as hidden. Rules inside `@media`
 * and other at-rules are ignored: they are for other screens.
 */
export class StyleSheet {
  readonly #rules = new Map<string, Readonly<Declarations>>()
  readonly #matches = new Map<string, Readonly<Declarations>>()
  #charsLeft = CSS_CHARS_MAX

  /** Adds the rules of one `<style>` element. */
  add(css: string): void {
    const text = withoutComments(css.slice(0, this.#charsLeft))
    this.#charsLeft -= Math.min(css.length, this.#charsLeft)
    this.#matches.clear()
    for (const { prelude, block } of rules(text)) {
      if (!prelude.startsWith('@')) this.#addRule(prelude, parseDeclarations(block))
    }
  }

  /** The declarations for an element with this lower-case name, these classes and this id. */
  match(name: string, classes: string, id: string): Readonly<Declarations> {
    if (this.#rules.size === 0) return NO_DECLARATIONS
    const key = classes === '' && id === '' ? name : `${name} ${classes}#${id}`
    const known = this.#matches.get(key)
    if (known !== undefined) return known
    const found = this.#look(name, classes, id)
    if (this.#matches.size < CACHE_MAX) this.#matches.set(key, found)
    return found
  }

  #look(name: string, classes: string, id: string): Readonly<Declarations> {
    let found = NO_DECLARATIONS
    const add = (key: string) => {
      found = mergeDeclarations(found, this.#rules.get(key) ?? NO_DECLARATIONS)
    }
    add('*')
    add(name)
    const list = classes === '' ? [] : classes.trim().split(/\s+/, CLASSES_MAX)
    for (const one of list) add(`.${one}`)
    for (const one of list) add(`${name}.${one}`)
    if (id !== '') {
      add(`#${id}`)
      add(`${name}#${id}`)
    }
    return found
  }

  #addRule(selectors: string, declarations: Readonly<Declarations>): void {
    for (const selector of selectors.split(',')) {
      const trimmed = selector.trim()
      if (trimmed === '') continue
      if (SIMPLE_SELECTOR.test(trimmed)) this.#merge(trimmed, declarations)
      else if (declarations.background !== null) {
        const last = LAST_COMPOUND.exec(trimmed)?.[1]
        if (last) this.#merge(last, { ...blankDeclarations(), background: UNKNOWN_COLOUR })
      }
    }
  }

  #merge(selector: string, declarations: Readonly<Declarations>): void {
    const mark = selector.search(/[.#]/)
    const name = mark < 0 ? selector : selector.slice(0, mark)
    const key = (name === '*' && mark >= 0 ? '' : name.toLowerCase()) + selector.slice(name.length)
    this.#rules.set(key, mergeDeclarations(this.#rules.get(key) ?? NO_DECLARATIONS, declarations))
  }
}
