import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { ATTEMPTS_MAX, type FailedAttempt, isDelivered, isGone, nextAttemptAt } from './schedule.ts'

const FAILED_AT = new Date('2026-03-01T12:00:00.000Z')

/** Seconds until the next attempt. */
function waitSeconds(failed: Partial<FailedAttempt>, random = 0): number | null {
  const whole = { attempt: 1, failedAt: FAILED_AT, status: 500, retryAfter: null, ...failed }
  const at = nextAttemptAt(whole, random)
  return at === null ? null : (at.getTime() - FAILED_AT.getTime()) / 1_000
}

describe('retries of a delivery', () => {
  it('come after 5 s, 1 min, 10 min and 1 h, five attempts in all', () => {
    const waits = [1, 2, 3, 4, 5, 6].map((attempt) => waitSeconds({ attempt }))
    assert.deepEqual(waits, [5, 60, 600, 3_600, null, null])
    assert.equal(ATTEMPTS_MAX, 5)
  })

  it('come up to a fifth later', () => {
    const waits = [1, 2, 3, 4].map((attempt) => waitSeconds({ attempt }, 1))
    assert.deepEqual(waits, [6, 72, 720, 4_320])
    assert.equal(waitSeconds({}, 0.5), 5.5)
  })

  it('come where there was no answer, and after every status but 410', () => {
    for (const status of [null, 301, 400, 401, 404, 409, 429, 500, 503, 599]) {
      assert.equal(waitSeconds({ status }), 5, String(status))
    }
    assert.equal(waitSeconds({ status: 410 }), null)
    assert.equal(waitSeconds({ status: 410, retryAfter: '60' }), null)
  })

  const RETRY_AFTER: readonly (readonly [header: string, seconds: number])[] = [
    ['0', 5],
    ['3', 5],
    ['30', 30],
    [' 30 ', 30],
    ['3600', 3_600],
    ['3601', 3_600],
    ['99999999999999999999999', 3_600],
    ['Sun, 01 Mar 2026 12:00:42 GMT', 42],
    ['Sunday, 01-Mar-26 12:00:42 GMT', 42],
    ['Sun, 01 Mar 2026 11:00:00 GMT', 5],
    ['Mon, 01 Mar 2027 12:00:00 GMT', 3_600],
    ['Sun Mar  1 12:00:42 2026', 5],
    ['', 5],
    ['-30', 5],
    ['30.5', 5],
    ['1e3', 5],
    ['soon', 5],
    ['soon GMT', 5],
  ]
  for (const [retryAfter, seconds] of RETRY_AFTER) {
    it(`come after ${seconds} s when Retry-After says ${JSON.stringify(retryAfter)}`, () => {
      assert.equal(waitSeconds({ retryAfter, status: 503 }), seconds)
    })
  }

  it('never come sooner than planned nor later than an hour and its jitter', () => {
    const asked = fc.oneof(
      fc.string(),
      fc.nat().map(String),
      fc.date().map((date) => date.toUTCString()),
    )
    const chance = fc.double({ min: 0, max: 1, noNaN: true })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), asked, chance, (attempt, retryAfter, random) => {
        const wait = waitSeconds({ attempt, retryAfter }, random)
        const planned = waitSeconds({ attempt }, random)
        assert.ok(wait !== null && planned !== null)
        assert.ok(wait >= planned && wait <= 4_320, `${wait} s`)
      }),
    )
  })
})

describe('the status of an answer', () => {
  it('is success from 200 to 299', () => {
    for (const status of [200, 201, 202, 204, 299]) assert.equal(isDelivered(status), true)
    for (const status of [100, 199, 300, 304, 404, 500]) assert.equal(isDelivered(status), false)
  })

  it('is the end of an endpoint at 410 alone', () => {
    assert.deepEqual([null, 200, 404, 410, 500].filter(isGone), [410])
  })
})
