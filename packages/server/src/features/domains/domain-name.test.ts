import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { asciiDomain, claimableDomain } from './domain-name.ts'

describe('asciiDomain', () => {
  const long = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}`
  const cases: readonly [string, string | null][] = [
    ['qa.example.com', 'qa.example.com'],
    ['QA.Example.COM', 'qa.example.com'],
    [' qa.example.com. ', 'qa.example.com'],
    ['qa.example.com..', null],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['BÜCHER.example', 'xn--bcher-kva.example'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['例え.テスト', 'xn--r8jz45g.xn--zckzah'],
    ['ｅｘａｍｐｌｅ.com', 'example.com'],
    ['example。com', 'example.com'],
    ['straße.example', 'xn--strae-oqa.example'],
    ['', null],
    ['.', null],
    ['example', null],
    ['localhost', null],
    ['.example.com', null],
    ['a..example.com', null],
    ['-a.example.com', null],
    ['a-.example.com', null],
    ['a_b.example.com', null],
    ['*.example.com', null],
    ['a b.example.com', null],
    ['a\tb.example.com', null],
    ['user@example.com', null],
    ['example.com:25', null],
    ['example.com/x', null],
    ['example.com?x', null],
    ['https://example.com', null],
    ['ex%61mple.com', null],
    ['example.com／x', null],
    ['ex％61mple.com', null],
    ['127.0.0.1', null],
    ['0x7f.1', null],
    ['1.2', null],
    ['[::1]', null],
    ['1.example.com', '1.example.com'],
    [`${'a'.repeat(64)}.example`, null],
    [`${long}.${'d'.repeat(43)}`, `${long}.${'d'.repeat(43)}`],
    [`${long}.${'d'.repeat(44)}`, null],
  ]
  for (const [text, domain] of cases) {
    it(`takes ${JSON.stringify(text)} as ${domain}`, () => assert.equal(asciiDomain(text), domain))
  }

  it('never throws, and what it gives it gives again', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.domain(), fc.string({ unit: 'grapheme' })), (text) => {
        const domain = asciiDomain(text)
        if (domain === null) return
        assert.match(domain, /^[a-z0-9.-]{3,235}$/)
        assert.equal(asciiDomain(domain), domain)
      }),
    )
  })
})

describe('claimableDomain', () => {
  const OWN = ['mayfly.test', 'mx.mayfly.test']
  const refused: readonly [string, RegExp][] = [
    ['nonsense', /domain: must be a domain name/],
    ['mayfly.test', /mayfly\.test belongs to this service/],
    ['deep.mx.mayfly.test', /belongs to this service/],
    ['co.uk', /co\.uk is a public suffix/],
    ['github.io', /public suffix/],
    ['anything.ck', /public suffix/],
  ]
  for (const [text, message] of refused) {
    it(`refuses ${text}`, async () => {
      await assert.rejects(claimableDomain(text, OWN), { code: 'invalid_parameter', message })
    })
  }
  for (const text of ['example.co.uk', 'me.github.io', 'notmayfly.test', 'qa.example.com']) {
    it(`takes ${text}`, async () => assert.equal(await claimableDomain(text, OWN), text))
  }
})
