import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fromMatch, markWords, wordsOf } from './mark-words.ts'

describe('the words of a query', () => {
  const cases: readonly (readonly [q: string, words: readonly string[]])[] = [
    ['', []],
    ['Code', ['code']],
    ['from:Acme "your code" -password !old', ['acme', 'your code']],
    ['subject:"Grüße aus" has:otp after:2026-11-15 in:inb_1', ['grusse aus']],
    ['ratio:16', ['ratio:16']],
    ['"" "open', ['open']],
  ]
  for (const [q, words] of cases) {
    it(`of ${JSON.stringify(q)}`, () => assert.deepEqual(wordsOf(q), words))
  }
})

describe('marking words', () => {
  const marked = (text: string, q: string) =>
    markWords(text, wordsOf(q))
      .map((part) => (part.isMatch ? `[${part.text}]` : part.text))
      .join('')
  const cases: readonly (readonly [text: string, q: string, result: string])[] = [
    ['Your code is here', 'code', 'Your [code] is here'],
    ['Grüße aus Zürich', 'grusse zurich', '[Grüße] aus [Zürich]'],
    ['CODEcode', 'code', '[CODE][code]'],
    ['a\u00a0b', '"a b"', '[a\u00a0b]'],
    ['😀 ok 😀', 'ok 😀', '[😀] [ok] [😀]'],
    ['nothing', 'else', 'nothing'],
  ]
  for (const [text, q, result] of cases) {
    it(`of ${q} in ${text}`, () => assert.equal(marked(text, q), result))
  }
})

describe('a row of a search', () => {
  const preview = 'Thank you for your order of last Monday. Your parcel has left our warehouse.'
  const cases: readonly (readonly [q: string, shown: string])[] = [
    ['', preview],
    ['order', preview],
    ['absent', preview],
    ['parcel', '…of last Monday. Your parcel has left our warehouse.'],
    ['warehouse', '…parcel has left our warehouse.'],
  ]
  for (const [q, shown] of cases) {
    it(`begins before ${q || 'nothing'}`, () => assert.equal(fromMatch(preview, wordsOf(q)), shown))
  }
})
