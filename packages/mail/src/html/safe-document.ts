import { HTML_SAFE_CHARS_MAX } from '../limits.ts'
import { boundMarkup } from './bounded-markup.ts'
import { BOUNDS, imageRule, type SafeHtmlOptions, sanitiseMarkup } from './safe-html.ts'
import { safeSheet } from './safe-sheet.ts'

/** What style sheets select by. In a document of its own a mail disturbs nobody's names. */
const NAMES: Readonly<Record<string, RegExp>> = {
  class: /^[\w\s-]{1,500}$/,
  id: /^[\w-]{1,100}$/,
}

const STYLED_BOUNDS = {
  ...BOUNDS,
  attributes: new Set([...BOUNDS.attributes, ...Object.keys(NAMES)]),
}

/** The tag with its attributes as `boundMarkup` writes it. */
const BODY = /<body((?: [a-z-]+="[^"]*")*)>/

/** Where a mail says that it has dark styles of its own. */
const HAS_SCHEMES = /<meta\b[^<>]{0,200}\bname\s*=\s*["']?color-scheme\b/i
const HEAD_CHARS_MAX = 64 * 1024

/** The look of text in mail clients; the mail's own rules come after it. */
const DEFAULT_STYLE = 'body{font-family:Arial,Helvetica,sans-serif;overflow-wrap:anywhere}\n'

/**
 * A mail as a document to be shown in a frame of its own: as `safeHtml`, and with its style sheets,
 * as far as they are safe, among them those for narrow and for dark screens.
 */
export function safeDocument(html: string, options: SafeHtmlOptions): string {
  const image = imageRule(options)
  const sheets: string[] = []
  const shown = html.slice(0, HTML_SAFE_CHARS_MAX)
  const markup = boundMarkup(shown, { ...STYLED_BOUNDS, onStyle: (css) => sheets.push(css) })
  const style = safeSheet(sheets.join('\n'), image)
  const hasSchemes = HAS_SCHEMES.test(shown.slice(0, HEAD_CHARS_MAX))
  const scheme = hasSchemes ? '<meta name="color-scheme" content="light dark">' : ''
  const body = sanitiseMarkup(`<div${BODY.exec(markup)?.[1] ?? ''}></div>`, image, NAMES)
  const attributes = body.slice('<div'.length, body.indexOf('>'))
  const content = sanitiseMarkup(markup, image, NAMES)
  return `<!doctype html>
<html><head><meta charset="utf-8">${scheme}<style>${DEFAULT_STYLE}${style}</style></head>
<body${attributes}>${content}</body></html>
`
}

/** Plain text as a document. */
export function textDocument(text: string): string {
  const escaped = text.replace(/[&<>]/g, (mark) => `&#${mark.charCodeAt(0)};`)
  return `<!doctype html>
<html><head><meta charset="utf-8"></head>
<body><pre style="white-space:pre-wrap;overflow-wrap:anywhere">${escaped}</pre></body></html>
`
}
