import type { HtmlReading } from '../html/read-html.ts'
import { LINKS_MAX, TEXT_CHARS_MAX, URL_CHARS_MAX } from '../limits.ts'
import { findTextLinks, plainOrigin, webUrl } from './text-links.ts'

/** A link of a mail. */
export interface MailLink {
  readonly url: string
  /** Its visible text, the alternative text of an image, or the URL itself in plain text. */
  readonly text: string
}

/**
 * The http and https links of a mail, each URL once, in order of appearance.
 *
 * The links of the HTML come first, URLs in its text included; then those that only the plain text
 * has.
 */
export function findLinks(reading: HtmlReading | null, text: string | null): readonly MailLink[] {
  const links = new LinkList()
  if (reading !== null) addHtmlLinks(links, reading)
  if (text !== null) {
    for (const url of findTextLinks(text.slice(0, TEXT_CHARS_MAX))) links.add(url, url)
  }
  return links.all()
}

class LinkList {
  readonly #links = new Map<string, MailLink>()
  /** What the last URL began with, up to the slash behind its host, if that is in small letters. */
  #origin = ''

  /** Adds the link of an anchor if its address is one of the web. */
  addAnchor(href: string, text: string): void {
    const isChecked =
      this.#isOfLastOrigin(href) && href.length <= URL_CHARS_MAX && !href.includes(' ')
    const url = isChecked ? href : webUrl(href)
    if (url !== null) this.add(url, text.includes('\u00a0') ? text.replaceAll('\u00a0', ' ') : text)
  }

  /** Of a URL that occurs more than once, the first spelling and the first non-empty text count. */
  add(url: string, text: string): void {
    const key = this.#isOfLastOrigin(url) ? url : this.#keyOf(url)
    const known = this.#links.get(key)
    if (known === undefined ? this.#links.size < LINKS_MAX : known.text === '')
      this.#links.set(key, { url: known?.url ?? url, text })
  }

  all(): readonly MailLink[] {
    return [...this.#links.values()]
  }

  /** Most links of a mail lead to one host: what is known of it need not be found out again. */
  #isOfLastOrigin(url: string): boolean {
    const origin = this.#origin
    return origin !== '' && url.slice(0, origin.length) === origin
  }

  #keyOf(url: string): string {
    const key = withLowerCaseHost(url)
    const origin = plainOrigin(url)
    this.#origin = key === url && origin.endsWith('/') ? origin : ''
    return key
  }
}

/** Scheme and host are the same in capitals; the rest of a URL is not. */
function withLowerCaseHost(url: string): string {
  const end = url.indexOf('/', url.indexOf('//') + 2)
  const host = end < 0 ? url : url.slice(0, end)
  const lower = host.toLowerCase()
  return lower === host ? url : lower + url.slice(host.length)
}

/** Anchors and URLs in the text, in reading order. */
function addHtmlLinks(links: LinkList, reading: HtmlReading): void {
  const anchors = new AnchorQueue(links, reading.links)
  reading.blocks.forEach((block, index) => {
    let lastHref: string | null = null
    for (const { href, style, text } of block.runs) {
      if (href !== null) lastHref = href
      else if (!style.isHidden && text.includes('://')) {
        anchors.addBefore(index, lastHref)
        lastHref = null
        for (const url of findTextLinks(text)) links.add(url, url)
      }
    }
  })
  anchors.addBefore(Number.POSITIVE_INFINITY, null)
}

class AnchorQueue {
  readonly #links: LinkList
  readonly #anchors: HtmlReading['links']
  #next = 0

  constructor(links: LinkList, anchors: HtmlReading['links']) {
    this.#links = links
    this.#anchors = anchors
  }

  /** Adds the anchors of earlier blocks, and those of this block up to the one with this URL. */
  addBefore(block: number, href: string | null): void {
    let end = this.#next
    for (let at = end; at < this.#anchors.length; at += 1) {
      const anchor = this.#anchors[at]
      if (anchor === undefined || anchor.block > block) break
      if (anchor.block < block || anchor.url === href) end = at + 1
    }
    for (const { url, text } of this.#anchors.slice(this.#next, end)) {
      this.#links.addAnchor(url, text)
    }
    this.#next = end
  }
}
