import type { Declarations } from './css-declarations.ts'
import type { ElementKind } from './elements.ts'
import { endsName, isSpace, PACKED_CHARS_MAX, packName } from './names.ts'
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

const QUOTE = 34
const APOSTROPHE = 39
const SLASH = 47
const EQUALS = 61
const GREATER = 62

/** A tag of that kind without attributes, to be filled. */
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
    declared: null,
    look: null,
    lookInside: null,
  }
}

/** Reads attributes into `tag`, or skips them; answers where the tag ends. */
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
  // That it is there says all: `<p hidden>`, and any picture behind a table.
  const isFlag = name === 'hidden' || name === 'background'
  tag[name] ||= isFlag ? name : value
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
