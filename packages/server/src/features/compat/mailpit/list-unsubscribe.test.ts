import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readListUnsubscribe } from './list-unsubscribe.ts'

describe('a List-Unsubscribe header', () => {
  for (const [header, ...links] of [
    ['<mailto:off@a.example>', 'mailto:off@a.example'],
    ['<HTTPS://a.example/u?x=1>', 'HTTPS://a.example/u?x=1'],
    [
      '(By mail) <mailto:off@a.example> ,\n <https://a.example/u>',
      'mailto:off@a.example',
      'https://a.example/u',
    ],
    [''],
  ] as const) {
    it(`has the links of ${JSON.stringify(header)}`, () => {
      assert.deepEqual(readListUnsubscribe(header), { Header: header, Links: links, Errors: '' })
    })
  }

  for (const [header, error, shown = header] of [
    ['mailto:off@a.example', 'no valid unsubscribe links found'],
    ['mailto:off@a.example , <https://a.example>', 'should be enclosed in <>'],
    ['<mailto:a@b.c> <https://a.example>', '<> should be split with a comma and optional spaces'],
    [
      '<mailto:a@b.c>, <https://a.example>, <https://b.example>',
      'should include a maximum of one email and one HTTP link',
    ],
    [
      '<MAILTO:off@a.example>',
      'should start with either http(s):// or mailto:',
      'MAILTO:off@a.example',
    ],
    [
      '<mailto::off@a.example>',
      'should start with either http(s):// or mailto:',
      'mailto::off@a.example',
    ],
    ['<http:///a.example>', 'should start with either http(s):// or mailto:', 'http:///a.example'],
    ['<https://a.example/a b>', 'should not contain spaces', 'https://a.example/a b'],
  ] as const) {
    it(`has an error for ${JSON.stringify(header)}`, () => {
      const { Links, Errors } = readListUnsubscribe(header)
      assert.deepEqual([Links, Errors], [[], `"${shown}" ${error}`])
    })
  }

  it('keeps the first of two links of one kind', () => {
    const { Links, Errors } = readListUnsubscribe('<https://a.example>, <https://b.example>')
    assert.deepEqual(Links, ['https://a.example'])
    assert.equal(Errors, '"https://b.example" should only contain one HTTP link')
  })

  it('is read in linear time', () => {
    for (const piece of ['(', '<', '>,<', '()', '> ']) {
      const header = `<${piece.repeat(250_000 / piece.length)}>`
      const before = process.cpuUsage()
      readListUnsubscribe(header)
      const { user, system } = process.cpuUsage(before)
      assert.ok(user + system < 2_000_000, piece)
    }
  })
})
