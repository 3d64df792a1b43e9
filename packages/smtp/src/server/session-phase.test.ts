import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { SMTP_LIMITS } from './limits.ts'
import { checkDeadlines, type Phase, type SessionClock } from './session-phase.ts'

const ACTIVE: Phase = { name: 'active' }

type Case = {
  readonly name: string
  readonly phase?: Phase
  readonly clock?: Partial<SessionClock>
  readonly dueMs: number
  readonly due: string
}

const CASES: readonly Case[] = [
  { name: 'a silent client', dueMs: 300_000, due: 'idle' },
  {
    name: 'a client that spoke a minute ago',
    clock: { activeAtMs: 60_000 },
    dueMs: 360_000,
    due: 'idle',
  },
  {
    name: 'a client that never stops',
    clock: { activeAtMs: 599_000 },
    dueMs: 600_000,
    due: 'sessionTooLong',
  },
  {
    name: 'a client that does not read',
    phase: { name: 'draining' },
    dueMs: 300_000,
    due: 'idle',
  },
  {
    name: 'DATA without a byte',
    clock: { content: { sinceMs: 0, bytes: 0 } },
    dueMs: 30_001,
    due: 'tooSlow',
  },
  {
    name: 'DATA at 500 bytes a second for a minute after the grace period, then silence',
    clock: { activeAtMs: 90_000, content: { sinceMs: 0, bytes: 30_000 } },
    dueMs: 90_001,
    due: 'tooSlow',
  },
  {
    name: 'DATA with a megabyte at once, then silence',
    clock: { content: { sinceMs: 0, bytes: 1_000_000 } },
    dueMs: 300_000,
    due: 'idle',
  },
  {
    name: 'a handler that does not answer',
    phase: { name: 'handling', sinceMs: 0 },
    dueMs: 120_000,
    due: 'unanswered',
  },
  { name: 'a handshake', phase: { name: 'securing', sinceMs: 0 }, dueMs: 30_000, due: 'destroy' },
  {
    name: 'a closed session',
    phase: { name: 'closing', sinceMs: 0 },
    dueMs: 5_000,
    due: 'destroy',
  },
  {
    name: 'a refused recipient',
    phase: { name: 'delayed', sinceMs: 0, reply: '550' },
    dueMs: 5_000,
    due: 'refuse',
  },
]

describe('deadlines', () => {
  for (const { name, phase = ACTIVE, clock, dueMs, due } of CASES) {
    it(`${name}: ${due} after ${dueMs} ms`, () => {
      const full = { openedAtMs: 0, activeAtMs: 0, content: null, ...clock }
      const at = (nowMs: number): string => {
        const action = checkDeadlines(phase, full, { limits: SMTP_LIMITS, nowMs })
        return action.kind === 'close' ? action.reply : action.kind
      }
      assert.equal(at(dueMs - 1), 'none')
      assert.equal(at(dueMs), due)
    })
  }

  it('nothing is due once the socket is closed', () => {
    const clock = { openedAtMs: 0, activeAtMs: 0, content: null }
    const action = checkDeadlines({ name: 'closed' }, clock, { limits: SMTP_LIMITS, nowMs: 1e9 })
    assert.equal(action.kind, 'none')
  })
})
