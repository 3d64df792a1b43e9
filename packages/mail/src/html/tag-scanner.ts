import { type ElementKind, elementKindAt } from './elements.ts'
import type { HtmlSource } from './html-source.ts'
import { decodeAttribute } from './references.ts'
import { after, endOfComment, endOfName, endOfRawText, isLetter, isSpace } from './scan-tag.ts'
import { blankTag, scanAttributes, type Tag } from './tag.ts'

/** A tag that was read before, linked to others with the same key. */
interface CachedTag {
  readonly source: string
  readonly tag: Tag
  readonly rank: number
  readonly next: CachedTag | undefined
}

/** The link that was read last, with what followed its address. */
interface LastLink {
  readonly tag: Tag
  /** From the quote behind the address to the end of the tag. */
  readonly rest: string
}

/** How nearly all links begin. */
const LINK_START = '<a href="'

/** Keys cached for one mail, and different tags with the same key. */
const CACHED_TAGS_MAX = 2_000
const SAME_KEY_MAX = 8

const SLASH = 47
const GREATER = 62

/**
 * Reads the markup of HTML, tag by tag.
 *
 * Unclosed markup extends to the end, as in browsers, so each character is read once however
 * broken the HTML is. htmlparser2's tokeniser is slower: docs/decisions/html.md.
 */
export class TagScanner {
  readonly #source: HtmlSource
  readonly #html: string
  /** By a number made of the tag's length and two of its characters: hashing strings is slow. */
  readonly #cache = new Map<number, CachedTag>()
  #lastLink: LastLink | null = null
  /** Where the markup that was read last ends. */
  end = 0

  constructor(source: HtmlSource) {
    this.#source = source
    this.#html = source.chars
  }

  /** Drops the cached tags with their declarations: a style sheet was added. */
  clearCache(): void {
    this.#cache.clear()
    this.#lastLink = null
  }

  /** What the `<` at `at` begins. */
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

  /** Reads the start tag at `at`; the next link may change and return the same object. */
  startTag(at: number): Tag {
    // Links are not cached: each has its own address.
    return isAnchor(this.#html, at) ? this.#linkTag(at) : this.#cachedTag(at)
  }

  /** Reads a link: most links of a mail differ in their addresses alone. */
  #linkTag(at: number): Tag {
    const html = this.#html
    const hrefAt = at + LINK_START.length
    if (html.slice(at, hrefAt) !== LINK_START) return this.#scanTag(at)
    const quote = html.indexOf('"', hrefAt)
    const last = this.#lastLink
    // Of two addresses the first counts, unless it is empty.
    const isAlike =
      last !== null && quote > hrefAt && html.slice(quote, quote + last.rest.length) === last.rest
    if (isAlike) {
      last.tag.href = this.#decoded(html.slice(hrefAt, quote))
      this.end = quote + last.rest.length
      return last.tag
    }
    const tag = this.#scanTag(at)
    const isWhole = html.charCodeAt(this.end - 1) === GREATER
    if (quote > hrefAt && isWhole) this.#lastLink = { tag, rest: html.slice(quote, this.end) }
    return tag
  }

  #cachedTag(at: number): Tag {
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
    const tag = this.#scanTag(at)
    // Not if the first `>` is inside quotes: another tag may begin alike and continue differently.
    const isWhole = this.end === close + 1
    const rank = (known?.rank ?? 0) + 1
    if (isWhole && rank <= SAME_KEY_MAX && this.#cache.size < CACHED_TAGS_MAX) {
      this.#cache.set(key, { source, tag, rank, next: known })
    }
    return tag
  }

  #scanTag(at: number): Tag {
    const nameEnd = endOfName(this.#html, at + 2)
    const tag = blankTag(elementKindAt(this.#html, at + 1, nameEnd))
    this.end = scanAttributes(this.#html, nameEnd, tag)
    this.#decode(tag)
    return tag
  }

  /** The other attributes are compared with ASCII keywords, colours and numbers only. */
  #decode(tag: Tag): void {
    tag.style = this.#decoded(tag.style)
    tag.class = this.#decoded(tag.class)
    tag.id = this.#decoded(tag.id)
    tag.href = this.#decoded(tag.href)
    tag.alt = this.#decoded(tag.alt)
    tag.value = this.#decoded(tag.value)
  }

  #decoded(value: string): string {
    return value === '' ? value : decodeAttribute(this.#source.widen(value))
  }

  /** Reads the end tag at `at`. */
  endTag(at: number): ElementKind {
    const nameEnd = endOfName(this.#html, at + 3)
    const isShort = this.#html.charCodeAt(nameEnd) === GREATER
    this.end = isShort ? nameEnd + 1 : scanAttributes(this.#html, nameEnd, null)
    return elementKindAt(this.#html, at + 2, nameEnd)
  }

  /** Skips the comment, doctype or processing instruction at `at`. */
  skipOther(at: number): void {
    const html = this.#html
    const isComment = html.startsWith('!--', at + 1)
    this.end = isComment ? endOfComment(html, at) : after(html, '>', at + 2)
  }

  /** Reads the content of an element such as `script`, up to its end tag. */
  rawText(name: string): string {
    const start = this.end
    this.end = endOfRawText(this.#html, name, start)
    return this.#html.slice(start, this.end)
  }
}

function isAnchor(html: string, at: number): boolean {
  return (html.charCodeAt(at + 1) | 32) === 97 && isSpace(html.charCodeAt(at + 2))
}
