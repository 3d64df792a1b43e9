import { URL_CHARS_MAX } from '../limits.ts'

const CLOSING: ReadonlyMap<number, number> = new Map([
  [41, 40], // ()
  [93, 91], // []
  [125, 123], // {}
])

/** Punctuation of the sentence when it is at the end of a URL. */
const TRAILING = /[.,;:!?'’…]/

/** White space, quotes, brackets and invisible characters: never part of a URL. */
const STOP = /[\s<>"`^\\\0-\x1f\x7f\u200b-\u200f\u2028\u2029\u2060\ufeff“”„‘‚«»‹›]/

/** East Asian punctuation, which follows a URL without a space. */
const EAST_ASIAN_STOP = /[、。〈〉《》「」『』【】〔〕！（），：；？［］｛｝｜]/

/** Scripts written without spaces, in which a sentence may continue directly after a URL. */
const UNSPACED = /[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/

/** Markdown emphasis; the same character before and after a URL is not part of it. */
const EMPHASIS = new Set(['*', '_', '~', '|'])

/** A URL found in plain text. */
interface TextLink {
  readonly url: string
  readonly end: number
}

/** The http and https URLs of plain text, in order, with repetitions. */
export function findTextLinks(text: string): readonly string[] {
  const links: string[] = []
  for (let link = nextLink(text, 0); link !== null; link = nextLink(text, link.end)) {
    if (link.url !== '') links.push(link.url)
  }
  return links
}

function nextLink(text: string, from: number): TextLink | null {
  let colon = text.indexOf('://', from)
  while (colon >= 0) {
    const start = schemeStart(text, colon, from)
    if (start >= 0) return readLink(text, start, colon + 3)
    colon = text.indexOf('://', colon + 3)
  }
  return null
}

function schemeStart(text: string, colon: number, from: number): number {
  for (const scheme of ['https', 'http']) {
    const start = colon - scheme.length
    if (start >= from && text.slice(start, colon).toLowerCase() === scheme) return start
  }
  return -1
}

function readLink(text: string, start: number, hostStart: number): TextLink {
  const bracketed = text.charCodeAt(start - 1) === 60 ? readBracketed(text, start) : null
  if (bracketed !== null) return bracketed
  const end = urlEnd(text, hostStart)
  const url = trimTrailing(withAmpersands(text.slice(start, end)), text.charAt(start - 1))
  return { url: checked(url), end }
}

/** `<https://…>`, where line breaks inside the brackets are not part of the URL. */
function readBracketed(text: string, start: number): TextLink | null {
  const window = text.slice(start, start + URL_CHARS_MAX)
  const close = window.search(/[<>|]/)
  if (close < 0 || window.charAt(close) === '<') return null
  const lines = window.slice(0, close).split('\n')
  const url = withAmpersands(lines.map((line) => line.trim()).join(''))
  return /\s/.test(url) ? null : { url: checked(url), end: start + close }
}

function urlEnd(text: string, from: number): number {
  const opened: number[] = []
  const limit = Math.min(text.length, from + URL_CHARS_MAX + 1)
  let at = from
  for (; at < limit; at += 1) {
    const code = text.charCodeAt(at)
    if (code === 40 || code === 91 || code === 123) opened.push(code)
    else if (CLOSING.has(code)) {
      if (opened.pop() !== CLOSING.get(code)) break
    } else if (!isPlain(code) && endsUrl(text, at)) break
  }
  return at
}

/** ASCII characters of a URL; checked first, because most URLs consist of them. */
function isPlain(code: number): boolean {
  if (code <= 34 || code >= 127) return code === 33
  return code !== 60 && code !== 62 && code !== 92 && code !== 94 && code !== 96
}

function endsUrl(text: string, at: number): boolean {
  const character = text.charAt(at)
  if (STOP.test(character) || EAST_ASIAN_STOP.test(character)) return true
  return UNSPACED.test(character) && /[A-Za-z0-9]/.test(text.charAt(at - 1))
}

function trimTrailing(url: string, before: string): string {
  let end = url.length
  while (end > 0) {
    const last = url.charAt(end - 1)
    const isMark = EMPHASIS.has(last) && last === before
    if (!isMark && !TRAILING.test(last)) break
    end -= 1
  }
  return url.slice(0, end)
}

/** Some senders make their text from HTML without decoding `&amp;`, which no URL contains. */
function withAmpersands(url: string): string {
  return url.includes('&amp;') ? url.replaceAll('&amp;', '&') : url
}

/** The URL, or an empty string if it has no host or is too long. */
function checked(url: string): string {
  return url.length <= URL_CHARS_MAX && hasHost(url) ? url : ''
}

/** Checked before `URL.canParse`, which is slower: nearly all URLs match. */
const PLAIN_HOST = /^https?:\/\/[a-z\d](?:[a-z\d.-]{0,250}[a-z\d])?(?::\d{1,5})?(?:[/?#]|$)/i

/** What the URL begins with, up to the character behind its host; empty if that is not plain. */
export function plainOrigin(url: string): string {
  return PLAIN_HOST.exec(url)?.[0] ?? ''
}

/** Whether the URL has a valid host: browsers refuse others. */
function hasHost(url: string): boolean {
  return PLAIN_HOST.test(url) || URL.canParse(url)
}

/** The URL of an http or https link; null for `mailto:`, `javascript:` and others. */
export function webUrl(href: string): string | null {
  if (href.length > URL_CHARS_MAX || !/^https?:\/\//i.test(href)) return null
  const url = href.includes(' ') ? href.replaceAll(' ', '%20') : href
  return hasHost(url) ? url : null
}
