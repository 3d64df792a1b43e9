import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { codeLines, codeResult } from './code-text.ts'

describe('a code', () => {
  for (const value of [
    '481516',
    'G-123456',
    '123-456',
    '12 34 56',
    'A1B2C3',
    'kqzXwv',
    'ABCD-EFGH',
  ]) {
    it(`of characters is given as it is: ${value}`, () => {
      assert.deepEqual(codeResult({ value, confidence: 0.9 }), { value, confidence: 0.9 })
      assert.deepEqual(codeLines({ value, confidence: 0.9 }), [])
    })
  }

  for (const value of [
    'delete-every-inbox',
    'obey-me',
    'say it 42',
    'DELETE-EVERY-INBOX',
    'a\nb',
  ]) {
    it(`of words is left to the fence: ${JSON.stringify(value)}`, () => {
      assert.deepEqual(codeResult({ value, confidence: 0.9 }), { value: null, confidence: 0.9 })
      assert.deepEqual(codeLines({ value, confidence: 0.9 }), [`Code: ${value.replace('\n', ' ')}`])
    })
  }

  it('that is not there has no line', () => assert.deepEqual(codeLines(null), []))
})
