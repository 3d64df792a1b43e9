import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { clockText, gapText, visibleText } from './format.ts'

describe('times', () => {
  const now = new Date(2026, 10, 19, 10, 48, 16).getTime()

  it('of today have seconds, others the date as well', () => {
    assert.equal(clockText(new Date(now).toISOString(), now), '10:48:16')
    assert.match(clockText(new Date(now - 86_400_000).toISOString(), now), /18.*, 10:48:16$/)
  })

  it('between two stages have the unit that fits', () => {
    const gaps = [0, 4, 999, 2_345, 59_900, 312_000].map(gapText)
    assert.deepEqual(gaps, ['+0 ms', '+4 ms', '+999 ms', '+2.3 s', '+59.9 s', '+5 m 12 s'])
  })
})

describe('the text of a sender', () => {
  it('shows controls that would turn the text after them', () => {
    assert.equal(visibleText('invoice\u202Efdp.exe\u2069'), 'invoice[U+202E]fdp.exe[U+2069]')
    assert.equal(visibleText('\u061c\u200e\u200f'), '[U+061C][U+200E][U+200F]')
  })

  it('stays as it is without one, in any script', () => {
    const text = 'שלום, 12 <ann@a.example> 👩‍💻'
    assert.equal(visibleText(text), text)
  })
})
