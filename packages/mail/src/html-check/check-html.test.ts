import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { workedMs } from '../../test/testing-worked-ms.ts'
import { checkHtml, knownFeatures, newestResults } from './check-html.ts'

/** What a mail uses, without what any use brings along. */
function used(html: string): string[] {
  return checkHtml(html).features.map(({ feature }) => feature.slug)
}

/** A use of each feature whose name does not say how it is used. */
const EXAMPLES: Readonly<Record<string, string>> = {
  'css-at-media-device-pixel-ratio':
    '<style>@media (-webkit-min-device-pixel-ratio: 2) { a { color: red } }</style>',
  'css-at-media-hover': '<style>@media (hover: hover) {}</style>',
  'css-at-media-orientation': '<style>@media (orientation: portrait) {}</style>',
  'css-at-media-prefers-color-scheme': '<style>@media (prefers-color-scheme: dark) {}</style>',
  'css-at-media-prefers-reduced-motion': '<style>@media (prefers-reduced-motion) {}</style>',
  'css-at-import': '<style>@import url("a.css"); p { color: red }</style>',
  'css-block-inline-size': '<p style="block-size: 1px">',
  'css-border-inline-block': '<p style="border-inline: 1px solid">',
  'css-border-inline-block-individual': '<p style="border-inline-start-width: 1px">',
  'css-border-inline-block-longhand': '<p style="border-block-color: red">',
  'css-border-radius-logical': '<p style="border-start-end-radius: 1px">',
  'css-column-layout-properties': '<p style="column-rule: 1px solid">',
  'css-comments': '<style>/* a */ p { color: red }</style>',
  'css-conic-gradient': '<p style="background: conic-gradient(red, blue)">',
  'css-display-flex': '<p style="display: inline-flex">',
  'css-display-grid': '<p style="display:grid">',
  'css-display-none': '<p style="DISPLAY:NONE">',
  'css-flex-direction': '<p style="flex-direction: column">',
  'css-flex-wrap': '<p style="flex-flow: row wrap">',
  'css-function-clamp': '<p style="width: clamp(1px, 2px, 3px)">',
  'css-function-light-dark': '<p style="color: light-dark(red, blue)">',
  'css-function-max': '<p style="width: max(1px, 2px)">',
  'css-function-min': '<p style="width: min(1px, 2px)">',
  'css-grid-template': '<p style="grid-template-columns: 1fr">',
  'css-important': '<p style="color: red !important">',
  'css-inert-attribute': '<p inert>',
  'css-intrinsic-size': '<p style="width: min-content">',
  'css-left-right-top-bottom': '<p style="top: 0">',
  'css-linear-gradient': '<p style="background: -webkit-linear-gradient(red, blue)">',
  'css-margin-block-start-end': '<p style="margin-block-start: 0">',
  'css-margin-inline-block': '<p style="margin-inline: 0">',
  'css-margin-inline-start-end': '<p style="margin-inline-end: 0">',
  'css-modern-color': '<p style="color: oklch(0 0 0)">',
  'css-nesting': '<style>p { color: red; &:hover { color: blue } }</style>',
  'css-padding-block-start-end': '<p style="padding-block-end: 0">',
  'css-padding-inline-block': '<p style="padding-block: 0">',
  'css-padding-inline-start-end': '<p style="padding-inline-start: 0">',
  'css-pseudo-class-lang': '<style>p:lang(en) { color: red }</style>',
  'css-radial-gradient': '<p style="background: radial-gradient(red, blue)">',
  'css-rgb': '<p style="color: rgb(0 0 0)">',
  'css-rgba': '<p style="color: rgba(0, 0, 0, 1)">',
  'css-scroll-snap': '<p style="scroll-snap-type: x">',
  'css-selector-adjacent-sibling': '<style>h1 + p {}</style>',
  'css-selector-attribute': '<style>[href] {}</style>',
  'css-selector-chaining': '<style>p.a.b {}</style>',
  'css-selector-child': '<style>div > p {}</style>',
  'css-selector-class': '<style>.a {}</style>',
  'css-selector-descendant': '<style>div p {}</style>',
  'css-selector-general-sibling': '<style>h1 ~ p {}</style>',
  'css-selector-grouping': '<style>h1, p {}</style>',
  'css-selector-id': '<style>#a {}</style>',
  'css-selector-type': '<style>p {}</style>',
  'css-selector-universal': '<style>* {}</style>',
  'css-sytem-ui': '<p style="font-family: system-ui">',
  'css-unit-calc': '<p style="width: calc(1px + 2px)">',
  'css-unit-initial': '<p style="width: initial">',
  'css-unit-percent': '<p style="width: 50%">',
  'css-variables': '<p style="color: var(--a)">',
  'html-anchor-links': '<a href="#top">',
  'html-comments': '<!-- a -->',
  'html-doctype': '<!DOCTYPE html>',
  'html-h1-h6': '<h3>',
  'html-image-maps': '<img usemap="#a">',
  'html-lists': '<ol>',
  'html-loading-attribute': '<img loading=lazy>',
  'html-mailto-links': '<a href="mailto:a@b.example">',
  'html-meta-color-scheme': '<meta name="color-scheme" content="dark">',
  'html-semantics': '<section>',
  'html-srcset': '<img srcset="a.png 2x">',
  'image-base64': '<img src="data:image/png;base64,AAAA">',
}

/** What the HTML of a mail does not tell. */
const NOT_IN_HTML = ['amp', 'bimi', 'image-apng', 'image-hdr']

/** A use of a feature, by its slug. */
function exampleOf(slug: string): string {
  const example = EXAMPLES[slug]
  if (example !== undefined) return example
  const [, kind = '', name = ''] =
    /^(css-unit|css-pseudo-class|css-pseudo-element|css-at|css|html-input|html-button|html|image)-(.+)$/.exec(
      slug,
    ) ?? []
  switch (kind) {
    case 'css':
      return `<p style="color: red; ${name}: 1">`
    case 'css-unit':
      return `<p style="width: 1${name}">`
    case 'css-pseudo-class':
      return `<style>a:${name} { color: red }</style>`
    case 'css-pseudo-element':
      return `<style>a::${name} { color: red }</style>`
    case 'css-at':
      return `<style>@${name} a { b { color: red } }</style>`
    case 'image':
      return `<img src="https://a.example/b.${name}?c=d">`
    case 'html':
      return `<${name}></${name}><p ${name}="a">`
    default:
      return `<${kind.slice(5)} type="${name}">`
  }
}

describe('the HTML check', () => {
  it('knows how each feature of its data is used', () => {
    const missed = [...knownFeatures().keys()].filter(
      (slug) => !NOT_IN_HTML.includes(slug) && !used(exampleOf(slug)).includes(slug),
    )
    assert.deepEqual(missed, [])
  })

  it('finds nothing in a mail without markup', () => {
    const { features, clients, elementCount } = checkHtml('a < b, style="color: red" & <3')
    assert.deepEqual([features, clients, elementCount], [[], [], 0])
  })

  it('does not find what only looks like a feature', () => {
    const html = `<p title='<video src="a.mp4">' data-style="display: grid">&lt;audio&gt;</p>
      <script>var a = "<form>"</script><!-- <svg> --><p style="background: url('a;display:flex')">`
    for (const slug of [
      ...['html-video', 'html-audio', 'html-form', 'html-svg', 'css-display-grid'],
      ...['css-display-flex', 'css-selector-type'],
    ]) {
      assert.ok(!used(html).includes(slug), slug)
    }
  })

  it('counts how often a feature is used', () => {
    const { features, elementCount } = checkHtml(
      '<p style="display:flex"><P Style=display:flex><style>p{display:flex}</style>',
    )
    assert.equal(features.find(({ feature }) => feature.slug === 'css-display-flex')?.found, 3)
    assert.equal(elementCount, 3)
  })

  it('tells how much each client supports, by its newest version', () => {
    const { clients } = checkHtml('<div style="display:grid"></div>')
    const shares = new Map(clients.map((client) => [client.client, client]))
    assert.equal(shares.get('apple-mail.macos')?.supported, 100)
    const outlook = shares.get('outlook.windows')
    assert.equal(outlook?.name, 'Outlook Windows')
    assert.ok(Number(outlook?.unsupported) > 0)
    const feature = knownFeatures().get('css-display-grid')
    assert.ok(feature !== undefined)
    const versions = feature.results.filter(({ client }) => client === 'outlook.windows')
    const newest = newestResults(feature).find(({ client }) => client === 'outlook.windows')
    assert.equal(newest?.version, versions.at(-1)?.version)
    assert.deepEqual(
      clients.map(({ supported, partial, unsupported }) =>
        Math.round(supported + partial + unsupported),
      ),
      clients.map(() => 100),
    )
  })

  it('survives any markup', () => {
    const piece = fc.constantFrom(
      ...[
        '<',
        '>',
        '</',
        '<p',
        '<style>',
        '</style>',
        ' style="',
        '"',
        "'",
        '=',
        '{',
        '}',
        ';',
        ':',
      ],
      ...['/*', '*/', '@media', '(', ')', '<!--', '-->', 'a', ' ', '\n', '<!', 'url(', '&amp'],
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        checkHtml(pieces.join(''))
      }),
      { numRuns: 10_000 },
    )
  })

  it('takes linear time', () => {
    for (const piece of [
      ...['<', '<p ', '<p a="', '<p style="(', '<style>(', '<style>{', '<style>a:', '<!--', '<!'],
      ...['<p style="a:b;', '<p style=a:b>', '<style>@media(', '<style>/*', ' ', '<p / / ', '"'],
      ...['<style>a,', '<img src="data:image/png', '<p style="\'', '<style></style>', '<p a =b'],
    ]) {
      const html = piece + piece.repeat(Math.ceil(1_000_000 / piece.length))
      const ms = workedMs(() => checkHtml(html))
      assert.ok(ms < 2_000, `${piece}: ${ms} ms`)
    }
  })
})
