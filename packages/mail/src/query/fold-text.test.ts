import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '../../test/testing-any-character.ts'
import { foldText, foldWords } from './fold-text.ts'

describe('folding', () => {
  const same: readonly (readonly [string, string])[] = [
    ['Änderung', 'anderung'],
    ['A\u0308nderung', 'änderung'],
    ['STRASSE', 'Straße'],
    ['Straẞe', 'strasse'],
    ['ΟΔΟΣ', 'οδος'],
    ['İstanbul ı', 'istanbul i'],
    ['ｃｏｄｅ ①', 'code 1'],
    ['Søren Łukasz', 'soren lukasz'],
    ['co\u00adde\u200b', 'code'],
    ['  your\r\n\tcode\u00a0is ', 'your code is'],
    ['한국어', '한국어'.normalize('NFD')],
    ['パスワード', 'パスワード'.normalize('NFD')],
  ]
  for (const [a, b] of same) {
    it(`has no difference between ${JSON.stringify(a)} and ${JSON.stringify(b)}`, () => {
      assert.equal(foldText(a), foldText(b))
    })
  }

  it('keeps letters apart that only look alike', () => {
    for (const [a, b] of [
      ['パ', 'ハ'],
      ['код', 'kod'],
      ['a-b', 'a b'],
    ] as const) {
      assert.notEqual(foldText(a), foldText(b))
    }
  })

  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 20 }), (text) => {
        const folded = foldText(text)
        assert.equal(foldText(folded), folded)
      }),
      { numRuns: 20_000 },
    )
  })

  it('has spaces for punctuation where words are compared', () => {
    assert.equal(foldWords(' a <b;c>, (d)\n'), 'a b c d')
    assert.equal(foldText('a <b;c>'), 'a <b;c>')
  })
})
