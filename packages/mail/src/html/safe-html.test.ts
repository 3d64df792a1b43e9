import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { HOSTILE_HTML } from '../../test/testing-hostile-html.ts'
import { type Markup, readMarkup } from '../../test/testing-markup.ts'
import { workedMs } from '../../test/testing-worked-ms.ts'
import { readHtml } from './read-html.ts'
import { readableText } from './readable-text.ts'
import { type SafeHtmlOptions, safeHtml } from './safe-html.ts'

const BLOCKING: SafeHtmlOptions = {
  remoteImages: 'block',
  imageUrl: (id) => (id === 'logo@app.example' ? '/attachments/1' : null),
}
const ALLOWING: SafeHtmlOptions = { ...BLOCKING, remoteImages: 'allow' }

/** Attributes that are added to every link. */
const OUTSIDE = 'target="_blank" rel="noopener noreferrer nofollow"'

const SHOWN = new Set(
  `a abbr address article aside b bdi bdo big blockquote br caption center cite code
  col colgroup dd del dfn div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hr
  i img ins kbd li main mark ol p pre q s samp section small span strike strong sub sup table
  tbody td tfoot th thead time tr tt u ul var wbr`.split(/\s+/),
)

const ATTRIBUTES = new Set(
  `align valign dir lang title alt width height bgcolor color size face border
  cellpadding cellspacing colspan rowspan span start type nowrap datetime style background href
  target rel src`.split(/\s+/),
)

/** Asserts that nothing in the markup runs, submits, frames, or fetches by itself. */
function assertHarmless(markup: Markup, remoteImages: 'block' | 'allow'): void {
  assert.deepEqual(markup.others, [], 'no comment, doctype or instruction')
  for (const { name, attributes } of markup.elements) {
    assert.ok(SHOWN.has(name), `<${name}> is shown`)
    for (const [attribute, value] of attributes) {
      assert.ok(ATTRIBUTES.has(attribute), `<${name} ${attribute}> is kept`)
      if (attribute === 'href') assert.match(value, /^(?:https?:\/\/|mailto:)/i)
      if (attribute === 'style') assertHarmlessStyle(value, remoteImages)
      if (attribute === 'src' || attribute === 'background') assertImage(value, remoteImages)
    }
    if (attributes.some(([attribute]) => attribute === 'href')) {
      const rest = Object.fromEntries(attributes)
      assert.equal(name, 'a')
      assert.equal(rest['target'], '_blank')
      assert.equal(rest['rel'], 'noopener noreferrer nofollow')
    }
  }
}

function assertImage(url: string, remoteImages: 'block' | 'allow'): void {
  const isOwn =
    url === '/attachments/1' || /^data:image\/(?:png|gif|jpeg|webp|bmp);base64,/.test(url)
  assert.ok(isOwn || (remoteImages === 'allow' && /^https?:\/\//i.test(url)), `image ${url}`)
}

function assertHarmlessStyle(style: string, remoteImages: 'block' | 'allow'): void {
  assert.doesNotMatch(
    style,
    /expression|javascript|behaviou?r|binding|@import|\\|\/\*|position\s*:/i,
  )
  for (const [, url = ''] of style.matchAll(/url\(\s*["']?([^"')]*)/gi)) {
    assertImage(url, remoteImages)
  }
}

describe('hostile HTML', () => {
  it('is a table of at least 120', () => assert.ok(HOSTILE_HTML.length >= 120))

  for (const payload of HOSTILE_HTML) {
    it(`is harmless: ${payload.slice(0, 120)}`, () => {
      for (const options of [BLOCKING, ALLOWING]) {
        const safe = safeHtml(payload, options)
        assertHarmless(readMarkup(safe), options.remoteImages)
        // Sanitising the result once more must not change it.
        const cids = { ...options, imageUrl: (id: string) => `cid:${id}` }
        const once = safeHtml(payload, cids)
        assert.equal(safeHtml(once, cids), once)
      }
    })
  }

  it('is harmless in any mixture', () => {
    const pieces = HOSTILE_HTML.flatMap((payload) => payload.match(/<[^>]*>?|[^<]+/g) ?? [])
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 12 }), (mixture) => {
        assertHarmless(readMarkup(safeHtml(mixture.join(''), BLOCKING)), 'block')
      }),
      { numRuns: 2_000 },
    )
  })

  it('takes linear time', () => {
    const elapsedMs = workedMs(() => {
      for (const piece of [
        '<div>',
        '<',
        '<a href="',
        '<!--',
        '<b style="color:red;">',
        '<table><tr><td>',
        '&',
        '<noscript>',
        '<iframe>',
        '<b>',
        '<td>',
        '<p>',
        '<li>',
        '<svg><style>',
        '<svg><svg ',
        '<math><mi>',
        '<a\0b>',
        '</p>',
        '<select><option>',
      ]) {
        safeHtml(piece.repeat(Math.ceil(500_000 / piece.length)), BLOCKING)
      }
      safeHtml(`<p style="${'color:red;'.repeat(100_000)}">`, BLOCKING)
      safeHtml(`<p style="color:${'('.repeat(500_000)}">`, BLOCKING)
    })
    assert.ok(elapsedMs < 20_000)
  })
})

describe('harmless HTML', () => {
  const cases: readonly (readonly [html: string, safe: string])[] = [
    ['<p>Hello <b>you</b> &amp; me</p>', '<p>Hello <b>you</b> &amp; me</p>'],
    ['<p style="color:#333;font-size:14px">a</p>', '<p style="color:#333;font-size:14px">a</p>'],
    [
      '<td align="center" bgcolor="#ffffff" width="600" onclick="x()">a</td>',
      '<td align="center" bgcolor="#ffffff" width="600">a</td>',
    ],
    [
      '<a href="https://a.example/?x=1&amp;y=2">a</a>',
      `<a href="https://a.example/?x=1&amp;y=2" ${OUTSIDE}>a</a>`,
    ],
    ['<a href="mailto:a@b.example">a</a>', `<a href="mailto:a@b.example" ${OUTSIDE}>a</a>`],
    ['<a href="#top" name="top">a</a>', '<a>a</a>'],
    [
      '<img src="cid:logo@app.example" alt="Logo" width="10">',
      '<img alt="Logo" width="10" src="/attachments/1" />',
    ],
    ['<img src="CID:logo%40app.example">', '<img src="/attachments/1" />'],
    ['<img src="cid:other" alt="x">', '<img alt="x" />'],
    ['<img src="https://a.example/x.png" alt="x">', '<img alt="x" />'],
    ['<img srcset="https://a.example/x.png 2x" src="//a.example/x">', '<img />'],
    ['<img src="data:image/png;base64,iVBORw0=">', '<img src="data:image/png;base64,iVBORw0=" />'],
    ['<td background="https://a.example/x.png">a</td>', '<td>a</td>'],
    [
      '<div style="background:#fff url(https://a.example/x.png)">a</div>',
      '<div style="background:#fff">a</div>',
    ],
    [
      '<div style="background-image:url(cid:logo@app.example)">a</div>',
      '<div style="background-image:url(&quot;/attachments/1&quot;)">a</div>',
    ],
    ['<style>p{color:red}</style><title>t</title><p>a</p>', '<p>a</p>'],
    ['<form action="https://a.example"><input name="a"><button>b</button>c</form>', 'bc'],
    ['<!-- comment --><p>a<!--[if mso]>b<![endif]--></p>', '<p>a</p>'],
    [
      '<font face="Arial, sans-serif" size="+1" color="red">a</font>',
      '<font face="Arial, sans-serif" size="+1" color="red">a</font>',
    ],
    [
      "<p style=\"font-family:'Courier New', '微软雅黑', monospace\">a</p>",
      "<p style=\"font-family:'Courier New', '微软雅黑', monospace\">a</p>",
    ],
  ]
  for (const [html, safe] of cases) {
    it(`of ${html}`, () => assert.equal(safeHtml(html, BLOCKING), safe))
  }

  it('shows remote images where they are asked for', () => {
    const html =
      '<img src="https://a.example/x.png"><td background="http://a.example/y.png">' +
      '<p style="background:#fff url(\'https://a.example/z.png\') no-repeat">a</p></td>'
    const { elements } = readMarkup(safeHtml(html, ALLOWING))
    assert.deepEqual(
      elements.map(({ attributes }) => attributes.map(([, value]) => value)),
      [
        ['https://a.example/x.png'],
        ['http://a.example/y.png'],
        [
          'background:#fff  no-repeat url("https://a.example/z.png")'.replace(
            'background:',
            'background:',
          ),
        ],
      ],
    )
  })

  it('says the same as the HTML itself', () => {
    const html =
      '<h1>Hi</h1><p>One<br>two <a href="https://a.example">three</a></p><ul><li>four</ul>'
    assert.equal(readableText(readHtml(safeHtml(html, BLOCKING))), readableText(readHtml(html)))
  })
})
