import { RAW_TEXT_ELEMENTS, VOID_ELEMENTS } from './elements.ts'
import { after, endOfRawText, type ScannedTag, scanMarkupAt } from './scan-tag.ts'

/** What is kept of markup. */
export interface MarkupBounds {
  /** Elements that may be open at the same time. */
  readonly depthMax: number
  /** Names of the attributes that are kept. */
  readonly attributes: ReadonlySet<string>
  /** Called with the content of each style element. */
  readonly onStyle?: (css: string) => void
}

/** Elements whose content is no markup. They are removed with their content. */
const RAW_TEXT: ReadonlySet<string> = new Set([...RAW_TEXT_ELEMENTS, 'noscript'])

/** Elements with rules of their own for what is inside. They are removed with their content. */
const FOREIGN: ReadonlySet<string> = new Set(['math', 'svg'])

/** Of htmlparser2: what it does not push may not count here, and the other way round. */
const VOID: ReadonlySet<string> = new Set([...VOID_ELEMENTS, 'command', 'isindex'])

const PARAGRAPH: ReadonlySet<string> = new Set(['p'])
const HEADING: ReadonlySet<string> = new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'p'])
const FORM: ReadonlySet<string> = new Set(
  'input option optgroup select button datalist textarea'.split(' '),
)

/** Elements that a start tag closes if they are innermost, as htmlparser2 has it. */
const CLOSED_BY: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['tr', new Set(['tr', 'th', 'td'])],
  ['th', new Set(['th'])],
  ['td', new Set(['thead', 'th', 'td'])],
  ['body', new Set(['head'])],
  ['a', new Set(['a'])],
  ['li', new Set(['li'])],
  ['option', new Set(['option'])],
  ['optgroup', new Set(['optgroup', 'option'])],
  ['dd', new Set(['dd', 'dt'])],
  ['dt', new Set(['dd', 'dt'])],
  ['rt', new Set(['rt', 'rp'])],
  ['rp', new Set(['rt', 'rp'])],
  ['tbody', new Set(['thead', 'tbody'])],
  ['tfoot', new Set(['thead', 'tbody'])],
  ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((name) => [name, HEADING] as const),
  ...['select', 'input', 'output', 'button', 'datalist'].map((name) => [name, FORM] as const),
  ...`p address article aside blockquote details div dl fieldset figcaption figure footer form
  header hr main nav ol pre section table ul`
    .split(/\s+/)
    .map((name) => [name, PARAGRAPH] as const),
])

/** Names of elements; a tag with another name is removed, its content is kept. */
const NAME = /^[a-z][a-z\d:_-]{0,40}$/

const SLASH = 47

/**
 * The same HTML in a form that every parser reads alike, in linear time.
 *
 * Tags deeper than the bound are removed and their text is kept; comments, declarations and
 * content that is no markup are removed; attributes are quoted; a `<` that begins no tag is
 * escaped. htmlparser2 takes quadratic time in the depth, and its stack is this one's.
 */
export function boundMarkup(html: string, bounds: MarkupBounds): string {
  const reader = new MarkupReader(html, bounds)
  let textStart = 0
  let open = html.indexOf('<')
  while (open >= 0) {
    reader.text(textStart, open)
    textStart = reader.markup(open)
    open = html.indexOf('<', textStart)
  }
  reader.text(textStart, html.length)
  return reader.output
}

class MarkupReader {
  output = ''
  readonly #html: string
  readonly #bounds: MarkupBounds
  /** Names of the open elements, the innermost last. */
  readonly #open: string[] = []
  /** How many start tags of a name were removed for their depth, and not yet closed. */
  readonly #removed = new Map<string, number>()

  constructor(html: string, bounds: MarkupBounds) {
    this.#html = html
    this.#bounds = bounds
  }

  text(start: number, end: number): void {
    if (end > start) this.output += this.#html.slice(start, end)
  }

  /** Reads what begins with the `<` at `at`; returns where it ends. */
  markup(at: number): number {
    const markup = scanMarkupAt(this.#html, at)
    if (markup.kind === 'start') return this.#startTag(markup)
    if (markup.kind === 'end') this.#endTag(markup.name)
    else if (markup.kind === 'text') this.output += '&lt;'
    return markup.end
  }

  #startTag(tag: ScannedTag): number {
    const html = this.#html
    const name = tag.name === 'image' ? 'img' : tag.name
    if (RAW_TEXT.has(name)) {
      const end = endOfRawText(html, name, tag.end)
      if (name === 'style') this.#bounds.onStyle?.(html.slice(tag.end, end))
      return after(html, '>', end)
    }
    if (FOREIGN.has(name)) return tag.isSelfClosing ? tag.end : endOfElement(html, name, tag.end)
    if (NAME.test(name)) this.#element(name, tag.attributes)
    return tag.end
  }

  #element(name: string, attributes: ReadonlyMap<string, string>): void {
    const closed = CLOSED_BY.get(name)
    while (closed?.has(this.#open.at(-1) ?? '') === true) this.#open.pop()
    if (!VOID.has(name)) {
      if (this.#open.length >= this.#bounds.depthMax) {
        this.#removed.set(name, (this.#removed.get(name) ?? 0) + 1)
        return
      }
      // A form in a form does not count.
      if (name === 'form' && this.#open.includes('form')) return
      this.#open.push(name)
    }
    this.output += `<${name}`
    for (const [attribute, value] of attributes) {
      if (!this.#bounds.attributes.has(attribute)) continue
      this.output += ` ${attribute}="${value.replaceAll('"', '&quot;')}"`
    }
    this.output += '>'
  }

  #endTag(name: string): void {
    const removed = this.#removed.get(name) ?? 0
    if (removed > 0) {
      this.#removed.set(name, removed - 1)
      return
    }
    const open = this.#open.lastIndexOf(name)
    if (open >= 0) this.#open.length = open
    // Without a start tag these two are an empty paragraph and a line break, as in browsers.
    const isElement = (name === 'p' && this.#open.length < this.#bounds.depthMax) || name === 'br'
    if (open >= 0 || isElement) this.output += `</${name}>`
  }
}

/** Where an element ends that may contain elements of its own name: after its end tag. */
function endOfElement(html: string, name: string, from: number): number {
  const tag = new RegExp(`</?${name}(?=[\\s/>])`, 'gi')
  tag.lastIndex = from
  let depth = 1
  for (let found = tag.exec(html); found !== null; found = tag.exec(html)) {
    const end = html.indexOf('>', tag.lastIndex)
    if (end < 0) break
    tag.lastIndex = end + 1
    if (found[0].startsWith('</')) depth -= 1
    else if (html.charCodeAt(end - 1) !== SLASH) depth += 1
    if (depth === 0) return end + 1
  }
  return html.length
}
