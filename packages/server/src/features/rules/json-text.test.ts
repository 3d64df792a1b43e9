import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { JSON_TEXT_BYTES_MAX, jsonText } from './json-text.ts'

describe('the text of a mail in JSON', () => {
  it('is as in the mail when it is short and has no control characters', () => {
    const text = 'a\tb\r\nc é 日 😀 \x7f\u0085'
    assert.deepEqual(jsonText(text), { text, defects: [] })
  })

  it('has spaces instead of control characters, and says so', () => {
    const { text, defects } = jsonText('\0a\x01\x08\t\n\x0b\x0c\r\x0e\x1b[2J\x1f')
    assert.equal(text, ' a  \t\n  \r  [2J ')
    assert.match(String(defects), /^control characters .*raw/)
  })

  for (const [name, unit, bytes] of [
    ['ASCII', 'a', 1],
    ['three bytes', '日', 3],
    ['surrogate pairs', '😀', 4],
    ['control characters', '\x01', 1],
  ] as const) {
    it(`has at most 2 MiB, without half a character: ${name}`, () => {
      const { text, defects } = jsonText(unit.repeat(JSON_TEXT_BYTES_MAX / bytes + 1))
      const shown = Buffer.byteLength(text)
      assert.ok(shown <= JSON_TEXT_BYTES_MAX && shown > JSON_TEXT_BYTES_MAX - bytes, `${shown}`)
      assert.ok(text.isWellFormed())
      assert.match(String(defects[0]), /longer than 2 MiB.*raw/)
    })
  }
})
