/** An element of markup, with its attributes as a browser reads them. */
export interface MarkupElement {
  readonly name: string
  readonly attributes: readonly (readonly [name: string, value: string])[]
}

/** What a string holds that a browser does not take for text. */
export interface Markup {
  readonly elements: readonly MarkupElement[]
  /** Comments, doctypes, processing instructions and what is left unfinished. */
  readonly others: readonly string[]
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' }

/**
 * Reads markup for tests, without any code of the program and without mercy: whatever might be
 * taken for a tag counts as one, so that nothing hides from a test behind our own parser.
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
