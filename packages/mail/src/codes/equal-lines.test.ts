import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { candidatesOf } from './candidates.ts'
import { linesOf } from './lines.ts'
import { MailReader } from './mail-reader.ts'

/** The lines of a mail of plain text with a line each, without the empty lines between them. */
function linesOfTexts(texts: readonly string[]) {
  return linesOf({ subject: null, text: texts.join('\n\n'), html: null })
}

describe('equal lines', () => {
  it('have the index of the first of them', () => {
    const lines = linesOfTexts(['Hello there!', 'Total', 'Hello there!', 'Total', 'Sum'])
    assert.deepEqual(
      lines.map(({ first }) => first),
      [0, 1, 0, 1, 4],
    )
  })

  it('differ in digits of prices and of short numbers', () => {
    const texts = ['€ 12.99', '€ 17.93', '€ 22.99', '€ 10.99', 'Item no. 7', 'Item no. 77']
    assert.deepEqual(
      linesOfTexts(texts).map(({ alike }) => alike),
      [0, 0, 2, 3, 4, 5],
    )
  })

  it('are not alike with as many digits as a year or a date', () => {
    const texts = ['of 2019', 'of 2718', '12.03.26', '17.08.26', 'номер 12', 'номер 17']
    assert.deepEqual(
      linesOfTexts(texts).map(({ alike }) => alike),
      [0, 1, 2, 3, 4, 5],
    )
  })

  it('are read alike one by one, whatever they are made of', () => {
    const words = ['last ', 'code', 'Item ', 'no. ', 'son', 'two-factor', 'A', 'X', 'xx']
    const signs = ['-', '.', '/', ':', ' ', '€ ', '*', '%', '(', ')', ',', '"', '_']
    const numbers = ['1', '12', '123', '4', '07', '20', '0', '31']
    const piece = fc.constantFrom(...words, ...signs, ...numbers)
    const digit = fc.integer({ min: 1, max: 9 })
    let count = 0
    const text = fc.array(piece, { minLength: 1, maxLength: 9 }).map((pieces) => pieces.join(''))
    fc.assert(
      fc.property(text, fc.array(digit, { minLength: 9, maxLength: 9 }), (one, digits) => {
        let next = 0
        const other = one.replaceAll(/(?<=\d)[1-9]/g, () => `${digits[next++ % digits.length]}`)
        const [, second] = linesOfTexts([one, other])
        if (second === undefined || second.alike !== 0 || second.first === 0) return
        count += 1
        assert.deepEqual(formOf(other), formOf(one))
      }),
      { numRuns: 5_000 },
    )
    assert.ok(count > 500, `${count} pairs of lines are alike`)
  })
})

/** What is read in a line that is alone in its mail; of candidates only that there is none. */
function formOf(text: string) {
  const lines = linesOfTexts([text])
  const { hits, owners, concepts } = new MailReader(lines, []).lines[0] ?? {}
  return { hits, owners, concepts, isBare: candidatesOf(lines).length === 0 }
}
