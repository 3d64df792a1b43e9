import type { Count } from './css-features.ts'

/** Attributes whose feature is not `html-` and the attribute. */
const ATTRIBUTE_FEATURES: ReadonlyMap<string, string> = new Map([
  ['loading', 'html-loading-attribute'],
  ['srcset', 'html-srcset'],
  ['sizes', 'html-srcset'],
  ['usemap', 'html-image-maps'],
  ['inert', 'css-inert-attribute'],
])

/** Attributes with a feature of their own, on whatever element. */
const ATTRIBUTES = new Set(
  'align background cellpadding cellspacing dir height hidden lang popover required role target valign width'.split(
    ' ',
  ),
)

/** Elements that share a feature. */
const ELEMENT_FEATURES: ReadonlyMap<string, string> = new Map([
  ...'h1 h2 h3 h4 h5 h6'.split(' ').map((name) => [name, 'html-h1-h6'] as const),
  ...'ul ol dl'.split(' ').map((name) => [name, 'html-lists'] as const),
  ...'article aside details figcaption figure footer header main mark nav section summary time'
    .split(' ')
    .map((name) => [name, 'html-semantics'] as const),
  ['map', 'html-image-maps'],
])

/** Where images are named. */
const IMAGE_ATTRIBUTES = ['src', 'srcset', 'background', 'poster'] as const

/** The formats that files of these extensions have. */
const FORMATS: ReadonlyMap<string, string> = new Map([
  ['jpeg', 'jpg'],
  ['tif', 'tiff'],
  ['heic', 'heif'],
])

/** Counts the features that an element uses. */
export function countElement(
  count: Count,
  name: string,
  attributes: ReadonlyMap<string, string>,
): void {
  count(ELEMENT_FEATURES.get(name) ?? `html-${name}`)
  for (const [attribute, value] of attributes) countAttribute(count, attribute, value)
  const type = attributes.get('type')?.toLowerCase()
  if (name === 'button') count(`html-button-${type ?? 'submit'}`)
  if (name === 'input') count(`html-input-${type ?? 'text'}`)
  if (name === 'meta' && attributes.get('name')?.toLowerCase() === 'color-scheme') {
    count('html-meta-color-scheme')
  }
  if (name === 'img' || name === 'source' || attributes.has('background')) {
    countImages(count, attributes)
  }
}

function countAttribute(count: Count, name: string, value: string): void {
  const feature = ATTRIBUTE_FEATURES.get(name)
  if (feature !== undefined) count(feature)
  else if (ATTRIBUTES.has(name) || name.startsWith('aria-')) count(`html-${name}`)
  if (name !== 'href') return
  if (/^#./.test(value)) count('html-anchor-links')
  if (/^mailto:/i.test(value)) count('html-mailto-links')
}

function countImages(count: Count, attributes: ReadonlyMap<string, string>): void {
  for (const attribute of IMAGE_ATTRIBUTES) {
    const url = attributes.get(attribute)
    if (url !== undefined) countImage(count, url)
  }
}

/** Counts the format of an image, as far as its address tells it. */
function countImage(count: Count, url: string): void {
  if (/^data:image\//i.test(url)) count('image-base64')
  const [, ofData] = /^data:(?:image|video)\/([a-z0-9]+)/i.exec(url) ?? []
  const [, ofPath] = /\.([a-z0-9]{2,5})(?:[?#\s].*)?$/is.exec(url.slice(0, 2_000)) ?? []
  const extension = (ofData ?? ofPath)?.toLowerCase()
  if (extension !== undefined) count(`image-${FORMATS.get(extension) ?? extension}`)
}
