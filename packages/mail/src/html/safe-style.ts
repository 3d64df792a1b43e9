import { visitDeclarations } from './css-syntax.ts'

/** Properties that change the appearance only: none moves text over other text or fetches. */
const PROPERTIES: ReadonlySet<string> = new Set(
  `background background-color background-image background-position background-repeat
  background-size border border-bottom border-bottom-color border-bottom-style border-bottom-width
  border-collapse border-color border-left border-left-color border-left-style border-left-width
  border-radius border-right border-right-color border-right-style border-right-width
  border-spacing border-style border-top border-top-color border-top-left-radius
  border-top-right-radius border-bottom-left-radius border-bottom-right-radius border-top-style
  border-top-width border-width box-sizing caption-side clear color color-scheme direction display empty-cells
  float font font-family font-size font-style font-variant font-weight height letter-spacing
  line-height list-style list-style-position list-style-type margin margin-bottom margin-left
  margin-right margin-top max-height max-width min-height min-width opacity overflow overflow-wrap
  padding padding-bottom padding-left padding-right padding-top table-layout text-align
  text-decoration text-indent text-overflow text-transform unicode-bidi vertical-align visibility
  white-space width word-break word-spacing word-wrap`.split(/\s+/),
)

/** Functions that only denote a colour or a length. */
const FUNCTIONS: ReadonlySet<string> = new Set(['rgb', 'rgba', 'hsl', 'hsla', 'calc'])

/** Letters, numbers and the punctuation of plain values: no escapes, braces or comments. */
const PLAIN_VALUE = /^[\p{L}\p{M}\p{N}\s#%.,'"()+\-!/_]*$/u

/** Characters of one value, and declarations of one style, that are kept. */
const VALUE_CHARS_MAX = 1_000
const DECLARATIONS_MAX = 100

/** The URL to use for the URL of an image; null to remove the image. */
export type ImageRule = (url: string) => string | null

/** The safe declarations of a style attribute, with image URLs replaced by `image`. */
export function safeStyle(style: string, image: ImageRule): string {
  const kept: string[] = []
  visitDeclarations(style, (written, value) => {
    const property = written.toLowerCase()
    if (kept.length >= DECLARATIONS_MAX || !PROPERTIES.has(property)) return
    const safe = safeValue(property, value.trim(), image)
    if (safe !== null) kept.push(`${property}:${safe}`)
  })
  return kept.join(';')
}

function safeValue(property: string, value: string, image: ImageRule): string | null {
  if (value === '' || value.length > VALUE_CHARS_MAX) return null
  const url = /url\(\s*(?:"([^"\\]*)"|'([^'\\]*)'|([^"'()\\\s]*))\s*\)/i.exec(value)
  if (url === null) return isPlainValue(value) ? value : null
  if (property !== 'background' && property !== 'background-image') return null
  const rest = value.slice(0, url.index) + value.slice(url.index + url[0].length)
  if (!isPlainValue(rest)) return null
  const shown = image(url[1] ?? url[2] ?? url[3] ?? '')
  const isQuotable = shown !== null && !/["\\\n\r\f<>]/.test(shown)
  if (isQuotable) return `${rest.trim()} url("${shown}")`.trim()
  return rest.trim() === '' ? null : rest.trim()
}

function isPlainValue(value: string): boolean {
  if (!PLAIN_VALUE.test(value) || value.includes('/*')) return false
  const hasBalancedQuotes = value.split('"').length % 2 === 1 && value.split("'").length % 2 === 1
  if (!hasBalancedQuotes) return false
  for (const [, name] of value.matchAll(/([\p{L}_-]*)\(/gu)) {
    if (!FUNCTIONS.has((name ?? '').toLowerCase())) return false
  }
  return true
}
