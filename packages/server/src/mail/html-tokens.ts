import { type ElementKind, elementKind, elementKindAt } from './html-elements.ts'
import { decodeEntities } from './html-entities.ts'

/** Attributes that any reader of ours looks at; all others are skipped unread. */
export interface TagAttributes {
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
}

/** One tag as it stands in the HTML. One object is filled again and again: a mail has thousands. */
export interface Tag extends TagAttributes {
  /** False for comments, doctypes and the like. */
  isElement: boolean
  kind: ElementKind
  isEnd: boolean
  /** Whether an `href` was there at all: `<a>` without one is no link. */
  hasHref: boolean
  hasAlt: boolean
}

/** A tag to be filled by `scanTag`. */
export function blankTag(): Tag {
  return {
    isElement: false,
    kind: elementKind(''),
    isEnd: false,
    hasHref: false,
    hasAlt: false,
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
  }
}

const QUOTE = 34
const APOSTROPHE = 39
const SLASH = 47
const EQUALS = 61
const GREATER = 62

/**
 * Reads the markup that begins with the `<` at `at` into `tag`; answers where reading goes on.
 *
 * Comments, doctypes and processing instructions leave `tag.isElement` false. Where the `<` is plain
 * text, -1 is answered. Markup that is never closed reaches to the end, as in browsers: so each
 * character is looked at once however broken the HTML is.
 */
export function scanTag(html: string, at: number, tag: Tag): number {
  tag.isElement = false
  const first = html.charCodeAt(at + 1)
  if (isLetter(first)) return scanElement(html, at + 1, tag, false)
  if (first === SLASH) {
    const second = html.charCodeAt(at + 2)
    if (isLetter(second)) return scanElement(html, at + 2, tag, true)
    return Number.isNaN(second) ? -1 : after(html, '>', at + 2)
  }
  if (first === 33)
    return html.startsWith('--', at + 2) ? afterComment(html, at + 4) : after(html, '>', at + 2)
  return first === 63 ? after(html, '>', at + 2) : -1
}

/** Where the content of a raw element such as `script` ends, which is the `<` of its end tag. */
export function rawTextEnd(html: string, at: number, name: string): number {
  let end = html.indexOf('</', at)
  while (end >= 0) {
    const afterName = end + 2 + name.length
    if (
      html.slice(end + 2, afterName).toLowerCase() === name &&
      !isLetter(html.charCodeAt(afterName))
    ) {
      return end
    }
    end = html.indexOf('</', end + 2)
  }
  return html.length
}

function after(html: string, text: string, from: number): number {
  const found = html.indexOf(text, from)
  return found < 0 ? html.length : found + text.length
}

function afterComment(html: string, from: number): number {
  if (html.charCodeAt(from) === GREATER) return from + 1
  if (html.startsWith('->', from)) return from + 2
  return after(html, '-->', from)
}

function scanElement(html: string, from: number, tag: Tag, isEnd: boolean): number {
  let at = from + 1
  while (at < html.length && !endsName(html.charCodeAt(at))) at += 1
  tag.isElement = true
  tag.kind = elementKindAt(html, from, at)
  tag.isEnd = isEnd
  if (html.charCodeAt(at) === GREATER) {
    if (!isEnd) forget(tag)
    return at + 1
  }
  if (isEnd) return skipAttributes(html, at)
  forget(tag)
  return scanAttributes(html, at, tag)
}

function forget(tag: Tag): void {
  tag.hasHref = tag.hasAlt = false
  tag.style = tag.class = tag.id = tag.href = tag.alt = tag.align = tag.size = tag.face = ''
  tag.color = tag.bgcolor = tag.background = tag.hidden = tag.start = ''
}

const ignored = blankTag()

function skipAttributes(html: string, from: number): number {
  return scanAttributes(html, from, ignored)
}

function scanAttributes(html: string, from: number, tag: Tag): number {
  const length = html.length
  let at = from
  while (at < length) {
    const code = html.charCodeAt(at)
    if (code === GREATER) return at + 1
    if (isSpace(code) || code === SLASH) {
      at += 1
      continue
    }
    const nameStart = at
    at += 1
    while (at < length && !endsAttributeName(html.charCodeAt(at))) at += 1
    const nameEnd = at
    while (at < length && isSpace(html.charCodeAt(at))) at += 1
    if (html.charCodeAt(at) !== EQUALS) {
      setAttribute(tag, attributeName(html, nameStart, nameEnd), '')
      continue
    }
    at += 1
    while (at < length && isSpace(html.charCodeAt(at))) at += 1
    const quote = html.charCodeAt(at)
    const isQuoted = quote === QUOTE || quote === APOSTROPHE
    const valueStart = isQuoted ? at + 1 : at
    const valueEnd = isQuoted
      ? html.indexOf(quote === QUOTE ? '"' : "'", valueStart)
      : unquotedEnd(html, valueStart)
    if (valueEnd < 0) return length
    const name = attributeName(html, nameStart, nameEnd)
    if (name !== '') setAttribute(tag, name, html.slice(valueStart, valueEnd))
    at = isQuoted ? valueEnd + 1 : valueEnd
  }
  return length
}

function unquotedEnd(html: string, from: number): number {
  let at = from
  while (at < html.length) {
    const code = html.charCodeAt(at)
    if (code === GREATER || isSpace(code)) break
    at += 1
  }
  return at
}

/** The first of two attributes of one name counts, as in browsers. */
function setAttribute(tag: Tag, name: string, value: string): void {
  switch (name) {
    case 'style':
    case 'class':
    case 'id':
    case 'align':
    case 'size':
    case 'face':
    case 'color':
    case 'bgcolor':
    case 'start':
      if (tag[name] === '') tag[name] = decodeEntities(value, true)
      break
    case 'background':
    case 'hidden':
      if (tag[name] === '') tag[name] = value || name
      break
    case 'href':
      if (!tag.hasHref) tag.href = decodeEntities(value, true)
      tag.hasHref = true
      break
    case 'alt':
      if (!tag.hasAlt) tag.alt = decodeEntities(value, true)
      tag.hasAlt = true
  }
}

/** First letters of the attributes that are read, as bits: most others are never even sliced. */
const FIRST_LETTERS = [...'schiafb'].reduce((bits, letter) => bits | (1 << letter.charCodeAt(0)), 0)

function attributeName(html: string, start: number, end: number): string {
  const isRead = end - start <= 10 && (FIRST_LETTERS >>> (html.charCodeAt(start) & 31)) & 1
  return isRead ? html.slice(start, end).toLowerCase() : ''
}

function isLetter(code: number): boolean {
  const letter = code | 32
  return letter >= 97 && letter <= 122
}

function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13 && code !== 11)
}

function endsName(code: number): boolean {
  return code === GREATER || code === SLASH || isSpace(code)
}

function endsAttributeName(code: number): boolean {
  return code === GREATER || code === SLASH || code === EQUALS || isSpace(code)
}
