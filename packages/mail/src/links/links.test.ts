import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { workedMs } from '../../test/testing-worked-ms.ts'
import { readHtml } from '../html/read-html.ts'
import { LINKS_MAX, URL_CHARS_MAX } from '../limits.ts'
import { findLinks } from './links.ts'

const urlsOf = (html: string | null, text: string | null): readonly string[] =>
  findLinks(html === null ? null : readHtml(html), text).map(({ url }) => url)

it('a URL with its host in capitals is the same URL', () => {
  const html = '<a href="https://a.example/X">x</a>'
  assert.deepEqual(urlsOf(html, 'HTTPS://A.EXAMPLE/X https://a.example/x'), [
    'https://a.example/X',
    'https://a.example/x',
  ])
})

describe('links in plain text', () => {
  const cases: readonly (readonly [text: string, ...urls: string[]])[] = [
    ['no link here: example.com'],
    ['https://a.example', 'https://a.example'],
    ['HTTP://A.example/X', 'HTTP://A.example/X'],
    ['see https://a.example/x.', 'https://a.example/x'],
    ['see https://a.example/x, and', 'https://a.example/x'],
    ['is it https://a.example/x?', 'https://a.example/x'],
    ['https://a.example/x?y=1!', 'https://a.example/x?y=1'],
    ['https://a.example/x…', 'https://a.example/x'],
    ["it's 'https://a.example/x'", 'https://a.example/x'],
    ['"https://a.example/x"', 'https://a.example/x'],
    ['“https://a.example/x”', 'https://a.example/x'],
    ['(https://a.example/x)', 'https://a.example/x'],
    ['(see https://a.example/x).', 'https://a.example/x'],
    ['https://a.example/wiki/X_(y)', 'https://a.example/wiki/X_(y)'],
    ['(https://a.example/wiki/X_(y))', 'https://a.example/wiki/X_(y)'],
    ['[https://a.example/x]', 'https://a.example/x'],
    ['[x](https://a.example/x)', 'https://a.example/x'],
    ['[https://a.example/a](https://a.example/b)', 'https://a.example/a', 'https://a.example/b'],
    ['<https://a.example/x>', 'https://a.example/x'],
    ['<https://a.example/x|label>', 'https://a.example/x'],
    ['<https://a.example/long/\r\n  rest?x=1>', 'https://a.example/long/rest?x=1'],
    ['< https://a.example/x >', 'https://a.example/x'],
    ['<https://a.example/x and more>', 'https://a.example/x'],
    ['**https://a.example/x**', 'https://a.example/x'],
    ['_https://a.example/x_', 'https://a.example/x'],
    ['https://a.example/token_', 'https://a.example/token_'],
    ['https://a.example/token-', 'https://a.example/token-'],
    ['https://a.example/?t=abc==', 'https://a.example/?t=abc=='],
    ['https://a.example/?a=1&amp;b=2', 'https://a.example/?a=1&b=2'],
    ['https://a.example/?a=1&b=2#frag;x', 'https://a.example/?a=1&b=2#frag;x'],
    ['https://user:pw@a.example:8443/x', 'https://user:pw@a.example:8443/x'],
    ['http://localhost:3000/verify', 'http://localhost:3000/verify'],
    [
      'http://192.0.2.1/x http://[2001:db8::1]:80/y',
      'http://192.0.2.1/x',
      'http://[2001:db8::1]:80/y',
    ],
    ['https://bücher.example/straße', 'https://bücher.example/straße'],
    ['https://例え.テスト/パス', 'https://例え.テスト/パス'],
    ['https://a.example/wiki/メール', 'https://a.example/wiki/メール'],
    ['https://a.example/xをクリック', 'https://a.example/x'],
    ['こちら：https://a.example/x。', 'https://a.example/x'],
    ['（https://a.example/x）', 'https://a.example/x'],
    ['https://a.example/x를 눌러', 'https://a.example/x'],
    ['https://a.example/x\u00a0next', 'https://a.example/x'],
    ['https://a.example/x\u200bnext', 'https://a.example/x'],
    [
      'https://a.example/1 https://a.example/2\nhttps://a.example/3',
      'https://a.example/1',
      'https://a.example/2',
      'https://a.example/3',
    ],
    ['https://a.example/1 https://a.example/1', 'https://a.example/1'],
    ['> https://a.example/quoted', 'https://a.example/quoted'],
    ['ftp://a.example mailto:a@b.example javascript://a.example/%0aalert(1)'],
    ['https:// http:/x https://?x https://#'],
    ['Link:https://a.example/x', 'https://a.example/x'],
    ['https://a.example/x\\nhttps', 'https://a.example/x'],
    ['https://a.example/{id}/x}', 'https://a.example/{id}/x'],
    ['https://a.example/a|b', 'https://a.example/a|b'],
    ['https://a.example/👍', 'https://a.example/👍'],
  ]
  for (const [text, ...urls] of cases) {
    it(`finds those of ${JSON.stringify(text)}`, () => assert.deepEqual(urlsOf(null, text), urls))
  }

  it('leaves out what is too long for a URL', () => {
    const long = `https://a.example/${'x'.repeat(URL_CHARS_MAX)}`
    assert.deepEqual(urlsOf(null, `${long} https://a.example/y`), ['https://a.example/y'])
  })
})

describe('links in HTML', () => {
  const cases: readonly (readonly [html: string, text: string | null, ...urls: string[]])[] = [
    ['<a href="https://a.example/?a=1&amp;b=2">x</a>', null, 'https://a.example/?a=1&b=2'],
    [
      '<a href="https://a.example/?a=1&b=2&copy=3">x</a>',
      null,
      'https://a.example/?a=1&b=2&copy=3',
    ],
    ['<a href="https://a.example/\nx">x</a>', null, 'https://a.example/x'],
    ['<a href="https://a.example/a b">x</a>', null, 'https://a.example/a%20b'],
    ['<a href="&#104;ttps://a.example/">x</a>', null, 'https://a.example/'],
    [
      '<a href=" JavaScript:alert(1)">x</a><a href="data:text/html,x">y</a><a href="tel:1">z</a>',
      null,
    ],
    ['<a href="//a.example/x">x</a><a href="/x">y</a><a href="">z</a><a>w</a>', null],
    ['<a href="https://">x</a>', null],
    [
      '<a href="https://a.example/1">1</a> https://a.example/2 <a href="https://a.example/3">3</a>',
      null,
      'https://a.example/1',
      'https://a.example/2',
      'https://a.example/3',
    ],
    [
      '<p>https://a.example/1</p><p><a href="https://a.example/2">2</a></p>',
      null,
      'https://a.example/1',
      'https://a.example/2',
    ],
    ['<a href="https://t.example/1">https://a.example/1</a>', null, 'https://t.example/1'],
    [
      '<a href="https://a.example/1">1</a>',
      'https://a.example/2 https://a.example/1',
      'https://a.example/1',
      'https://a.example/2',
    ],
    ['<img src="https://a.example/x.png"><link href="https://a.example/y">', null],
    ['<!-- <a href="https://a.example/x">x</a> -->', null],
    ['<map><area href="https://a.example/x" alt="A"></map>', null, 'https://a.example/x'],
    ['<a href="https://пример.example/é">x</a>', null, 'https://пример.example/é'],
  ]
  for (const [html, text, ...urls] of cases) {
    it(`finds those of ${html}`, () => assert.deepEqual(urlsOf(html, text), urls))
  }

  it('checks each of several with one host', () => {
    const hrefs = ['https://a.example/1', 'https://A.example/1', 'https://a.example/a b']
    const others = ['https://a.example/2', 'https://a.example', 'https://a.example:x/3']
    const long = `https://a.example/${'x'.repeat(URL_CHARS_MAX)}`
    const html = [...hrefs, ...others, long].map((href) => `<a href="${href}">x</a>`).join('')
    assert.deepEqual(urlsOf(html, 'https://A.example/2 https://a.example/3'), [
      ...['https://a.example/1', 'https://a.example/a%20b', 'https://a.example/2'],
      ...['https://a.example', 'https://a.example/3'],
    ])
  })

  it('shows the words of a link, or its image', () => {
    const html =
      '<a href="https://a.example/1"> Click&nbsp;<b>here</b>\n</a><a href="https://a.example/2">' +
      '<img alt="Shop"></a><a href="https://a.example/3"><img></a>' +
      '<a href="https://a.example/3">3</a>'
    assert.deepEqual(findLinks(readHtml(html), 'https://a.example/4'), [
      { url: 'https://a.example/1', text: 'Click here' },
      { url: 'https://a.example/2', text: 'Shop' },
      { url: 'https://a.example/3', text: '3' },
      { url: 'https://a.example/4', text: 'https://a.example/4' },
    ])
  })

  it('are bounded in number', () => {
    const html = Array.from(
      { length: 2_500 },
      (_, index) => `<a href="https://a.example/${index}">`,
    )
    assert.equal(urlsOf(html.join(''), null).length, LINKS_MAX)
  })
})

describe('any text', () => {
  it('gives only web addresses that it holds', () => {
    const piece = fc.constantFrom(
      ...[
        'http',
        's',
        '://',
        'https://a.example',
        '/',
        '(',
        ')',
        '[',
        ']',
        '<',
        '>',
        '.',
        ',',
        ' ',
      ],
      ...['\n', '&amp;', '|', '*', '_', '"', 'を', 'é', '\ud800', '?x=1', '#'],
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const text = pieces.join('')
        const joined = text.replaceAll('&amp;', '&').replace(/[ \t]*\n[ \t]*/g, '')
        for (const url of urlsOf(null, text)) {
          assert.match(url, /^https?:\/\//i)
          assert.ok(URL.canParse(url))
          assert.ok(joined.includes(url))
        }
      }),
      { numRuns: 2_000 },
    )
  })

  it('takes linear time', () => {
    const elapsedMs = workedMs(() => {
      for (const piece of [
        '://',
        'https://',
        'https://a',
        '<https://a ',
        '<https://a\n',
        '(https://a(',
      ]) {
        urlsOf(null, piece.repeat(Math.ceil(260_000 / piece.length)))
      }
      urlsOf(null, `<https://a${' '.repeat(8_000)}b>`.repeat(32))
      urlsOf('<p>https://a.example/'.repeat(20_000), null)
      urlsOf(`<p>${'<a href=https://a.example/>x</a>https://b.example '.repeat(20_000)}`, null)
    })
    assert.ok(elapsedMs < 10_000)
  })
})
