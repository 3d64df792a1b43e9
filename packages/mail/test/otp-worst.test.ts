import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { findOtp } from '../src/codes/find.ts'

/** Pieces of which a line may be made, so that an expression that repeats them takes long. */
const PIECES = [
  ...['x', 'X', '*', '•', 'xx ', 'xx-', '** '],
  ...['1', '12', '1 ', '123 ', '123,', '1.', '1,', '1:', '1-', '$1', '1$', '12 kr', '$', '1.234,'],
  ...['A1', 'A1 ', 'AB-', 'Ж1', 'Ж1 ', 'a-', 'code ', 'code: ', 'code 1 ', ': ', 'IV-', 'é', '中1'],
]

const CHARS = 20_000

/** A hundred times what the slowest takes on a fast machine; what grows faster takes hours. */
const MS_MAX = 5_000

describe('a line of one repeated piece', () => {
  for (const piece of PIECES) {
    it(`is read in time: ${JSON.stringify(piece)}`, () => {
      const text = piece.repeat(CHARS / piece.length)
      const startedAt = performance.now()
      for (const line of [text, `${text} 482913`, `Your code: ${text}!`]) {
        findOtp({ subject: line.slice(0, 900), text: line, html: null })
      }
      assert.ok(performance.now() - startedAt < MS_MAX)
    })
  }
})
