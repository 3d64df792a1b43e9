import { CSS_CHARS_MAX } from '../limits.ts'
import { type Rule, rules, withoutComments } from './css-syntax.ts'
import { type ImageRule, safeStyle } from './safe-style.ts'

/** Characters of one selector, and of one media query, that are kept. */
const SELECTOR_CHARS_MAX = 500
const MEDIA = /^[\w\s():,.\-/%]{1,300}$/

/** Names, combinators and whole attribute selectors; nothing that ends a style element. */
const SELECTOR =
  /^(?:[\w\s.#*>+~:()-]|\[[\w-]+(?:[~|^$*]?=(?:"[^"<>\\{}]*"|'[^'<>\\{}]*'|[\w-]+))?\])+$/

/**
 * The safe rules of a style sheet: plain rules and those for media, with the declarations that are
 * safe in a style attribute. Imports, fonts, animations and all other at-rules are removed.
 */
export function safeSheet(css: string, image: ImageRule): string {
  return safeRules(withoutComments(css.slice(0, CSS_CHARS_MAX)), image, 'sheet')
}

function safeRules(css: string, image: ImageRule, inside: 'sheet' | 'media'): string {
  let kept = ''
  for (const rule of rules(css)) kept += safeRule(rule, image, inside)
  return kept
}

function safeRule({ prelude, block }: Rule, image: ImageRule, inside: 'sheet' | 'media'): string {
  if (prelude.startsWith('@')) {
    const query = /^@media\s+/i.test(prelude) ? prelude.slice('@media'.length).trim() : ''
    if (inside === 'media' || !MEDIA.test(query)) return ''
    const rules = safeRules(block, image, 'media')
    return rules === '' ? '' : `@media ${query}{${rules}}\n`
  }
  const selectors = prelude.split(',').map((selector) => selector.trim())
  const safe = selectors.filter((one) => one.length <= SELECTOR_CHARS_MAX && SELECTOR.test(one))
  const declarations = safe.length === 0 ? '' : safeStyle(block, image)
  return declarations === '' ? '' : `${safe.join(',')}{${declarations}}\n`
}
