import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { visibleText } from './format.ts'

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
