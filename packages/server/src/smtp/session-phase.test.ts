import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { SMTP_LIMITS } from './limits.ts'
import { REPLIES } from './replies.ts'
import { judgeDeadlines, type Phase, type SessionClock } from './session-phase.ts'

const TALKING: Phase = { name: 'talking' }

type Case = {
  readonly name: string
  readonly phase?: Phase
  readonly clock?: Partial<SessionClock>
  /** The last second at which nothing is due, and what is due one second later. */
  readonly lastSecond: number
  readonly due: string
}

const CASES: readonly Case[] = [
  { name: 'a silent client', lastSecond: 299, due: REPLIES.idle },
  {
    name: 'a client that spoke a minute ago',
    clock: { activeAtMs: 60_000 },
    lastSecond: 359,
    due: REPLIES.idle,
  },
  {
    name: 'a client that never stops',
    clock: { activeAtMs: 599_000 },
    lastSecond: 599,
    due: REPLIES.sessionTooLong,
  },
  {
    name: 'a client that does not read',
    phase: { name: 'draining' },
    lastSecond: 299,
    due: REPLIES.idle,
  },
  {
    name: 'DATA without a byte',
    clock: { content: { sinceMs: 0, bytes: 0 } },
    lastSecond: 30,
    due: REPLIES.tooSlow,
  },
  {
    name: 'DATA at 500 bytes a second for a minute behind the grace, then silence',
    clock: { activeAtMs: 90_000, content: { sinceMs: 0, bytes: 30_000 } },
    lastSecond: 90,
    due: REPLIES.tooSlow,
  },
  {
    name: 'DATA with a megabyte at once, then silence',
    clock: { content: { sinceMs: 0, bytes: 1_000_000 } },
    lastSecond: 299,
    due: REPLIES.idle,
  },
  {
    name: 'a handler that does not answer',
    phase: { name: 'handling', sinceMs: 0 },
    lastSecond: 119,
    due: REPLIES.unanswered,
  },
  { name: 'a handshake', phase: { name: 'securing', sinceMs: 0 }, lastSecond: 29, due: 'destroy' },
  {
    name: 'a closed session',
    phase: { name: 'closing', sinceMs: 0 },
    lastSecond: 4,
    due: 'destroy',
  },
  {
    name: 'an unknown recipient',
    phase: { name: 'slowed', sinceMs: 0 },
    lastSecond: 4,
    due: 'refuse_unknown',
  },
]

describe('deadlines', () => {
  for (const { name, phase = TALKING, clock, lastSecond, due } of CASES) {
    it(`${name}: ${due} after ${lastSecond} s`, () => {
      const full = { openedAtMs: 0, activeAtMs: 0, content: null, ...clock }
      const at = (second: number): string => {
        const now = { limits: SMTP_LIMITS, nowMs: second * 1000 }
        const verdict = judgeDeadlines(phase, full, now)
        return verdict.kind === 'hang_up' ? verdict.reply : verdict.kind
      }
      assert.equal(at(lastSecond), 'nothing')
      assert.equal(at(lastSecond + 1), due)
    })
  }

  it('nothing is due once the client is gone', () => {
    const clock = { openedAtMs: 0, activeAtMs: 0, content: null }
    const verdict = judgeDeadlines({ name: 'gone' }, clock, { limits: SMTP_LIMITS, nowMs: 1e9 })
    assert.equal(verdict.kind, 'nothing')
  })
})
