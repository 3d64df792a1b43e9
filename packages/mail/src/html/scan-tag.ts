// The syntax of tags, as browsers read it.

/** What begins with a `<`, and where it ends. */
export type Markup =
  | (ScannedTag & { readonly kind: 'start' | 'end' })
  /** `other` is what browsers skip, also a tag that does not end; `text` is the `<` alone. */
  | { readonly kind: 'comment' | 'declaration' | 'other' | 'text'; readonly end: number }

/** A tag with its attributes. */
export interface ScannedTag {
  /** In lower case. */
  readonly name: string
  /** By names in lower case, as they are written; of several with one name the first. */
  readonly attributes: ReadonlyMap<string, string>
  readonly isSelfClosing: boolean
  readonly end: number
}

const EXCLAMATION = 33
const QUOTE = 34
const APOSTROPHE = 39
const SLASH = 47
const EQUALS = 61
const GREATER = 62
const QUESTION = 63

/** Reads what begins with the `<` at `at`. Each character is read once. */
export function scanMarkupAt(html: string, at: number): Markup {
  const first = html.charCodeAt(at + 1)
  if (isLetter(first)) return scanTag(html, at + 1, 'start')
  if (first === SLASH && isLetter(html.charCodeAt(at + 2))) return scanTag(html, at + 2, 'end')
  if (html.startsWith('!--', at + 1)) return { kind: 'comment', end: endOfComment(html, at) }
  const isOther = first === QUESTION || (first === SLASH && at + 2 < html.length)
  if (first !== EXCLAMATION && !isOther) return { kind: 'text', end: at + 1 }
  return { kind: isOther ? 'other' : 'declaration', end: after(html, '>', at + 2) }
}

function scanTag(html: string, nameStart: number, kind: 'start' | 'end'): Markup {
  const nameEnd = endOfName(html, nameStart)
  const name = html.slice(nameStart, nameEnd).toLowerCase()
  const attributes = new Map<string, string>()
  let at = nameEnd
  while (at < html.length) {
    const code = html.charCodeAt(at)
    if (code === GREATER) {
      const isSelfClosing = html.charCodeAt(at - 1) === SLASH
      return { kind, name, attributes, isSelfClosing, end: at + 1 }
    }
    if (code === SLASH || isSpace(code)) {
      at += 1
      continue
    }
    const attributeEnd = endOfAttributeName(html, at + 1)
    const value = scanValue(html, attributeEnd)
    if (value === null) break
    const attribute = html.slice(at, attributeEnd).toLowerCase()
    if (!attributes.has(attribute)) attributes.set(attribute, html.slice(value.from, value.to))
    at = value.end
  }
  return { kind: 'other', end: html.length }
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
  const to = endOfUnquoted(html, from)
  return { from, to, end: to }
}

/** Where the content of an element such as `script` ends: at its end tag. */
export function endOfRawText(html: string, name: string, from: number): number {
  if (name === 'plaintext') return html.length
  for (let at = html.indexOf('</', from); at >= 0; at = html.indexOf('</', at + 2)) {
    const nameEnd = at + 2 + name.length
    const isName = html.slice(at + 2, nameEnd).toLowerCase() === name
    if (isName && endsName(html.charCodeAt(nameEnd))) return at
  }
  return html.length
}

/** Where the comment at `at` ends. */
export function endOfComment(html: string, at: number): number {
  if (html.charCodeAt(at + 4) === GREATER) return at + 5
  if (html.startsWith('->', at + 4)) return at + 6
  const end = /--!?>/g
  end.lastIndex = at + 4
  return end.test(html) ? end.lastIndex : html.length
}

/** The position after the text, or the end if it does not follow. */
export function after(html: string, text: string, from: number): number {
  const found = html.indexOf(text, from)
  return found < 0 ? html.length : found + text.length
}

/** Where the name of a tag ends. */
export function endOfName(html: string, from: number): number {
  let at = from
  while (at < html.length && !endsName(html.charCodeAt(at))) at += 1
  return at
}

/** Where the name of an attribute ends. */
export function endOfAttributeName(html: string, from: number): number {
  let at = from
  for (; at < html.length; at += 1) {
    const code = html.charCodeAt(at)
    if (code === EQUALS || endsName(code)) break
  }
  return at
}

/** Where the value of an attribute ends that has no quotes. */
export function endOfUnquoted(html: string, from: number): number {
  let at = from
  for (; at < html.length; at += 1) {
    const code = html.charCodeAt(at)
    if (code === GREATER || isSpace(code)) break
  }
  return at
}

/** The position after white space. */
export function skipSpace(html: string, from: number): number {
  let at = from
  while (at < html.length && isSpace(html.charCodeAt(at))) at += 1
  return at
}

/** White space as defined by HTML. */
export function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13 && code !== 11)
}

function endsName(code: number): boolean {
  return code === GREATER || code === SLASH || isSpace(code)
}

/** Whether the character can begin the name of a tag. */
export function isLetter(code: number): boolean {
  const letter = code | 32
  return letter >= 97 && letter <= 122
}
