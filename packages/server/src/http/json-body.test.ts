import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { WORST_BODIES } from '../../test/testing-worst-bodies.ts'
import { invalidJson, isCostlyJson } from './json-body.ts'

const VALUES_MAX = 5_000
const DEPTH_MAX = 50

/** Long texts and numbers, which have few values. */
const CHEAP = ['a long number', 'escapes', 'a long text', 'a long URL', 'long fractions']

describe('JSON that takes long to parse', () => {
  const list = (count: number) => `[${new Array(count).fill('1').join()}]`
  const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
  const cases: readonly (readonly [name: string, json: string, isCostly: boolean])[] = [
    ['as many values as are allowed', list(VALUES_MAX), false],
    ['one more', list(VALUES_MAX + 1), true],
    ['as many levels as are allowed', nested(DEPTH_MAX), false],
    ['one more level', nested(DEPTH_MAX + 1), true],
    ['levels one after the other', `[${new Array(100).fill(nested(10)).join()}]`, false],
    ['brackets and commas in a text', JSON.stringify('[{,'.repeat(VALUES_MAX)), false],
    ['brackets behind a quote in a text', JSON.stringify(`"\\"${'['.repeat(99)}`), false],
    ['brackets behind a text that ends in a backslash', `["\\\\",${nested(DEPTH_MAX)}]`, true],
    ['a text without an end', `"${'['.repeat(99)}`, false],
    ['nothing', '', false],
  ]
  for (const [name, json, isCostly] of cases) {
    it(`is known by its values and levels: ${name}`, () => {
      assert.equal(isCostlyJson(json), isCostly)
    })
  }

  for (const { name, json } of WORST_BODIES) {
    it(`is known among bodies that are made to be slow: ${name}`, () => {
      assert.equal(isCostlyJson(json), !CHEAP.includes(name))
    })
  }
})

describe('the error for a body that is refused', () => {
  it('names the position, or the property', () => {
    assert.match(invalidJson('{"a": 1,}').message, /^The body is not valid JSON: .*position 8/)
    assert.match(invalidJson('{"__proto__": 1}').message, /must not have a property __proto__/)
  })
})
