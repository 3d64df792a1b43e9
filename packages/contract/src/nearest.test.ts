import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { editDistance, nearestName } from './nearest.ts'

describe('editDistance', () => {
  const cases: readonly [string, string, number][] = [
    ['', '', 0],
    ['', 'abc', 3],
    ['kitten', 'sitting', 3],
    ['jon', 'john', 1],
    ['ab', 'ba', 1],
    ['localpart', 'localPart', 1],
  ]
  for (const [a, b, distance] of cases) {
    it(`is ${distance} from "${a}" to "${b}"`, () => assert.equal(editDistance(a, b), distance))
  }

  it('is the same both ways, and zero only for equals', () => {
    const word = fc.string({ maxLength: 12 })
    fc.assert(
      fc.property(word, word, (a, b) => {
        assert.equal(editDistance(a, b), editDistance(b, a))
        assert.equal(editDistance(a, b) === 0, a === b)
      }),
    )
  })
})

describe('nearestName', () => {
  const known = ['domain', 'localPart', 'ttlSeconds']
  const cases: readonly [string, string | null][] = [
    ['localpart', 'localPart'],
    ['domian', 'domain'],
    ['ttlSecond', 'ttlSeconds'],
    ['local', 'localPart'],
    ['seconds', 'ttlSeconds'],
    ['ttl', null],
    ['colour', null],
    ['', null],
  ]
  for (const [wrong, nearest] of cases) {
    it(`finds ${nearest} for "${wrong}"`, () => assert.equal(nearestName(wrong, known), nearest))
  }
})
