import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { DeliveryState } from '../../store/tables/dispatches.ts'
import type { FinishedAttempt } from './attempt.ts'
import { stateAfter } from './record.ts'
import { ATTEMPTS_MAX, nextAttemptAt } from './schedule.ts'

const NOW = Date.UTC(2026, 0, 1)
const LEASE = NOW + 30_000
const CLAIMED = {
  status: 'pending',
  attemptsMade: 0,
  nextAttemptAt: NOW,
  leasedUntil: LEASE,
} as const satisfies DeliveryState

const TIMES = { at: NOW, endedAt: NOW + 100, durationMs: 100 }

const delivered = (status: number): FinishedAttempt => ({ state: 'delivered', status, ...TIMES })

const rejected = (status: number): FinishedAttempt => {
  const failure = { error: 'status', detail: '', retryAfter: null } as const
  return { state: 'rejected', status, ...failure, ...TIMES }
}

const UNANSWERED: FinishedAttempt = { state: 'unanswered', error: 'dns', detail: '', ...TIMES }

const after = (
  state: DeliveryState,
  record: { leasedUntil: number | null; attempt: FinishedAttempt },
): DeliveryState => stateAfter(state, record, (failed) => nextAttemptAt(failed, 0))

describe('a delivery after an attempt', () => {
  it('has succeeded after a 2xx, with or without the lease', () => {
    for (const leasedUntil of [LEASE, LEASE - 1, null]) {
      const state = after(CLAIMED, { leasedUntil, attempt: delivered(204) })
      const attemptsMade = leasedUntil === LEASE ? 1 : 0
      assert.deepEqual(state, { status: 'succeeded', attemptsMade })
    }
  })

  it('is due again from the end of the attempt', () => {
    const state = after(CLAIMED, { leasedUntil: LEASE, attempt: rejected(500) })
    const due = { status: 'pending', attemptsMade: 1, nextAttemptAt: NOW + 5_100 }
    assert.deepEqual(state, { ...due, leasedUntil: null })
  })

  it('has failed at once by 410', () => {
    const state = after(CLAIMED, { leasedUntil: LEASE, attempt: rejected(410) })
    assert.deepEqual(state, { status: 'failed', attemptsMade: 1 })
  })

  it('is left alone by a failed replay, and by an attempt whose lease expired', () => {
    for (const leasedUntil of [null, LEASE - 1]) {
      assert.deepEqual(after(CLAIMED, { leasedUntil, attempt: rejected(500) }), CLAIMED)
    }
    const done = { status: 'succeeded', attemptsMade: 1 } as const
    assert.deepEqual(after(done, { leasedUntil: null, attempt: UNANSWERED }), done)
    assert.deepEqual(after(done, { leasedUntil: LEASE, attempt: UNANSWERED }), done)
  })

  it('ends within five scheduled attempts, however many replays fail in between', () => {
    const tries = fc.array(fc.constantFrom('scheduled', 'replay'), { maxLength: 40 })
    fc.assert(
      fc.property(tries, (kinds) => {
        let state: DeliveryState = CLAIMED
        let scheduled = 0
        for (const kind of kinds) {
          const leasedUntil = kind === 'replay' ? null : LEASE
          if (kind === 'scheduled') {
            if (state.status !== 'pending') continue
            state = { ...state, leasedUntil: LEASE }
            scheduled += 1
          }
          state = after(state, { leasedUntil, attempt: rejected(500) })
        }
        assert.ok(scheduled <= ATTEMPTS_MAX)
        assert.equal(state.status, scheduled === ATTEMPTS_MAX ? 'failed' : 'pending')
      }),
    )
  })
})
