import type { Declarations } from './css-declarations.ts'
import { type ElementKind, elementKindAt } from './html-elements.ts'
import { decodeEntities } from './html-entities.ts'
import { PACKED_CHARS_MAX, packName } from './html-names.ts'
import { widen } from './html-source.ts'
import type { TextStyle } from './text-style.ts'

/** A start tag, with those of its attributes that any reader of ours looks at. */
export interface Tag {
  readonly kind: ElementKind
  /** Whether an `href` was there at all: `<a>` without one is no link. */
  hasHref: boolean
  style: string
  class: string
  id: string
  href: string
  alt: string
  align: string
  size: string
  face: string
  color: string
  bgcolor: string
  background: string
  hidden: string
  start: string
  /** What is declared for it; kept here because most tags of a mail come many times. */
  declared: Readonly<Declarations> | null
  /** The looks that it had last, and those of the element around it. */
  look: TextStyle | null
  lookInside: TextStyle | null
}

/** Attributes that are read; all others are skipped. */
const ATTRIBUTES = [
  ...(['style', 'class', 'id', 'href', 'alt', 'align', 'size', 'face'] as const),
  ...(['color', 'bgcolor', 'background', 'hidden', 'start'] as const),
] as const

/** Attributes in which entities and letters of any script may stand. */
const DECODED = ['style', 'class', 'id', 'href', 'alt'] as const

/** A tag that was read before, and others of the same key. */
interface CachedTag {
  readonly source: string
  readonly tag: Tag
  readonly rank: number
  readonly next: CachedTag | undefined
}

/** Keys remembered in one mail, and distinct tags of one key. */
const CACHED_TAGS_MAX = 2_000
const SAME_KEY_MAX = 8

const QUOTE = 34
const APOSTROPHE = 39
const SLASH = 47
const EQUALS = 61
const GREATER = 62

/**
 * Reads markup from HTML, piece by piece.
 *
 * Markup that is never closed reaches to the end, as in browsers: so each character is looked at
 * once however broken the HTML is.
 */
export class TagScanner {
  readonly #html: string
  readonly #isUtf8: boolean
  /** By a number made of the tag's length and two of its characters: strings are slow to hash. */
  readonly #cache = new Map<number, CachedTag>()
  /** Where reading goes on behind the markup that was read last. */
  end = 0

  constructor(html: string, isUtf8: boolean) {
    this.#html = html
    this.#isUtf8 = isUtf8
  }

  /** Forgets the tags, and with them what was declared for them: a style sheet has come. */
  forgetTags(): void {
    this.#cache.clear()
  }

  /** What begins with the `<` at `at`. */
  kindAt(at: number): 'start' | 'end' | 'other' | 'text' {
    const first = this.#html.charCodeAt(at + 1)
    if (isLetter(first)) return 'start'
    if (first === SLASH) {
      const second = this.#html.charCodeAt(at + 2)
      if (isLetter(second)) return 'end'
      return Number.isNaN(second) ? 'text' : 'other'
    }
    return first === 33 || first === 63 ? 'other' : 'text'
  }

  /** Reads the start tag at `at`. */
  startTag(at: number): Tag {
    const html = this.#html
    const close = html.indexOf('>', at)
    const length = close - at
    const key =
      (length << 16) ^ (html.charCodeAt(at + (length >> 1)) << 8) ^ html.charCodeAt(at + 1)
    const source = html.slice(at, close)
    const known = this.#cache.get(key)
    for (let entry = known; entry !== undefined; entry = entry.next) {
      if (entry.source === source) {
        this.end = close + 1
        return entry.tag
      }
    }
    const nameEnd = endOfName(html, at + 2)
    const tag = blankTag(elementKindAt(html, at + 1, nameEnd))
    this.end = scanAttributes(html, nameEnd, tag)
    this.#decode(tag)
    // Not where the first `>` stands inside quotes: the same start may then go on differently.
    // Not links either, which come once each.
    const isWhole = this.end === close + 1 && !tag.hasHref
    const rank = (known?.rank ?? 0) + 1
    if (isWhole && rank <= SAME_KEY_MAX && this.#cache.size < CACHED_TAGS_MAX) {
      this.#cache.set(key, { source, tag, rank, next: known })
    }
    return tag
  }

  #decode(tag: Tag): void {
    for (const name of DECODED) {
      const value = tag[name]
      if (value !== '') tag[name] = decodeEntities(this.#isUtf8 ? widen(value) : value, true)
    }
  }

  /** Reads the end tag at `at`. */
  endTag(at: number): ElementKind {
    const nameEnd = endOfName(this.#html, at + 3)
    const isShort = this.#html.charCodeAt(nameEnd) === GREATER
    this.end = isShort ? nameEnd + 1 : scanAttributes(this.#html, nameEnd, null)
    return elementKindAt(this.#html, at + 2, nameEnd)
  }

  /** Reads the comment, doctype or processing instruction at `at`. */
  skipOther(at: number): void {
    const html = this.#html
    if (!html.startsWith('!--', at + 1)) this.end = after(html, '>', at + 2)
    else if (html.charCodeAt(at + 4) === GREATER) this.end = at + 5
    else if (html.startsWith('->', at + 4)) this.end = at + 6
    else this.end = after(html, '-->', at + 4)
  }

  /** Reads the content of a raw element such as `script`, up to its end tag. */
  rawText(name: string): string {
    const html = this.#html
    const start = this.end
    let end = html.indexOf('</', start)
    while (end >= 0) {
      const nameEnd = end + 2 + name.length
      const isName = html.slice(end + 2, nameEnd).toLowerCase() === name
      if (isName && !isLetter(html.charCodeAt(nameEnd))) break
      end = html.indexOf('</', end + 2)
    }
    this.end = end < 0 ? html.length : end
    return html.slice(start, this.end)
  }
}

function blankTag(kind: ElementKind): Tag {
  return {
    kind,
    hasHref: false,
    style: '',
    class: '',
    id: '',
    href: '',
    alt: '',
    align: '',
    size: '',
    face: '',
    color: '',
    bgcolor: '',
    background: '',
    hidden: '',
    start: '',
    declared: null,
    look: null,
    lookInside: null,
  }
}

function after(html: string, text: string, from: number): number {
  const found = html.indexOf(text, from)
  return found < 0 ? html.length : found + text.length
}

/** Reads attributes into `tag`, or skips them; answers where the tag ends. */
function scanAttributes(html: string, from: number, tag: Tag | null): number {
  const length = html.length
  let at = from
  while (at < length) {
    const code = html.charCodeAt(at)
    if (code === GREATER) return at + 1
    if (code === SLASH || isSpace(code)) {
      at += 1
      continue
    }
    const nameStart = at
    at = endOfAttributeName(html, at + 1)
    const nameEnd = at
    at = skipSpace(html, at)
    if (html.charCodeAt(at) !== EQUALS) {
      if (tag !== null) setAttribute(tag, attributeAt(html, nameStart, nameEnd), '')
      continue
    }
    const valueAt = skipSpace(html, at + 1)
    const quote = html.charCodeAt(valueAt)
    const isQuoted = quote === QUOTE || quote === APOSTROPHE
    const valueStart = isQuoted ? valueAt + 1 : valueAt
    const valueEnd = isQuoted
      ? html.indexOf(quote === QUOTE ? '"' : "'", valueStart)
      : unquotedEnd(html, valueStart)
    if (valueEnd < 0) return length
    const name = tag === null ? null : attributeAt(html, nameStart, nameEnd)
    if (tag !== null && name !== null) setAttribute(tag, name, html.slice(valueStart, valueEnd))
    at = isQuoted ? valueEnd + 1 : valueEnd
  }
  return length
}

/** The first of two attributes of one name counts, as in browsers. */
function setAttribute(tag: Tag, name: AttributeName | null, value: string): void {
  if (name === null) return
  // That it is there says all: `<p hidden>`, and any picture behind a table.
  const isFlag = name === 'hidden' || name === 'background'
  if (tag[name] === '') tag[name] = isFlag ? name : value
  if (name === 'href') tag.hasHref = true
}

type AttributeName = (typeof ATTRIBUTES)[number]

const PACKED_ATTRIBUTES: ReadonlyMap<number, AttributeName> = new Map(
  ATTRIBUTES.map((name) => [packAttribute(name, 0, name.length), name]),
)

/** The attribute whose name stands there, of those that are read. */
function attributeAt(html: string, start: number, end: number): AttributeName | null {
  const name = PACKED_ATTRIBUTES.get(packAttribute(html, start, end)) ?? null
  return name !== null && name.length === end - start ? name : null
}

/** Of longer names the start: no two that are read share it, and others only in jest. */
function packAttribute(text: string, start: number, end: number): number {
  return packName(text, start, Math.min(end, start + PACKED_CHARS_MAX))
}

function endOfName(html: string, from: number): number {
  let at = from
  while (at < html.length && !endsName(html.charCodeAt(at))) at += 1
  return at
}

function endOfAttributeName(html: string, from: number): number {
  let at = from
  for (; at < html.length; at += 1) {
    const code = html.charCodeAt(at)
    if (code === EQUALS || endsName(code)) break
  }
  return at
}

function unquotedEnd(html: string, from: number): number {
  let at = from
  for (; at < html.length; at += 1) {
    const code = html.charCodeAt(at)
    if (code === GREATER || isSpace(code)) break
  }
  return at
}

function skipSpace(html: string, from: number): number {
  let at = from
  while (at < html.length && isSpace(html.charCodeAt(at))) at += 1
  return at
}

function isLetter(code: number): boolean {
  const letter = code | 32
  return letter >= 97 && letter <= 122
}

/** White space as HTML has it. */
export function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13 && code !== 11)
}

function endsName(code: number): boolean {
  return code === GREATER || code === SLASH || isSpace(code)
}
