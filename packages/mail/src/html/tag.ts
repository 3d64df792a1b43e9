import type { Declarations } from './css-declarations.ts'
import { type ElementKind, PACKED_CHARS_MAX, packName } from './elements.ts'
import { endOfAttributeName, endOfUnquoted, isSpace, skipSpace } from './scan-tag.ts'
import type { TextStyle } from './text-style.ts'

/** A start tag, with the attributes that are read. */
export interface Tag {
  readonly kind: ElementKind
  /** Whether it has an `href`: `<a>` without one is no link. */
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
  type: string
  value: string
  /** The declarations for it, cached here because most tags occur many times in a mail. */
  declared: Readonly<Declarations> | null
  /** The last computed style, and the parent style that it was computed from. */
  textStyle: TextStyle | null
  parentStyle: TextStyle | null
}

/** The attributes that are read; all others are skipped. */
const ATTRIBUTES = [
  ...(['style', 'class', 'id', 'href', 'alt', 'align', 'size', 'face'] as const),
  ...(['color', 'bgcolor', 'background', 'hidden', 'start', 'type', 'value'] as const),
] as const

const QUOTE = 34
const APOSTROPHE = 39
const SLASH = 47
const EQUALS = 61
const GREATER = 62

/** A tag of that kind without attributes. */
export function blankTag(kind: ElementKind): Tag {
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
    type: '',
    value: '',
    declared: null,
    textStyle: null,
    parentStyle: null,
  }
}

/** Reads the attributes into `tag`, or skips them if it is null. Returns where the tag ends. */
export function scanAttributes(html: string, from: number, tag: Tag | null): number {
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
      : endOfUnquoted(html, valueStart)
    if (valueEnd < 0) return length
    const name = tag === null ? null : attributeAt(html, nameStart, nameEnd)
    if (tag !== null && name !== null) setAttribute(tag, name, html.slice(valueStart, valueEnd))
    at = isQuoted ? valueEnd + 1 : valueEnd
  }
  return length
}

/** Of two attributes with the same name the first counts, as in browsers. */
function setAttribute(tag: Tag, name: AttributeName | null, value: string): void {
  switch (name) {
    case 'style':
      tag.style ||= value
      break
    case 'class':
      tag.class ||= value
      break
    case 'id':
      tag.id ||= value
      break
    case 'href':
      tag.href ||= value
      tag.hasHref = true
      break
    case 'alt':
      tag.alt ||= value
      break
    case 'align':
      tag.align ||= value
      break
    case 'bgcolor':
      tag.bgcolor ||= value
      break
    case null:
      break
    default:
      setRareAttribute(tag, name, value)
  }
}

function setRareAttribute(tag: Tag, name: AttributeName, value: string): void {
  // Only its presence matters: `<p hidden>`, or any background image of a table.
  const isFlag = name === 'hidden' || name === 'background'
  tag[name] ||= isFlag ? name : value
}

type AttributeName = (typeof ATTRIBUTES)[number]

const PACKED_ATTRIBUTES: ReadonlyMap<number, AttributeName> = new Map(
  ATTRIBUTES.map((name) => [packAttribute(name, 0, name.length), name]),
)

/** The attribute with the name between `start` and `end`; null if it is not read. */
function attributeAt(html: string, start: number, end: number): AttributeName | null {
  const name = PACKED_ATTRIBUTES.get(packAttribute(html, start, end)) ?? null
  return name !== null && name.length === end - start ? name : null
}

/** Packs the beginning of longer names: no two of `ATTRIBUTES` share it. */
function packAttribute(text: string, start: number, end: number): number {
  return packName(text, start, Math.min(end, start + PACKED_CHARS_MAX))
}

/** Browsers remove line breaks and tabs from an address, and white space around it. */
export function trimUrl(href: string): string {
  const trimmed = href.trim()
  return /[\t\n\r]/.test(trimmed) ? trimmed.replace(/[\t\n\r]+/g, '') : trimmed
}
