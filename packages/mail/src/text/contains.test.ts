import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { workedMs } from '../../test/testing-worked-ms.ts'
import { contains } from './contains.ts'

describe('searching for a text', () => {
  it('finds what includes finds', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 60 })
    fc.assert(
      fc.property(letters, letters, letters, (before, part, behind) => {
        assert.ok(contains(before + part + behind, part))
        assert.equal(contains(before + behind, part), (before + behind).includes(part))
      }),
      { numRuns: 5_000 },
    )
  })

  it('takes linear time', () => {
    const almost = `${'a'.repeat(1_000)}b${'a'.repeat(999)}`
    const text = 'a'.repeat(4_000_000)
    assert.ok(workedMs(() => assert.equal(contains(text, almost), false)) < 1_000)
  })
})
