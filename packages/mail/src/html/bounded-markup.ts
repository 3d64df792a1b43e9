import { endsName, isSpace } from './tag.ts'

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
const RAW_TEXT: ReadonlySet<string> = new Set(
  'iframe noembed noframes noscript plaintext script style textarea title xmp'.split(' '),
)

/** Elements with rules of their own for what is inside. They are removed with their content. */
const FOREIGN: ReadonlySet<string> = new Set(['math', 'svg'])

const VOID: ReadonlySet<string> = new Set(
  `area base basefont br col command embed frame hr img input isindex keygen link meta param source
  track wbr`.split(/\s+/),
)

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
const EQUALS = 61
const GREATER = 62
const QUOTE = 34
const APOSTROPHE = 39

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
    const html = this.#html
    const first = html.charCodeAt(at + 1)
    if (isLetter(first)) return this.#startTag(at)
    if (first === SLASH && isLetter(html.charCodeAt(at + 2))) return this.#endTag(at)
    if (html.startsWith('!--', at + 1)) return endOfComment(html, at)
    const isOther = first === 33 || first === 63 || (first === SLASH && at + 2 < html.length)
    if (isOther) return after(html, '>', at + 2)
    this.output += '&lt;'
    return at + 1
  }

  #startTag(at: number): number {
    const nameEnd = endOfName(this.#html, at + 1)
    const written = this.#html.slice(at + 1, nameEnd).toLowerCase()
    const name = written === 'image' ? 'img' : written
    const isKept = NAME.test(name)
    const tag = scanTag(this.#html, nameEnd, isKept ? this.#bounds.attributes : NO_ATTRIBUTES)
    if (tag === null) return this.#html.length
    if (RAW_TEXT.has(name)) {
      const end = endOfRawText(this.#html, name, tag.end)
      const { onStyle } = this.#bounds
      if (name === 'style' && onStyle !== undefined) {
        onStyle(this.#html.slice(tag.end, Math.max(tag.end, this.#html.lastIndexOf('</', end))))
      }
      return end
    }
    if (FOREIGN.has(name)) {
      return tag.isSelfClosing ? tag.end : endOfElement(this.#html, name, tag.end)
    }
    if (isKept) this.#element(name, tag.attributes)
    return tag.end
  }

  #element(name: string, attributes: string): void {
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
    this.output += `<${name}${attributes}>`
  }

  #endTag(at: number): number {
    const nameEnd = endOfName(this.#html, at + 2)
    const name = this.#html.slice(at + 2, nameEnd).toLowerCase()
    const tag = scanTag(this.#html, nameEnd, NO_ATTRIBUTES)
    if (tag === null) return this.#html.length
    const removed = this.#removed.get(name) ?? 0
    if (removed > 0) {
      this.#removed.set(name, removed - 1)
      return tag.end
    }
    const open = this.#open.lastIndexOf(name)
    if (open >= 0) this.#open.length = open
    // Without a start tag these two are an empty paragraph and a line break, as in browsers.
    const isElement = (name === 'p' && this.#open.length < this.#bounds.depthMax) || name === 'br'
    if (open >= 0 || isElement) this.output += `</${name}>`
    return tag.end
  }
}

const NO_ATTRIBUTES: ReadonlySet<string> = new Set()

interface ScannedTag {
  readonly end: number
  /** The attributes that are kept, each with a space before it. */
  readonly attributes: string
  readonly isSelfClosing: boolean
}

/** The rest of a tag after its name; null if it does not end. */
function scanTag(html: string, from: number, kept: ReadonlySet<string>): ScannedTag | null {
  let attributes = ''
  let at = from
  const seen = new Set<string>()
  while (at < html.length) {
    const code = html.charCodeAt(at)
    if (code === GREATER) {
      return { end: at + 1, attributes, isSelfClosing: html.charCodeAt(at - 1) === SLASH }
    }
    if (code === SLASH || isSpace(code)) {
      at += 1
      continue
    }
    const nameStart = at
    at += 1
    while (at < html.length && html.charCodeAt(at) !== EQUALS && !endsName(html.charCodeAt(at))) {
      at += 1
    }
    const nameEnd = at
    const value = scanValue(html, at)
    if (value === null) return null
    at = value.end
    // Longer names than any that is kept need not be copied.
    const name = nameEnd - nameStart > 20 ? '' : html.slice(nameStart, nameEnd).toLowerCase()
    if (!kept.has(name) || seen.has(name)) continue
    seen.add(name)
    const text = html.slice(value.from, value.to)
    attributes += ` ${name}="${text.includes('"') ? text.replaceAll('"', '&quot;') : text}"`
  }
  return null
}

/** The value of an attribute whose name ends at `at`; null if its quotes are not closed. */
function scanValue(html: string, at: number): { from: number; to: number; end: number } | null {
  const equals = skipSpace(html, at)
  if (html.charCodeAt(equals) !== EQUALS) return { from: equals, to: equals, end: equals }
  const from = skipSpace(html, equals + 1)
  const quote = html.charCodeAt(from)
  if (quote === QUOTE || quote === APOSTROPHE) {
    const to = html.indexOf(quote === QUOTE ? '"' : "'", from + 1)
    return to < 0 ? null : { from: from + 1, to, end: to + 1 }
  }
  let to = from
  while (to < html.length && html.charCodeAt(to) !== GREATER && !isSpace(html.charCodeAt(to))) {
    to += 1
  }
  return { from, to, end: to }
}

function skipSpace(html: string, from: number): number {
  let at = from
  while (at < html.length && isSpace(html.charCodeAt(at))) at += 1
  return at
}

function endOfName(html: string, from: number): number {
  let at = from
  while (at < html.length && !endsName(html.charCodeAt(at))) at += 1
  return at
}

function endOfComment(html: string, at: number): number {
  if (html.charCodeAt(at + 4) === GREATER) return at + 5
  if (html.startsWith('->', at + 4)) return at + 6
  const end = /--!?>/g
  end.lastIndex = at + 4
  return end.test(html) ? end.lastIndex : html.length
}

function after(html: string, text: string, from: number): number {
  const found = html.indexOf(text, from)
  return found < 0 ? html.length : found + text.length
}

/** Where content that is no markup ends: after its end tag. */
function endOfRawText(html: string, name: string, from: number): number {
  if (name === 'plaintext') return html.length
  let at = html.indexOf('</', from)
  while (at >= 0) {
    const nameEnd = at + 2 + name.length
    const isName = html.slice(at + 2, nameEnd).toLowerCase() === name
    if (isName && endsName(html.charCodeAt(nameEnd))) return after(html, '>', nameEnd)
    at = html.indexOf('</', at + 2)
  }
  return html.length
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

function isLetter(code: number): boolean {
  const letter = code | 32
  return letter >= 97 && letter <= 122
}
