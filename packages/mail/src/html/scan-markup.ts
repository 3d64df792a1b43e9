import { decodeHTMLAttribute } from 'entities/decode'
import { HTML_CHARS_MAX, HTML_TAGS_MAX } from '../limits.ts'

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

/** Elements whose content is no markup. */
const RAW_TEXT = new Set(['style', 'script', 'title', 'textarea', 'xmp', 'iframe', 'noembed'])

/** One attribute. Each alternative begins with another character, so nothing is read twice. */
const ATTRIBUTE = /[\s/]*([^\s/>=][^\s/>=]*)(?:\s*=\s*("[^"]*"?|'[^']*'?|[^\s>"'][^\s>]*)?)?/y

/**
 * Visits all markup: every element with all its attributes. Reading text and links needs few of
 * them and its scanner skips the rest; this one is for checks that a caller asks for.
 */
export function scanMarkup(source: string, visitor: MarkupVisitor): void {
  const html = source.slice(0, HTML_CHARS_MAX)
  let at = html.indexOf('<')
  for (let tags = 0; at >= 0 && tags < HTML_TAGS_MAX; tags += 1) {
    at = html.indexOf('<', scanTag(html, at, visitor))
  }
}

/** Reads what begins with the `<` at `at`; returns where it ends. */
function scanTag(html: string, at: number, visitor: MarkupVisitor): number {
  if (html.startsWith('<!--', at)) {
    visitor.comment()
    return after(html, '-->', at + 4)
  }
  if (html[at + 1] === '!') {
    const end = after(html, '>', at)
    visitor.declaration(html.slice(at + 2, end - 1).toLowerCase())
    return end
  }
  const [name] = /^[a-z][^\s/>]*/i.exec(html.slice(at + 1, at + 41)) ?? []
  // An end tag, or a `<` that begins nothing.
  if (name === undefined) return at + 1
  const lower = name.toLowerCase()
  const { attributes, end } = scanAttributes(html, at + 1 + name.length)
  visitor.element(lower, attributes)
  if (!RAW_TEXT.has(lower)) return end
  const close = html.slice(end).search(new RegExp(`</${lower}[\\s/>]`, 'i'))
  const contentEnd = close < 0 ? html.length : end + close
  if (lower === 'style') visitor.styleSheet(html.slice(end, contentEnd))
  return contentEnd
}

function scanAttributes(
  html: string,
  from: number,
): { readonly attributes: ReadonlyMap<string, string>; readonly end: number } {
  const attributes = new Map<string, string>()
  ATTRIBUTE.lastIndex = from
  let at = from
  for (;;) {
    const match = ATTRIBUTE.exec(html)
    if (match === null) break
    at = ATTRIBUTE.lastIndex
    const name = match[1]?.toLowerCase() ?? ''
    const value = (match[2] ?? '').replace(/^(["'])(.*)$/s, (_, quote: string, rest: string) =>
      rest.endsWith(quote) ? rest.slice(0, -1) : rest,
    )
    if (!attributes.has(name)) attributes.set(name, decodeHTMLAttribute(value))
  }
  return { attributes, end: after(html, '>', at) }
}

function after(html: string, text: string, from: number): number {
  const found = html.indexOf(text, from)
  return found < 0 ? html.length : found + text.length
}
