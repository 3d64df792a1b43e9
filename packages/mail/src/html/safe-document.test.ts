import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { HOSTILE_HTML } from '../../test/testing-hostile-html.ts'
import { readMarkup } from '../../test/testing-markup.ts'
import { workedMs } from '../../test/testing-worked-ms.ts'
import { safeDocument, textDocument } from './safe-document.ts'
import { type SafeHtmlOptions, safeHtml } from './safe-html.ts'

const BLOCKING: SafeHtmlOptions = {
  remoteImages: 'block',
  imageUrl: (id) => (id === 'logo' ? 'data:image/png;base64,AA==' : null),
}
const ALLOWING: SafeHtmlOptions = { ...BLOCKING, remoteImages: 'allow' }

const styleOf = (html: string, options = BLOCKING) =>
  /<style>([^<]*)<\/style>/.exec(safeDocument(html, options))?.[1]?.split('\n').slice(1, -1)

const sheet = (css: string, options = BLOCKING) => styleOf(`<style>${css}</style>`, options)

/** The document without its head, of which `styleOf` tests tell. */
const bodyOf = (html: string, options = BLOCKING) =>
  safeDocument(html, options).split('</head>\n')[1] ?? ''

/** Nothing in a document may run, submit, frame, or fetch by itself. */
function assertHarmless(document: string, options: SafeHtmlOptions): void {
  const { elements } = readMarkup(document)
  const names = elements.map(({ name }) => name)
  for (const name of ['html', 'head', 'style', 'body']) {
    assert.equal(names.filter((one) => one === name).length, 1, name)
  }
  for (const { name, attributes } of elements) {
    assert.doesNotMatch(name, /script|iframe|frame|object|embed|form|input|link|base|svg|math/)
    for (const [attribute, value] of attributes) {
      assert.doesNotMatch(attribute, /^(?:on|srcdoc|srcset|action|formaction|xlink|http-equiv)/)
      const isAddress = attribute === 'href' || attribute === 'src' || attribute === 'background'
      if (isAddress) assert.match(value, /^(?:https?:\/\/|mailto:|data:image\/)/i)
    }
  }
  assert.doesNotMatch(styleText(document), /[<\\]|@(?!media)|expression|javascript/i)
  if (options.remoteImages === 'allow') return
  const inStyles = elements.flatMap(({ attributes }) =>
    attributes.filter(([name]) => name === 'style').map(([, value]) => value),
  )
  for (const style of [styleText(document), ...inStyles]) {
    assert.doesNotMatch(style, /url\(\s*["']?(?!data:)[^)]/i)
  }
}

const styleText = (document: string) => /<style>([\s\S]*?)<\/style>/.exec(document)?.[1] ?? ''

describe('the document of a mail', () => {
  it('tells of remote images, whether they are kept or removed', () => {
    const cases: readonly (readonly [html: string, count: number])[] = [
      ['<img src="https://a.example/x.png"><img src="http://b.example/y.gif">', 2],
      ['<table background="https://a.example/x.png"><tr><td>x</table>', 1],
      ['<p style="background: #fff url(https://a.example/x.png)">x</p>', 1],
      ['<style>p { background-image: url("https://a.example/x.png") }</style><p>x</p>', 1],
      ['<style>@media print { p { background: url(https://a.example/x) } }</style><p>x</p>', 1],
      ['<img src="cid:logo"><img src="cid:none"><img src="data:image/png;base64,AA=="><img>', 0],
      ['<a href="https://a.example/">x</a><img src="x.png"><p style="color: red">x</p>', 0],
      ['<style>@import url("https://a.example/x.css");</style><script src="https://a.example">', 0],
      ['<link rel="stylesheet" href="https://a.example/x.css"><p>https://a.example/x.png</p>', 0],
    ]
    for (const [html, expected] of cases) {
      for (const options of [BLOCKING, ALLOWING]) {
        let count = 0
        const onRemoteImage = () => {
          count += 1
        }
        safeDocument(html, { ...options, onRemoteImage })
        assert.equal(count, expected, html)
      }
    }
  })

  it('keeps its style sheets, also for narrow and dark screens', () => {
    assert.deepEqual(
      sheet(`/* a */ .btn, a.btn:hover > b { color: #fff !important; position: fixed }
        @media only screen and (max-width: 600px) { .wide { width: 100% } td[class="x"] {float:none} }
        @media (prefers-color-scheme: dark) { body { background-color: #000 } }`),
      [
        '.btn,a.btn:hover > b{color:#fff !important}',
        '@media only screen and (max-width: 600px){.wide{width:100%}',
        'td[class="x"]{float:none}',
        '}',
        '@media (prefers-color-scheme: dark){body{background-color:#000}',
        '}',
      ],
    )
  })

  it('keeps what the sheets select by, and the attributes of the body', () => {
    const html =
      '<html><head><style>.a{color:red}</style></head><body class="a" bgcolor="#eee" onload="x()">' +
      '<p class="a b" id="first">hi</p></body></html>'
    const body = '<body class="a" bgcolor="#eee"><p class="a b" id="first">hi</p></body></html>\n'
    assert.equal(bodyOf(html), body)
    assert.equal(safeHtml(html, BLOCKING), '<p>hi</p>', 'a fragment keeps neither')
  })

  it('has both colour schemes when the mail says so', () => {
    const scheme = '<meta name="color-scheme" content="light dark">'
    assert.ok(safeDocument(`<head>${scheme}</head>x`, BLOCKING).includes(scheme))
    assert.ok(!safeDocument('<p>x</p>', BLOCKING).includes(scheme))
  })

  it('drops what could fetch or leave the sheet', () => {
    for (const css of [
      '@import "https://evil.example/x.css";',
      '@font-face { font-family: x; src: url(https://evil.example/x) }',
      '@media screen { @import url(x); @font-face { src: url(y) } }',
      '@supports (display:grid) { .a { color: red } }',
      '@media screen and (x<y) { .a { color: red } }',
      '.a { background: url(https://evil.example/x.png) }',
      '.a { background-image: image-set("https://evil.example/x.png" 1x) }',
      '.a { width: expression(alert(1)) }',
      '.a { -moz-binding: url(x) }',
      '.a\\3c b { color: red }',
      '.a < b { color: red }',
      '.a { color: r\\65 d }',
      '{}',
    ]) {
      assert.deepEqual(sheet(css), [], css)
    }
    assert.deepEqual(sheet('@media print { .a { color: red'), ['@media print{.a{color:red}', '}'])
    const image = '.a{background:url("https://ok.example/x.png")}'
    assert.deepEqual(sheet(image, ALLOWING), [image])
    assert.deepEqual(sheet('.a{background:url(cid:logo)}'), [
      '.a{background:url("data:image/png;base64,AA==")}',
    ])
  })

  it('is harmless, whatever the mail is', () => {
    for (const payload of HOSTILE_HTML) {
      for (const options of [BLOCKING, ALLOWING]) {
        for (const html of [payload, `<style>${payload}</style>x`, `<style>a{${payload}}`]) {
          assertHarmless(safeDocument(html, options), options)
        }
      }
    }
    const pieces = HOSTILE_HTML.flatMap((payload) => payload.match(/<[^>]*>?|[^<]+/g) ?? [])
    const mixture = fc.array(
      fc.constantFrom(...pieces, '<style>', '</style>', '{', '}', '<body '),
      {
        maxLength: 12,
      },
    )
    fc.assert(
      fc.property(mixture, (parts) => {
        assertHarmless(safeDocument(parts.join(''), BLOCKING), BLOCKING)
      }),
      { numRuns: 1_000 },
    )
  })

  it('takes linear time', () => {
    const elapsedMs = workedMs(() => {
      for (const piece of [
        '<style>',
        '<style></style>',
        '<style>{',
        '<body ',
        '<style>@media x{',
      ]) {
        safeDocument(piece.repeat(100_000), BLOCKING)
        safeDocument(`<style>${'@media x{'.repeat(50_000)}`, BLOCKING)
      }
    })
    assert.ok(elapsedMs < 10_000, `${elapsedMs} ms`)
  })

  it('shows plain text as it is', () => {
    assert.match(textDocument('a <b>&\n c'), /<pre[^>]*>a &#60;b&#62;&#38;\n c<\/pre>/)
  })
})
