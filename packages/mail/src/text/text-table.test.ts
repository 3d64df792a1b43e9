import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { TextTable } from './text-table.ts'

describe('a table of texts', () => {
  it('keeps the first number of each text', () => {
    const table = new TextTable(2)
    assert.equal(table.keep('one', 1, 10), 10)
    assert.equal(table.keep('two', 2, 20), 20)
    assert.equal(table.keep('one', 1, 30), 10)
    assert.equal(table.keep('two', 2, 30), 20)
  })

  it('tells texts with the same key apart, however many there are', () => {
    const texts = Array.from({ length: 1_000 }, (_, at) => `text ${at}`)
    const table = new TextTable(10)
    for (const [at, text] of texts.entries()) assert.equal(table.keep(text, 7, at), at)
    for (const [at, text] of texts.entries()) assert.equal(table.keep(text, 7, 1), at)
  })
})
