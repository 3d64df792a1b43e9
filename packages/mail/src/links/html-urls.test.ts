import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { workedMs } from '../../test/testing-worked-ms.ts'
import { HTML_CHARS_MAX, LINKS_MAX } from '../limits.ts'
import { findHtmlUrls, findTextUrls } from './html-urls.ts'

describe('the URLs of HTML', () => {
  it('are those of links, style sheets and images, in this order, each once', () => {
    const html = `<html><head>
      <link rel=stylesheet href="http://remote.example/style.css">
      <link rel="icon" href="https://remote.example/icon.png">
      <script src="https://remote.example/script.js"></script></head><body>
      <img src=https://a.example/logo.png><IMG SRC='https://a.example/logo.png'>
      <a href="https://a.example/?x=1&amp;y=2">x</a> <a href="HTTPS://A.EXAMPLE">x</a>
      <a href=" https://b.example/one\n/two three ">x</a> <a href="https://a.example">x</a>
      <a>x</a> <p href="https://c.example">x</p> <a href="https://a.example/logo.png">x</a>
      <a name="https://c.example">x</a></body></html>`
    assert.deepEqual(findHtmlUrls(html), [
      'https://a.example/?x=1&y=2',
      'HTTPS://A.EXAMPLE',
      'https://b.example/one/two%20three',
      'https://a.example',
      'https://a.example/logo.png',
      'http://remote.example/style.css',
    ])
  })

  it('have a scheme of the web and a host, and are no comments', () => {
    const html = `<a href="mailto:ada@a.example">x</a><a href="/x">x</a><a href="//a.example">x</a>
      <img src="cid:logo"><img src="data:image/png;base64,AAAA"><img src="https://"><img>
      <!-- <img src="https://a.example/x.png"> -->`
    assert.deepEqual(findHtmlUrls(html), [])
  })

  it(`are at most ${LINKS_MAX}`, () => {
    const images = Array.from({ length: 600 }, (_, i) => `<img src="https://a.example/${i}">`)
    assert.equal(findHtmlUrls(`<a href="https://a.example/">x</a>${images.join('')}`).length, 500)
  })

  it('are found in linear time', () => {
    for (const one of [
      '<a href="',
      '<img src=https://a.example/',
      '<title></title',
      '<!--',
      '<a ',
    ]) {
      const html = one.repeat(HTML_CHARS_MAX / one.length)
      assert.ok(workedMs(() => findHtmlUrls(html)) < 2_000, one)
    }
  })
})

describe('the URLs of plain text', () => {
  it('are as they are written, each once, those in brackets last and with their spaces', () => {
    const text = `<https://a.example/ with spaces> https://a.example HTTPS://A.EXAMPLE.
      <https://a.example/x\r\ny> https://a.example (http://b.example/x), <ftp://a.example>`
    assert.deepEqual(findTextUrls(text), [
      ...['https://a.example', 'HTTPS://A.EXAMPLE', 'http://b.example/x'],
      ...['https://a.example/ with spaces', 'https://a.example/xy'],
    ])
  })

  it('are found in linear time', () => {
    for (const one of ['<https://a', '<https://a.example/ b', 'https://a.example>']) {
      const text = one.repeat(260_000 / one.length)
      assert.ok(workedMs(() => findTextUrls(text)) < 2_000, one)
    }
  })
})
