import type { HtmlReading } from '../html/read-html.ts'
import { LINKS_MAX, TEXT_CHARS_MAX } from '../limits.ts'
import { findTextLinks, webUrl } from './text-links.ts'

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

  /** Of a URL that occurs more than once, the first spelling and the first non-empty text count. */
  add(url: string, text: string): void {
    const key = withLowerCaseHost(url)
    const known = this.#links.get(key)
    if (known === undefined ? this.#links.size < LINKS_MAX : known.text === '')
      this.#links.set(key, { url: known?.url ?? url, text })
  }

  all(): readonly MailLink[] {
    return [...this.#links.values()]
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
      const address = webUrl(url)
      if (address !== null) this.#links.add(address, text.replaceAll('\u00a0', ' '))
    }
    this.#next = end
  }
}
