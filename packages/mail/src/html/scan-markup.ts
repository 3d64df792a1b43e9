import { HTML_CHARS_MAX, HTML_TAGS_MAX } from '../limits.ts'
import { RAW_TEXT_ELEMENTS } from './elements.ts'
import { decodeAttribute } from './references.ts'
import { endOfRawText, scanMarkupAt } from './scan-tag.ts'

/** What is in the markup of a mail, in the order in which it is written. */
export type MarkupVisitor = {
  /** Names are in lower case; of two attributes with the same name the first counts. */
  element(name: string, attributes: ReadonlyMap<string, string>): void
  /** The content of a `<style>` element. */
  styleSheet(css: string): void
  comment(): void
  /** What follows `<!`, in lower case. */
  declaration(text: string): void
}

const RAW_TEXT: ReadonlySet<string> = new Set(RAW_TEXT_ELEMENTS)

/**
 * Visits all markup: every element with all its attributes. Reading text and links needs few of
 * them and its scanner skips the rest; this one is for checks that a caller asks for.
 */
export function scanMarkup(source: string, visitor: MarkupVisitor): void {
  const html = source.slice(0, HTML_CHARS_MAX)
  let at = html.indexOf('<')
  for (let tags = 0; at >= 0 && tags < HTML_TAGS_MAX; tags += 1) {
    at = html.indexOf('<', visit(html, at, visitor))
  }
}

/** Visits what begins with the `<` at `at`; returns where it ends. */
function visit(html: string, at: number, visitor: MarkupVisitor): number {
  const markup = scanMarkupAt(html, at)
  const { kind, end } = markup
  if (kind === 'comment') visitor.comment()
  if (kind === 'declaration') visitor.declaration(html.slice(at + 2, end - 1).toLowerCase())
  if (kind !== 'start') return end
  const { name, attributes } = markup
  visitor.element(
    name,
    new Map(attributes.entries().map(([key, value]) => [key, decodeAttribute(value)])),
  )
  if (!RAW_TEXT.has(name)) return end
  const contentEnd = endOfRawText(html, name, end)
  if (name === 'style') visitor.styleSheet(html.slice(end, contentEnd))
  return contentEnd
}
