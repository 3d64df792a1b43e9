import { visitStatements, withoutComments } from '../html/css-syntax.ts'
import { CSS_CHARS_MAX } from '../limits.ts'

/** Counts how often features are used, by their slugs. */
export type Count = (slug: string, times?: number) => void

/** Features of one or several properties whose slug is not `css-` and the property. */
const PROPERTY_FEATURES: readonly (readonly [RegExp, string])[] = [
  [/^--/, 'css-variables'],
  [/^(?:block|inline)-size$/, 'css-block-inline-size'],
  [/^border-(?:inline|block)$/, 'css-border-inline-block'],
  [/^border-(?:inline|block)-(?:start|end|width|style|color)$/, 'css-border-inline-block-longhand'],
  [/^border-(?:inline|block)-(?:start|end)-\w+$/, 'css-border-inline-block-individual'],
  [/^border-(?:start|end)-(?:start|end)-radius$/, 'css-border-radius-logical'],
  [/^border-(?:top|bottom)-(?:left|right)-radius$/, 'css-border-radius'],
  [/^border-(?:top|right|bottom|left|width|style|color)\b/, 'css-border'],
  [/^border-image-/, 'css-border-image'],
  [/^(?:columns|column-(?:width|rule.*|span|fill))$/, 'css-column-layout-properties'],
  [/^(?:gap|row-gap|column-gap|grid-gap)$/, 'css-gap'],
  [/^grid-template/, 'css-grid-template'],
  [/^(?:left|right|top|bottom)$/, 'css-left-right-top-bottom'],
  [/^margin-(?:top|right|bottom|left)$/, 'css-margin'],
  [/^margin-(?:inline|block)$/, 'css-margin-inline-block'],
  [/^margin-inline-(?:start|end)$/, 'css-margin-inline-start-end'],
  [/^margin-block-(?:start|end)$/, 'css-margin-block-start-end'],
  [/^padding-(?:top|right|bottom|left)$/, 'css-padding'],
  [/^padding-(?:inline|block)$/, 'css-padding-inline-block'],
  [/^padding-inline-(?:start|end)$/, 'css-padding-inline-start-end'],
  [/^padding-block-(?:start|end)$/, 'css-padding-block-start-end'],
  [/^outline-(?:width|style|color)$/, 'css-outline'],
  [/^overflow-[xy]$/, 'css-overflow'],
  [/^scroll-snap-/, 'css-scroll-snap'],
  [/^text-emphasis-(?:color|style)$/, 'css-text-emphasis'],
  [/^transition-/, 'css-transition'],
  [/^animation-/, 'css-animation'],
]

/** Features of values, of whatever property. */
const VALUE_FEATURES: readonly (readonly [RegExp, string])[] = [
  ...['px', 'em', 'rem', 'pt', 'pc', 'cm', 'mm', 'in', 'ex', 'ch', 'vh', 'vw', 'vmin', 'vmax'].map(
    (unit) => [new RegExp(`\\d${unit}\\b`), `css-unit-${unit}`] as const,
  ),
  [/\d%/, 'css-unit-percent'],
  [/\bcalc\(/, 'css-unit-calc'],
  [/\binitial\b/, 'css-unit-initial'],
  ...['clamp', 'light-dark', 'max', 'min'].map(
    (name) => [new RegExp(`(?<![\\w-])${name}\\(`), `css-function-${name}`] as const,
  ),
  ...['linear-gradient', 'radial-gradient', 'conic-gradient', 'rgb', 'rgba'].map(
    (name) => [new RegExp(`(?<!\\w)${name}\\(`), `css-${name}`] as const,
  ),
  [/(?<!\w)(?:ok)?(?:lch|lab)\(/, 'css-modern-color'],
  [/\b(?:fit|min|max)-content\b/, 'css-intrinsic-size'],
  [/\b(?:system-ui|ui-(?:serif|sans-serif|rounded|monospace))\b/, 'css-sytem-ui'],
  [/\bvar\(/, 'css-variables'],
  [/!important/, 'css-important'],
]

/** Features of certain values of certain properties: `property:value`. */
const DECLARATION_FEATURES: readonly (readonly [RegExp, string])[] = [
  [/^display:(?:inline-)?flex/, 'css-display-flex'],
  [/^display:(?:inline-)?grid/, 'css-display-grid'],
  [/^display:none/, 'css-display-none'],
  [/^flex-(?:direction|flow):.*column/, 'css-flex-direction'],
  [/^flex-(?:wrap|flow):.*\bwrap/, 'css-flex-wrap'],
]

const MEDIA_FEATURES: readonly (readonly [RegExp, string])[] = [
  [/device-pixel-ratio/, 'css-at-media-device-pixel-ratio'],
  [/\((?:any-)?hover/, 'css-at-media-hover'],
  [/\(orientation/, 'css-at-media-orientation'],
  [/\(prefers-color-scheme/, 'css-at-media-prefers-color-scheme'],
  [/\(prefers-reduced-motion/, 'css-at-media-prefers-reduced-motion'],
]

const SELECTOR_FEATURES: readonly (readonly [RegExp, string])[] = [
  [/,/, 'css-selector-grouping'],
  [/>/, 'css-selector-child'],
  [/\+/, 'css-selector-adjacent-sibling'],
  [/~(?!=)/, 'css-selector-general-sibling'],
  [/[\w\])*-] +[\w.#:[*]/, 'css-selector-descendant'],
  [/\[/, 'css-selector-attribute'],
  [/\.[\w-]/, 'css-selector-class'],
  [/#[\w-]/, 'css-selector-id'],
  [/(?:^|[ >+~,])[a-z]/, 'css-selector-type'],
  [/\*(?!=)/, 'css-selector-universal'],
  [/[\w\])-][.#[][\w-]/, 'css-selector-chaining'],
  [/&/, 'css-nesting'],
]

/** Counts the features that the style sheets and style attributes of a mail use. */
export class CssFeatures {
  readonly #count: Count
  #charsLeft = CSS_CHARS_MAX

  constructor(count: Count) {
    this.#count = count
  }

  /** Counts those of a style attribute. */
  addDeclarations(css: string): void {
    this.#declarations(this.#take(css))
  }

  /**
   * Counts those of a style sheet: before each `{` or `;` there is a selector, an at-rule or
   * declarations. Blocks within blocks need no more than that.
   */
  addSheet(css: string): void {
    const text = this.#take(css)
    let start = 0
    for (let at = 0; at < text.length; at += 1) {
      const char = text[at]
      if (char !== '{' && char !== '}') continue
      const part = text.slice(start, at)
      // A rule within a rule comes after declarations.
      const preludeAt = char === '{' ? part.lastIndexOf(';') + 1 : part.length
      this.#declarations(part.slice(0, preludeAt))
      if (char === '{') this.#prelude(part.slice(preludeAt).trim())
      start = at + 1
    }
  }

  /** In lower case, without comments; at most as much as is read of one mail. */
  #take(css: string): string {
    const text = css.slice(0, this.#charsLeft).toLowerCase()
    this.#charsLeft -= text.length
    const comments = text.split('/*').length - 1
    if (comments > 0) this.#count('css-comments', comments)
    return withoutComments(text)
  }

  #prelude(text: string): void {
    if (text.startsWith('@')) this.#atRule(text)
    else this.#selector(text)
  }

  #atRule(text: string): void {
    const [, vendorless = ''] = /^@(?:-\w+-)?([\w-]+)/.exec(text) ?? []
    this.#count(`css-at-${vendorless}`)
    if (vendorless === 'media') this.#countAll(MEDIA_FEATURES, text)
  }

  #selector(text: string): void {
    // The steps of @keyframes are no selectors.
    if (/^(?:from|to|[\d.]+%)/.test(text)) return
    this.#countAll(SELECTOR_FEATURES, text.replace(/\([^()]*\)/g, '()'))
    for (const [, colons, name] of text.matchAll(/(::?)([\w-]+)/g)) {
      const isElement =
        colons === '::' || /^(?:after|before|first-(?:letter|line))$/.test(name ?? '')
      this.#count(`css-pseudo-${isElement ? 'element' : 'class'}-${name}`)
    }
  }

  #declarations(css: string): void {
    visitStatements(css, (start, end, colon) => {
      const text = css.slice(start, end).trim()
      if (text.startsWith('@')) this.#atRule(text)
      else if (colon > start) {
        this.#declaration(css.slice(start, colon).trim(), css.slice(colon + 1, end).trim())
      }
    })
  }

  #declaration(written: string, value: string): void {
    const property = written.replace(/^-(?:webkit|moz|ms|o)-/, '')
    this.#count(`css-${property}`)
    this.#countAll(PROPERTY_FEATURES, property)
    this.#countAll(DECLARATION_FEATURES, `${property}:${value}`)
    this.#countAll(VALUE_FEATURES, value)
  }

  #countAll(features: readonly (readonly [RegExp, string])[], text: string): void {
    for (const [pattern, slug] of features) if (pattern.test(text)) this.#count(slug)
  }
}
