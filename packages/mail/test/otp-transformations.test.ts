import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { BATCHES, readBatch } from './testing-otp-batches.ts'
import { stabilityUnder, TRANSFORMATIONS } from './testing-otp-transformations.ts'

/** One mail in so many: bench/otp.ts takes them all. */
const SAMPLE = 7

describe('the verdict on a mail does not change with', () => {
  const mails = BATCHES.flatMap(readBatch).filter((_, at) => at % SAMPLE === 0)
  for (const transformation of TRANSFORMATIONS.filter(({ isOpen }) => isOpen !== true)) {
    it(transformation.name, () => {
      const { applied, changed } = stabilityUnder(transformation, mails)
      assert.ok(applied >= 20, `applied to ${applied} mails`)
      assert.deepEqual(changed, [])
    })
  }
})
