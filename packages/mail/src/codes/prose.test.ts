import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { BATCHES, readBatch } from '../../test/testing-otp-batches.ts'
import { readHtml } from '../html/read-html.ts'
import { candidatesOf } from './candidates.ts'
import { type Line, linesOf } from './lines.ts'
import { isProse, lineSignsOf } from './prose.ts'
import { ANY_SIGN } from './signs.ts'

describe('prose', () => {
  it('contains no candidate, in any line of the batches', () => {
    let count = 0
    for (const batch of BATCHES) {
      for (const { subject, text, html } of readBatch(batch)) {
        const reading = html === null ? null : readHtml(html)
        for (const line of linesOf({ subject, text, html: reading })) {
          if (!isProse(line)) continue
          count += 1
          assert.deepEqual(candidatesIn(line), [], line.text)
        }
      }
    }
    assert.ok(count > 10_000, `${count} lines are prose`)
  })

  it('contains no candidate, whatever it is made of', () => {
    const signs = [...'aaabéжσtxkAAKЖÉ  .,;!?(&\u00a0']
    const word = fc.string({ unit: fc.constantFrom(...signs), maxLength: 60 })
    fc.assert(
      fc.property(word, (text) => {
        const line = lineOf(text)
        if (isProse(line)) assert.deepEqual(candidatesIn(line), [], text)
      }),
      { numRuns: 3_000 },
    )
  })

  const OTHERS = [
    'kxqtrm',
    'amber lake überall',
    'tulp.fiets.regen',
    'Your code: kxqtrm',
    'Your code is 482913.',
    'Your code is KXQTRM.',
    'Amber-Lake-River',
    'Code .... kxqtrm',
  ]
  for (const text of OTHERS) {
    it(`is not "${text}"`, () => assert.equal(isProse(lineOf(text)), false))
  }

  it('is an ordinary sentence of one style', () => {
    const text = 'Wenn Sie das nicht waren, ändern Sie bitte Ihr Passwort.'
    assert.equal(isProse(lineOf(text)), true)
  })
})

const PLAIN = readHtml('x').blocks.flatMap(({ runs }) => runs.map(({ style }) => style))

/**
 * In two styled parts, of which the second is empty, a line is not taken for prose; with all signs
 * it is searched for every form.
 */
function candidatesIn(line: Line) {
  const starts = [0, line.text.length]
  const stretches = starts.flatMap((start) =>
    PLAIN.map((style) => ({ start, style, isLink: false })),
  )
  assert.equal(stretches.length, 2)
  return candidatesOf([{ ...line, signs: ANY_SIGN, stretches }])
}

function lineOf(text: string): Line {
  return {
    text,
    signs: lineSignsOf(text),
    source: 'text',
    stretches: [],
    cell: null,
    isCentred: false,
    isJoined: false,
    first: 0,
    alike: 0,
  }
}
