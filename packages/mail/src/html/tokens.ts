import { blankTag, scanAttributes, type Tag } from './attributes.ts'
import { type ElementKind, elementKindAt } from './elements.ts'
import { decodeEntities } from './entities.ts'
import { endsName, isLetter } from './names.ts'
import { widen } from './source.ts'

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

const SLASH = 47
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

  /** Resolves entities, and letters of any script, where they may stand. */
  #decode(tag: Tag): void {
    tag.style = this.#decoded(tag.style)
    tag.class = this.#decoded(tag.class)
    tag.id = this.#decoded(tag.id)
    tag.href = this.#decoded(tag.href)
    tag.alt = this.#decoded(tag.alt)
  }

  #decoded(value: string): string {
    if (value === '') return value
    return decodeEntities(this.#isUtf8 ? widen(value) : value, true)
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

function after(html: string, text: string, from: number): number {
  const found = html.indexOf(text, from)
  return found < 0 ? html.length : found + text.length
}

function endOfName(html: string, from: number): number {
  let at = from
  while (at < html.length && !endsName(html.charCodeAt(at))) at += 1
  return at
}
