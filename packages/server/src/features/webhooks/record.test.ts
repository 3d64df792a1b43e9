import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { DeliveryState } from '../../store/tables/dispatches.ts'
import type { Attempted } from './attempt.ts'
import { stateAfter } from './record.ts'
import { ATTEMPTS_MAX, nextAttemptAt } from './schedule.ts'

const NOW = Date.UTC(2026, 0, 1)
const LEASE = NOW + 30_000
const CLAIMED: DeliveryState = {
  status: 'pending',
  attemptsMade: 0,
  nextAttemptAt: NOW,
  leasedUntil: LEASE,
}

function attempted(status: number | null, more: Partial<Attempted> = {}): Attempted {
  const isSuccess = status !== null && status >= 200 && status <= 299
  return {
    state: 'sent',
    at: NOW,
    endedAt: NOW + 100,
    status,
    error: isSuccess ? null : 'status',
    detail: null,
    durationMs: 100,
    retryAfter: null,
    ...more,
  }
}

const after = (
  state: DeliveryState,
  made: { leasedUntil: number | null; attempted: Attempted },
): DeliveryState => stateAfter(state, made, (failed) => nextAttemptAt(failed, 0))

describe('a delivery after an attempt', () => {
  it('has succeeded, whoever made it', () => {
    for (const leasedUntil of [LEASE, LEASE - 1, null]) {
      const state = after(CLAIMED, { leasedUntil, attempted: attempted(204) })
      assert.deepEqual(
        [state.status, state.nextAttemptAt, state.leasedUntil],
        ['succeeded', null, null],
      )
    }
  })

  it('is due again from the end of the attempt', () => {
    const state = after(CLAIMED, { leasedUntil: LEASE, attempted: attempted(500) })
    const due = { status: 'pending', attemptsMade: 1, nextAttemptAt: NOW + 5_100 }
    assert.deepEqual(state, { ...due, leasedUntil: null })
  })

  it('has failed at once by 410', () => {
    const state = after(CLAIMED, { leasedUntil: LEASE, attempted: attempted(410) })
    assert.deepEqual([state.status, state.nextAttemptAt], ['failed', null])
  })

  it('is left alone by a failed replay, and by who lost his lease', () => {
    for (const leasedUntil of [null, LEASE - 1]) {
      assert.deepEqual(after(CLAIMED, { leasedUntil, attempted: attempted(500) }), CLAIMED)
    }
    const done = {
      ...CLAIMED,
      status: 'succeeded',
      nextAttemptAt: null,
      leasedUntil: null,
    } as const
    assert.deepEqual(after(done, { leasedUntil: null, attempted: attempted(null) }), done)
    assert.deepEqual(after(done, { leasedUntil: LEASE, attempted: attempted(null) }), done)
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
            if (state.nextAttemptAt === null) continue
            state = { ...state, leasedUntil: LEASE }
            scheduled += 1
          }
          state = after(state, { leasedUntil, attempted: attempted(500) })
        }
        assert.ok(scheduled <= ATTEMPTS_MAX)
        assert.equal(state.status, scheduled === ATTEMPTS_MAX ? 'failed' : 'pending')
      }),
    )
  })
})
