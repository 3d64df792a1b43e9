import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { workedMs } from '../../test/testing-worked-ms.ts'
import { HTML_TAGS_MAX, TEXT_CHARS_MAX } from '../limits.ts'
import { readHtml } from './read-html.ts'

/** The visible text of each block, and what is hidden in brackets. */
function outline(html: string): string[] {
  return readHtml(html).blocks.map((block) =>
    block.runs.map((run) => (run.style.isHidden ? `[${run.text}]` : run.text)).join(''),
  )
}

function onlyRun(html: string) {
  const [run, ...others] = readHtml(html).blocks.flatMap((block) => block.runs)
  assert.ok(run !== undefined && others.length === 0, `one run expected in ${html}`)
  return run
}

describe('blocks', () => {
  const cases: readonly (readonly [name: string, html: string, blocks: readonly string[]])[] = [
    ['nothing', '', []],
    ['white space alone', ' \n\t<p> </p>&nbsp;', []],
    ['plain text', 'a\n  b', ['a b']],
    ['paragraphs', '<p>a</p>b<p>c</p>', ['a', 'b', 'c']],
    ['unclosed paragraphs', '<p>a<p>b<div>c', ['a', 'b', 'c']],
    ['spaces across inline elements', 'a <b> b </b> c', ['a b c']],
    ['line breaks', 'a<br>b<br/>c</br>d<br>', ['a\nb\nc\nd']],
    ['a word broken into elements', '<span>4</span><b>2</b>', ['42']],
    ['entities', '&lt;b&gt; &amp;amp; &#x41;&#66; &nosuch; &copy 2', ['<b> &amp; AB &nosuch; © 2']],
    ['rare entities', '&DoubleRightArrow;&NotEqualTilde;&fjlig;', ['⇒≂̸fj']],
    ['comments', 'a<!-- <p>no</p> -->b<!-->c<!--->d', ['abcd']],
    ['an unclosed comment', 'a<!-- b', ['a']],
    ['what only Outlook sees', '<!--[if mso]><p>no</p><![endif]--><p>a</p>', ['a']],
    ['what only Outlook does not see', '<!--[if !mso]><!--><p>a</p><!--<![endif]-->', ['a']],
    ['a revealed condition', '<![if !mso]><p>a</p><![endif]>', ['a']],
    ['CDATA, which HTML takes for a comment', 'a<![CDATA[b]]>c', ['ac']],
    [
      'script, style and title',
      '<title>t</title><style>p{}</style><script>"<p>x</p>"</script>a',
      ['a'],
    ],
    ['an end tag that looks like the right one', '<style></stylex>p</style>a', ['a']],
    ['preformatted text', '<pre>a  b\r\nc</pre>', ['a  b\nc']],
    ['a less-than sign that is text', 'a < b <3 <> c', ['a < b <3 <> c']],
    ['a tag that never ends', 'a<p title="b', ['a']],
    ['a > inside an attribute', '<p title="a>b">c</p>', ['c']],
    ['a line break inside a tag', '<p\nclass=x\n>a</p\n>b', ['a', 'b']],
    ['capitals', '<P>a</P><TABLE><TR><TD>b', ['a', 'b']],
    ['unmatched end tags', '</div></p></td>a</b>', ['a']],
    [
      'inline blocks',
      '<div style="display:inline-block">a</div><div style="display:inline">b</div>',
      ['ab'],
    ],
    ['an inline element as a block', 'a<span style="display:block">b</span>c', ['a', 'b', 'c']],
    ['alternative text', '<p>a <img src=x alt="b  c"> d</p>', ['a b c d']],
    ['a field', '<p>a <input value="b"> <input type=hidden value="c"> d</p>', ['a b d']],
    ['text after the end', '<html><body>a</body></html>b', ['ab']],
    ['a paragraph end out of reach', '<p>a<table><tr><td>b</p>c</table>', ['a', 'bc']],
  ]
  for (const [name, html, blocks] of cases) {
    it(`reads ${name}`, () => assert.deepEqual(outline(html), blocks))
  }

  it('names the nearest block element', () => {
    const tags = readHtml('<div>a<h1><b>b</b></h1><ul><li>c</ul></div>').blocks.map((b) => b.tag)
    assert.deepEqual(tags, ['div', 'h1', 'li'])
  })

  it('tells cells of one row from those of the next', () => {
    const table = '<table><tr><td>1<td><p>2</p></td></tr><tr><td>3</table>'
    const cells = readHtml(table).blocks.map(({ cell }) => [cell?.row, cell?.column])
    assert.deepEqual(cells, [
      [1, 0],
      [1, 1],
      [2, 0],
    ])
  })

  it('knows the cell around a nested table', () => {
    const { blocks } = readHtml('<table><tr><td><table><tr><td>a</table><td>b</table>')
    const [inner, outer] = blocks
    assert.equal(inner?.cell?.parent?.row, outer?.cell?.row)
    assert.equal(outer?.cell?.column, 1)
  })

  it('takes floats and flex children for cells of a row', () => {
    for (const html of [
      '<div style="display:flex"><div>1</div><div>2</div></div>',
      '<div><div style="float:left">1</div><div style="float:left">2</div></div>',
      '<div><div style="display:table-cell">1</div><div style="display:table-cell">2</div></div>',
    ]) {
      const rows = readHtml(html).blocks.map(({ cell }) => cell?.row)
      assert.deepEqual(rows, [1, 1], html)
    }
  })

  it('numbers list items', () => {
    const list = '<ol start=3><li>a<li><p>b</p><p>c</p></ol><ul><li>d</ul>'
    assert.deepEqual(
      readHtml(list).blocks.map((b) => b.marker),
      ['3.', '4.', null, '-'],
    )
  })

  it('knows where there is an empty line', () => {
    const { blocks } = readHtml('a<div>b</div><div>c</div><p>d</p>e<br><br>f<div>g</div><br><div>h')
    assert.deepEqual(
      blocks.map((b) => b.hasGapBefore),
      [false, false, false, true, true, false, true],
    )
  })

  it('knows what is centred', () => {
    const centred = (html: string) => readHtml(html).blocks[0]?.isCentred
    for (const html of [
      '<center>a',
      '<td align=center>a',
      '<p style="text-align: center">a',
      '<th>a',
    ]) {
      assert.equal(centred(html), true, html)
    }
    for (const html of ['a', '<table align=center><tr><td>a', '<center><p align=left>a']) {
      assert.equal(centred(html), false, html)
    }
  })
})

describe('styles', () => {
  const hidden: readonly string[] = [
    '<div style="display:none">a</div>',
    '<div style="DISPLAY : NONE !important">a</div>',
    '<div style="display:none"><p style="display:block">a</p></div>',
    '<div style="visibility:hidden">a</div>',
    '<div style="opacity:0">a</div>',
    '<div style="opacity:0"><b style="opacity:1">a</b></div>',
    '<div style="max-height:0;overflow:hidden">a</div>',
    '<div style="height:0px;overflow:hidden">a</div>',
    '<div style="font-size:0">a</div>',
    '<div style="font-size:1px">a</div>',
    '<div style="font-size:0px"><b style="font-size:2em">a</b></div>',
    '<div style="color:#ffffff">a</div>',
    '<div style="color:#fefefe">a</div>',
    '<div bgcolor="#336699"><font color="336699">a</font></div>',
    '<div style="background:#123 ;color:rgb(17,34,51)">a</div>',
    '<div style="color:transparent">a</div>',
    '<div style="color:rgba(0,0,0,0)">a</div>',
    '<div style="position:absolute;left:-9999px">a</div>',
    '<div style="text-indent:-9999px">a</div>',
    '<p hidden>a</p>',
    '<template>a</template>',
    '<style>.x{display:none}</style><p class="y x">a</p>',
    '<style>p#x{display:none}</style><p id=x>a</p>',
    '<style>/* } */ p , .y{color:#fff}</style><p>a</p>',
    '<style>@import "x"; @font-face{src:url(x)} .x{display:none}</style><p class=x>a</p>',
  ]
  for (const html of hidden)
    it(`hides ${html}`, () => assert.equal(onlyRun(html).style.isHidden, true))

  const visible: readonly string[] = [
    '<div style="visibility:hidden"><b style="visibility:visible">a</b></div>',
    '<div style="font-size:0"><b style="font-size:14px">a</b></div>',
    '<div style="max-height:0">a</div>',
    '<div style="display:none;display:block">a</div>',
    '<div style="background:#06c;color:#fff">a</div>',
    '<div style="background:rgba(0,0,0,.05);color:#000">a</div>',
    '<div style="background:#0000000d;color:#000">a</div>',
    '<div style="background:url(x;color:red)"><b style="color:#fff">a</b></div>',
    '<table background=x.png><tr><td style="color:white">a</table>',
    '<style>.b td{background:#06c}</style><table class=b><tr><td style="color:#fff">a</table>',
    '<style>@media (max-width:1px){p{display:none} .x{}}</style><p>a</p>',
    '<style>p:hover,p.x{display:none}</style><p>a</p>',
    '<div style="color:#fff"><a href="#">a</a></div>',
    '<div style="mso-hide:all">a</div>',
    '<p style="display:none"></p><p>a</p>',
    '<p style="display:none"><p>a</p>',
    '<div><span style="display:none"></div>a',
  ]
  for (const html of visible)
    it(`shows ${html}`, () => assert.equal(onlyRun(html).style.isHidden, false))

  const sizes: readonly (readonly [html: string, fontSizePx: number])[] = [
    ['a', 16],
    ['<h1>a', 32],
    ['<font size=7>a', 48],
    ['<font size="+1">a', 18],
    ['<p style="font-size:12pt">a', 16],
    ['<p style="font-size:20px"><b style="font-size:150%">a', 30],
    ['<h1 style="font-size:1em">a', 16],
    ['<p style="font:bold 24px/1.2 Arial">a', 24],
    ['<p style="font-size:x-large">a', 24],
    ['<p style="font-size:constructor;color:toString">a', 16],
    ['<style>p{font-size:9px}.x{font-size:40px}</style><p class=x>a', 40],
  ]
  for (const [html, size] of sizes) {
    it(`sizes ${html}`, () => assert.equal(Math.round(onlyRun(html).style.fontSizePx), size))
  }

  it('knows bold, monospaced and spaced text', () => {
    const { style } = onlyRun(
      '<td style="font-weight:700;font-family:Courier;font-size:10px;letter-spacing:.5em">a',
    )
    assert.deepEqual([style.isBold, style.isMonospace, style.letterSpacingPx], [true, true, 5])
    assert.equal(onlyRun('<b><span style="font-weight:normal">a').style.isBold, false)
    assert.equal(onlyRun('<code>a').style.isMonospace, true)
  })
})

describe('links', () => {
  const cases: readonly (readonly [html: string, links: readonly (readonly [string, string])[]])[] =
    [
      [
        '<a href="https://a.example/?x=1&amp;y=2">a <b>b</b></a>',
        [['https://a.example/?x=1&y=2', 'a b']],
      ],
      ['<a href="?a=1&copy=2&lt=3">a</a>', [['?a=1&copy=2&lt=3', 'a']]],
      ['<a href=" https://a.example/\n x\t ">a</a>', [['https://a.example/ x', 'a']]],
      ['<a href=x><img alt="Go"></a>', [['x', 'Go']]],
      ['<a href=x><table><tr><td>a<td>b</table></a>', [['x', 'a b']]],
      [
        '<a href=x>a<a href=y>b</a>',
        [
          ['x', 'a'],
          ['y', 'b'],
        ],
      ],
      ['<a name=x>a</a>', []],
      ['<a href=x>a<span style="display:none">b</span></a>', [['x', 'a']]],
      ['<a href=x style="display:none">a</a>', [['x', 'a']]],
      ['<map><area href=x alt=a></map>', [['x', 'a']]],
      ['<A HREF=x>a<br>b</A>', [['x', 'a b']]],
    ]
  for (const [html, links] of cases) {
    it(`finds those of ${html}`, () => {
      assert.deepEqual(
        readHtml(html).links.map(({ url, text }) => [url, text]),
        links,
      )
    })
  }

  it('reads each of several that differ in their addresses alone', () => {
    const link = (rest: string) => `<a href="${rest}">`
    const read = readHtml(
      [
        `${link('/1" style="display:none')}a${link('/2" style="display:none')}b`,
        `${link('/&amp;3" style="color:red')}c${link('/4" style="color:red" title="x>')}d`,
        `${link('" href="/5" style="color:red')}e${link('" href="/5" style="color:red')}f`,
        `<style>a.x { display: none }</style>${link('/6" class="x')}g`,
        `<style>a.x { display: inline }</style>${link('/7" class="x')}h</a>`,
      ].join(''),
    )
    const runs = read.blocks.flatMap((block) => block.runs)
    assert.deepEqual(
      runs.map(({ text, href, style }) => [text, href, style.isHidden, style.colour]),
      [
        ['a', '/1', true, 0x0000ee],
        ['b', '/2', true, 0x0000ee],
        ['c', '/&3', false, 0xff0000],
        ['d', '/4', false, 0xff0000],
        ['e', '/5', false, 0xff0000],
        ['f', '/5', false, 0xff0000],
        ['g', '/6', true, 0x0000ee],
        ['h', '/7', false, 0x0000ee],
      ],
    )
  })

  it('have runs of their own even with one address', () => {
    const link = '<a href="/x" style="color:red">a</a>'
    const [block] = readHtml(link + link).blocks
    assert.deepEqual(
      block?.runs.map(({ text }) => text),
      ['a', 'a'],
    )
  })

  it('tells which text is a link', () => {
    const runs = readHtml('a<a href=x>b</a>c').blocks[0]?.runs.map((run) => run.href)
    assert.deepEqual(runs, [null, 'x', null])
  })
})

describe('hostile HTML', () => {
  it('is read up to a number of tags', () => {
    const { blocks, isTruncated } = readHtml(`${'<p>a'.repeat(HTML_TAGS_MAX)}b<p>unread`)
    assert.equal(isTruncated, true)
    assert.equal(blocks.length, HTML_TAGS_MAX)
    assert.equal(readHtml(`${'<p>a'.repeat(HTML_TAGS_MAX)}b`).isTruncated, false)
  })

  it('reads any string', () => {
    const piece = fc.constantFrom(
      ...['<', '</', '>', '<p', '<td>', '</td>', '<table>', '</table>', '<a href="', '"', "'", '='],
      ...[
        '<!--',
        '-->',
        '<style>',
        '</style>',
        '{',
        '}',
        '@media',
        ';',
        'style="display:none"',
        '&',
      ],
      ...['&#', 'x', '&amp;', ' ', '\n', '<br>', '<li>', '<ol>', '<pre>', 'text', '\ud800', '\0'],
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const html = pieces.join('')
        const { blocks } = readHtml(html)
        const chars = blocks.flatMap((b) => b.runs).reduce((sum, run) => sum + run.text.length, 0)
        assert.ok(chars <= html.length)
        assert.ok(blocks.every((block) => block.runs.every((run) => run.text !== '')))
      }),
      { numRuns: 2_000 },
    )
  })

  it('keeps a bounded amount of text and says so', () => {
    const { blocks, isTruncated } = readHtml(`<p>${'word '.repeat(TEXT_CHARS_MAX)}`)
    assert.equal(blocks[0]?.runs[0]?.text.length, TEXT_CHARS_MAX)
    assert.equal(isTruncated, true)
  })

  // Linear work is done in tenths of a second here, quadratic work in minutes.
  const shapes: readonly (readonly [name: string, html: string])[] = [
    ['open tags', '<b>'.repeat(300_000)],
    ['cells', '<table><tr><td>1'.repeat(60_000)],
    ['end tags out of reach', `<p><table><td>${'</p>'.repeat(300_000)}`],
    ['line breaks', `x${'<br>'.repeat(200_000)}x `],
    ['spaces before line breaks', 'x <br>'.repeat(150_000)],
    ['ampersands', '&a'.repeat(500_000)],
    ['declarations without a colon', `<p style="${'a;'.repeat(500_000)}:">`],
    ['rules', `<style>${'@a{}'.repeat(250_000)}`],
    ['comment starts', '<!--'.repeat(250_000)],
    ['unclosed quotes', '<a href="'.repeat(100_000)],
    ['unclosed functions', `<p style="background:${'rgb('.repeat(250_000)}">`],
    ['almost end tags', '<script></scrip'.repeat(70_000)],
  ]
  for (const [name, html] of shapes) {
    it(`takes linear time for a million characters of ${name}`, () => {
      const elapsedMs = workedMs(() => {
        readHtml(html)
      })
      assert.ok(elapsedMs < 5_000)
    })
  }
})
