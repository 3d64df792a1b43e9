import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { candidatesOf } from './candidates.ts'
import { linesOf } from './lines.ts'
import { rank, sharesOf } from './rank.ts'

describe('the shares of reasons', () => {
  const text =
    'Your order 730528 was paid.\n\nYour sign-in code: 482913\n\nIt is valid for 5 minutes.'
  const lines = linesOf({ subject: 'Order and code', text, html: null })
  const ranking = rank(lines, candidatesOf(lines))

  it('are together the logarithm of the odds of a value to none', () => {
    const none = 1 - ranking.values.reduce((sum, { probability }) => sum + probability, 0)
    assert.equal(ranking.values.length, 2)
    for (const ranked of ranking.values) {
      const score = [...sharesOf(ranking, ranked).values()].reduce((sum, share) => sum + share, 0)
      assert.ok(Math.abs(score - Math.log(ranked.probability / none)) < 0.01, `${score}`)
    }
  })

  it('begin with the likeliest value', () => {
    assert.equal(ranking.values[0]?.value.value, '482913')
  })
})
