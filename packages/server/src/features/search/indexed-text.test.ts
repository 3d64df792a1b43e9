import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { indexedText, PIECES_MAX } from './indexed-text.ts'

function piecesOf(text: string): Set<string> {
  return new Set(
    Array.from({ length: Math.max(0, text.length - 2) }, (_, i) => text.slice(i, i + 3)),
  )
}

describe('the text that the index takes', () => {
  it('is all of a text that repeats its pieces, however long', () => {
    const text = 'please confirm your address by this code: 482913. '.repeat(10_000)
    assert.deepEqual(indexedText(text), { text, pieces: piecesOf(text).size })
  })

  it('ends where there are too many different pieces', () => {
    const text = Array.from({ length: 60_000 }, (_, i) =>
      String.fromCharCode(0x4e00 + (i % 20_011)),
    ).join('')
    const indexed = indexedText(text)
    assert.equal(indexed.pieces, PIECES_MAX)
    assert.ok(text.startsWith(indexed.text))
    assert.equal(piecesOf(indexed.text).size, PIECES_MAX)
  })

  it('takes texts that are shorter than a piece', () => {
    for (const text of ['', 'a', 'ab']) assert.deepEqual(indexedText(text), { text, pieces: 0 })
    assert.deepEqual(indexedText('abc'), { text: 'abc', pieces: 1 })
  })
})
