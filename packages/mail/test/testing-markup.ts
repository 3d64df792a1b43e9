/** An element of markup, with its attributes as a browser reads them. */
export interface MarkupElement {
  readonly name: string
  readonly attributes: readonly (readonly [name: string, value: string])[]
}

/** Everything in a string that a browser does not treat as text. */
export interface Markup {
  readonly elements: readonly MarkupElement[]
  /** Comments, doctypes, processing instructions and unfinished tags. */
  readonly others: readonly string[]
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' }

/**
 * Reads markup for tests, independently of our own parser: everything that might be a tag counts
 * as one.
 */
export function readMarkup(html: string): Markup {
  const elements: MarkupElement[] = []
  const others: string[] = []
  const tag = /<(\/?)([a-zA-Z][^\s/>]*)((?:[^<>"']|"[^"]*"|'[^']*')*)>|<[^\s=\d][^>]*>?/g
  for (const [whole, slash, name, attributes] of html.matchAll(tag)) {
    if (name === undefined) others.push(whole)
    else if (slash === '') {
      elements.push({ name: name.toLowerCase(), attributes: readAttributes(attributes ?? '') })
    }
  }
  return { elements, others }
}

function readAttributes(text: string): MarkupElement['attributes'] {
  const attribute = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/g
  return [...text.matchAll(attribute)].map(([, name = '', double, single, bare]) => {
    return [name.toLowerCase(), decode(double ?? single ?? bare ?? '')] as const
  })
}

function decode(text: string): string {
  return text.replace(/&(amp|lt|gt|quot);/g, (whole, name: string) => ENTITIES[name] ?? whole)
}
