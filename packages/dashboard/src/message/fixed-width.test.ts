import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fixedWidthOf } from './fixed-width.ts'

describe('the width that a mail needs', () => {
  it('is that of its widest part', () => {
    assert.equal(fixedWidthOf('<table width="600"><td width="80"><img width="300">'), 616)
    assert.equal(fixedWidthOf('<div style="min-width: 640px; color: red">'), 656)
  })

  it('is none of a mail that fits any screen', () => {
    assert.equal(fixedWidthOf('<table width="100%"><div style="max-width:520px">'), 0)
    const rules = '@media only screen and (max-width: 600px) { table { width: 100% } }'
    assert.equal(fixedWidthOf(`<style>${rules}</style><table width="600">`), 0)
  })

  it('is none of widths that nobody reads', () => {
    assert.equal(fixedWidthOf('<table width="9999">'), 0)
  })
})
