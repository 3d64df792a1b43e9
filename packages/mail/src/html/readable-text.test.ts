import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { PREVIEW_CHARS_MAX, TEXT_CHARS_MAX } from '../limits.ts'
import { readHtml } from './read-html.ts'
import { previewOf, readableText, readableTextWithUrls, textToHtml } from './readable-text.ts'

describe('readable text with the addresses of links', () => {
  const withUrls = (html: string) => readableTextWithUrls(readHtml(html), (url) => `( ${url} )`)
  const cases: readonly (readonly [html: string, text: string])[] = [
    ['<a href="https://a.example?b=1&amp;c">a</a> d', 'a ( https://a.example?b=1&c ) d'],
    ['<p><a href="https://a.example"><b>a</b> b</a>.</p>c', 'a b ( https://a.example ).\n\nc'],
    ['<a href="https://a.example">https://a.example</a>', 'https://a.example'],
    ['<a href="mailto:a@b.example">a@b.example</a>', 'a@b.example'],
    ['<a href="https://a.example">a<br></a>b', 'a ( https://a.example )\nb'],
    ['<a href="/a"><div>a</div><div>b</div></a>', 'a\nb ( /a )'],
    ['<a href="/a">a</a> <a href="/b">b</a>', 'a ( /a ) b ( /b )'],
    ['<a href="/a"><img alt="a"></a>', 'a ( /a )'],
    ['<a href="">a</a><a name="b">b</a>', 'ab'],
    ['<p style="display:none"><a href="/a">a</a></p>b', 'b'],
  ]
  for (const [html, text] of cases) {
    it(`of ${html}`, () => assert.equal(withUrls(html), text))
  }

  it('has no more than a bound of them', () => {
    const url = `https://a.example/${'x'.repeat(10_000)}`
    const nested = `<a href="${url}">a${'<b><object><a href="/b">b</a></object></b>a'.repeat(2_000)}`
    for (const html of [nested, `<a href="${url}">${'<p>a</p>'.repeat(50_000)}</a>`]) {
      assert.ok(withUrls(html).length < 2 * TEXT_CHARS_MAX)
    }
  })
})

describe('readable text', () => {
  const cases: readonly (readonly [html: string, text: string])[] = [
    ['', ''],
    ['<p>a</p><p>b</p>', 'a\n\nb'],
    ['<div>a</div><div>b</div>', 'a\nb'],
    ['a<br>b<br><br>c', 'a\nb\n\nc'],
    ['a <br> b', 'a\nb'],
    ['<h1>a</h1>b', 'a\n\nb'],
    ['<ul><li>a<li>b</ul>', '- a\n- b'],
    ['<ol><li>a<li>b</ol>', '1. a\n2. b'],
    ['<table><tr><td>a<td>b<tr><td>c<td>d</table>', 'a b\nc d'],
    ['<table><tr><td><p>a</p></td><td><p>b</p></td></tr></table>', 'a b'],
    ['<a href="https://a.example">a</a> b', 'a b'],
    ['<img alt="a"> b <img alt="">', 'a b'],
    ['a<span style="display:none">b</span>c', 'ac'],
    ['<p style="display:none">a</p>b', 'b'],
    ['a&nbsp;&nbsp;b&shy;c&#8203;d&lt;', 'a  bcd<'],
    ['<pre>a\n  b</pre>', 'a\n  b'],
    ['<p>می&zwnj;خواهم</p>', 'می\u200cخواهم'],
    ['<p>👨&zwj;👩&zwj;👧</p>', '👨\u200d👩\u200d👧'],
  ]
  for (const [html, text] of cases) {
    it(`of ${html}`, () => assert.equal(readableText(readHtml(html)), text))
  }
})

describe('previews', () => {
  const cases: readonly (readonly [text: string, preview: string | null])[] = [
    ['', null],
    [' \n\u00a0\u200b', null],
    ['a\n\n b\tc', 'a b c'],
    ['a\u00a0\u200c\u00a0\u200c\u00a0\u200cb', 'a b'],
    ['a\u034f\u00a0\u034f b\u00adc', 'a bc'],
    ['می\u200cخواهم', 'می\u200cخواهم'],
    ['x'.repeat(PREVIEW_CHARS_MAX), 'x'.repeat(PREVIEW_CHARS_MAX)],
    ['x'.repeat(PREVIEW_CHARS_MAX + 1), `${'x'.repeat(PREVIEW_CHARS_MAX - 1)}…`],
    [`${'x'.repeat(PREVIEW_CHARS_MAX - 2)}😀😀`, `${'x'.repeat(PREVIEW_CHARS_MAX - 2)}…`],
    [`a${'\u00a0\u200c'.repeat(2_000)}b`, 'a b'],
  ]
  for (const [text, preview] of cases) {
    it(`of ${JSON.stringify(text.slice(0, 30))}`, () => assert.equal(previewOf(text), preview))
  }
})

describe('text as HTML', () => {
  it('shows every character', () => {
    const text = 'a < b && c > "d"\n  e'
    assert.equal(readableText(readHtml(textToHtml(text))), text)
  })
})
