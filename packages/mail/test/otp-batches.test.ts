import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { BATCHES, readBatch, resultOf } from './testing-otp-batches.ts'
import { isRight, scoreOf } from './testing-otp-corpus.ts'

/** What the detection reaches on mails that it has been improved with: it must not become worse. */
const PRECISION_MIN = 0.99
const RECALL_MIN = 0.98

describe('codes of the batches', () => {
  const results = BATCHES.flatMap((batch) => readBatch(batch).map(resultOf))
  const { precision, recall } = scoreOf(results)
  const misses = results.filter((result) => !isRight(result)).map(({ mail }) => mail.file)

  it('are right where they are given', () => {
    assert.ok(precision >= PRECISION_MIN, `${precision}: ${misses.join(' ')}`)
  })

  it('are given where there are any', () => {
    assert.ok(recall >= RECALL_MIN, `${recall}: ${misses.join(' ')}`)
  })

  it('come with exactly the links of the mail', () => {
    const inexact = results.filter(({ hasExactLinks }) => !hasExactLinks)
    assert.deepEqual(
      inexact.map(({ mail }) => mail.file),
      [],
    )
  })
})
