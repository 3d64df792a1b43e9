import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { BATCHES, readBatch } from './testing-otp-batches.ts'
import { stabilityUnder, TRANSFORMATIONS } from './testing-otp-transformations.ts'

/** One mail in so many: bench/otp.ts takes them all. */
const SAMPLE = 4

/** The share of the verdicts that a change may change: one that matters, and one that does not. */
const CHANGED_MAX = { matters: 0.01, other: 0.005 }

describe('few verdicts on mails change with', () => {
  const mails = BATCHES.flatMap(readBatch).filter((_, at) => at % SAMPLE === 0)
  for (const transformation of TRANSFORMATIONS) {
    it(transformation.name, () => {
      const { applied, changed } = stabilityUnder(transformation, mails)
      assert.ok(applied >= 40, `applied to ${applied} mails`)
      const share = transformation.matters === true ? CHANGED_MAX.matters : CHANGED_MAX.other
      // Of few mails, one.
      const changedMax = Math.max(1, share * applied)
      assert.ok(
        changed.length <= changedMax,
        `${changed.length} of ${applied}: ${changed.join('; ')}`,
      )
    })
  }
})
