import sanitize from 'sanitize-html'
import { HTML_SAFE_CHARS_MAX, HTML_SAFE_DEPTH_MAX } from '../limits.ts'
import { boundMarkup, type MarkupBounds } from './bounded-markup.ts'
import { type ImageRule, safeStyle } from './safe-style.ts'

/** Which images are kept. */
export interface SafeHtmlOptions {
  /** Whether remote images are kept. Fetching one tells the sender that the mail was read. */
  readonly remoteImages: 'block' | 'allow'
  /** URL of the attachment with this content id; null if there is none. */
  readonly imageUrl: (contentId: string) => string | null
  /** Called for each remote image, kept or removed. */
  readonly onRemoteImage?: () => void
}

const TAGS = `a abbr address article aside b bdi bdo big blockquote br caption center cite code
  col colgroup dd del dfn div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hr
  i img ins kbd li main mark ol p pre q s samp section small span strike strong sub sup table
  tbody td tfoot th thead time tr tt u ul var wbr`.split(/\s+/)

/** Elements that are removed with their content. Other elements that are not allowed keep it. */
const DROPPED_WITH_CONTENT =
  `applet audio base canvas datalist embed frame frameset head iframe link
  map math meta noembed noframes noscript object option param plaintext script select style svg
  template textarea title video xml xmp`.split(/\s+/)

type Rule = RegExp | null

const LENGTH = /^\d{1,5}(?:\.\d{1,3})?(?:px|%)?$/
const COUNT = /^\d{1,4}$/
const WORD = /^[a-z-]{1,20}$/i
const COLOUR = /^#?[a-z\d]{1,30}$/i
const TEXT = /^[^<>]{0,500}$/

/** Attributes that are kept on any element, with the allowed values. */
const ATTRIBUTES: Readonly<Record<string, Rule>> = {
  align: WORD,
  valign: WORD,
  dir: /^(?:ltr|rtl|auto)$/i,
  lang: /^[a-z\d-]{1,35}$/i,
  title: TEXT,
  alt: TEXT,
  width: LENGTH,
  height: LENGTH,
  bgcolor: COLOUR,
  color: COLOUR,
  size: /^[+-]?\d$/,
  face: /^[\p{L}\p{N}\s,'"-]{1,200}$/u,
  border: COUNT,
  cellpadding: COUNT,
  cellspacing: COUNT,
  colspan: COUNT,
  rowspan: COUNT,
  span: COUNT,
  start: /^-?\d{1,6}$/,
  type: /^(?:[1aAiI]|disc|circle|square)$/,
  nowrap: /^(?:nowrap)?$/i,
  datetime: /^[\d\sTZ:.+-]{1,40}$/,
}

const EMITTED = [...Object.keys(ATTRIBUTES), 'style', 'background']

/** What is read of a mail's markup. */
export const BOUNDS: MarkupBounds = {
  depthMax: HTML_SAFE_DEPTH_MAX,
  attributes: new Set([...EMITTED, 'href', 'src']),
}

/**
 * The HTML of a mail, safe to be shown: no scripts, forms or frames, no requests by itself.
 *
 * An allow list: elements, attributes and values that are not on it are removed. The time is linear
 * in the length.
 */
export function safeHtml(html: string, options: SafeHtmlOptions): string {
  const markup = boundMarkup(html.slice(0, HTML_SAFE_CHARS_MAX), BOUNDS)
  return sanitiseMarkup(markup, imageRule(options))
}

/** What `boundMarkup` wrote, without what is not allowed; `more` allows further attributes. */
export function sanitiseMarkup(
  markup: string,
  image: ImageRule,
  more: Readonly<Record<string, RegExp>> = {},
): string {
  const rules = { ...ATTRIBUTES, ...more }
  return sanitize(markup, {
    allowedTags: TAGS,
    allowedAttributes: {
      '*': [...EMITTED, ...Object.keys(more)],
      a: ['href', 'target', 'rel'],
      img: ['src'],
    },
    allowedSchemes: ['http', 'https', 'mailto', 'data'],
    // `imageRule` and `linkAddress` check every address themselves; they allow image data.
    allowedSchemesAppliedToAttributes: [],
    nonTextTags: DROPPED_WITH_CONTENT,
    parseStyleAttributes: false,
    transformTags: {
      '*': (tagName, attributes) => ({
        tagName,
        attribs: safeAttributes(tagName, attributes, { image, rules }),
      }),
    },
  })
}

function safeAttributes(
  tagName: string,
  given: Readonly<Record<string, string>>,
  { image, rules }: { readonly image: ImageRule; readonly rules: typeof ATTRIBUTES },
): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const [name, value] of Object.entries(given)) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined
    if (rule?.test(value)) kept[name] = value
  }
  const style = given['style'] === undefined ? '' : safeStyle(given['style'], image)
  if (style !== '') kept['style'] = style
  const background = given['background'] === undefined ? null : image(given['background'])
  if (background !== null) kept['background'] = background
  if (tagName === 'img') {
    const source = image(given['src'] ?? '')
    if (source !== null) kept['src'] = source
  }
  const href = tagName === 'a' ? linkAddress(given['href'] ?? '') : null
  if (href !== null) {
    Object.assign(kept, { href, target: '_blank', rel: 'noopener noreferrer nofollow' })
  }
  return kept
}

/** Browsers ignore control characters in an address: `java\nscript:` is `javascript:`. */
function withoutControls(url: string): string {
  return url.replace(/[\0-\x20\x7f-\xa0\u2028\u2029\ufeff]+/g, (run) => (run === ' ' ? ' ' : ''))
}

function linkAddress(href: string): string | null {
  const url = withoutControls(href).trim()
  if (/^mailto:[^\0-\x20"'<>\\]+$/i.test(url)) return url
  return isRemote(url) ? url : null
}

function isRemote(url: string): boolean {
  return /^https?:\/\//i.test(url) && URL.canParse(url)
}

/** Which images are kept, and by which address. */
export function imageRule(options: SafeHtmlOptions): ImageRule {
  return (written) => {
    const url = withoutControls(written).trim()
    if (/^cid:/i.test(url)) return options.imageUrl(contentIdOf(url.slice('cid:'.length)))
    if (/^data:image\/(?:png|gif|jpe?g|webp|bmp);base64,[\w+/=]+$/i.test(url)) return url
    if (!isRemote(url)) return null
    options.onRemoteImage?.()
    return options.remoteImages === 'allow' ? url : null
  }
}

function contentIdOf(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
