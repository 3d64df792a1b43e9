import { scanMarkup } from '../html/scan-markup.ts'
import { trimUrl } from '../html/tag.ts'
import { LINKS_MAX } from '../limits.ts'
import { findTextLinks, webUrl } from './text-links.ts'

/**
 * The http and https URLs that HTML links to or loads, each once: those of its links, then of its
 * style sheets, then of its images.
 */
export function findHtmlUrls(html: string): readonly string[] {
  const anchors = new Set<string>()
  const sheets = new Set<string>()
  const images = new Set<string>()
  const add = (urls: Set<string>, written: string | undefined) => {
    const url = written === undefined ? null : webUrl(trimUrl(written))
    if (url !== null && urls.size < LINKS_MAX) urls.add(url)
  }
  scanMarkup(html, {
    element: (name, attributes) => {
      if (name === 'a') add(anchors, attributes.get('href'))
      if (name === 'img') add(images, attributes.get('src'))
      const isSheet = name === 'link' && attributes.get('rel') === 'stylesheet'
      if (isSheet) add(sheets, attributes.get('href'))
    },
    styleSheet: () => {},
    comment: () => {},
    declaration: () => {},
  })
  return [...new Set([...anchors, ...sheets, ...images])].slice(0, LINKS_MAX)
}

/** A URL in angle brackets, in which spaces belong to it (RFC 2396, appendix E). */
const BRACKETED = /<(https?:\/\/[^<>]{1,2000})>/gi

/** The http and https URLs of plain text as they are written, each once; those in brackets last. */
export function findTextUrls(text: string): readonly string[] {
  const bracketed = [...text.matchAll(BRACKETED)].map(([, url = '']) =>
    url.replaceAll(/\r?\n/g, ''),
  )
  const others = findTextLinks(text.replaceAll(BRACKETED, ' '))
  return [...new Set([...others, ...bracketed])].slice(0, LINKS_MAX)
}
