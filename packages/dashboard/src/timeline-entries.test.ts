import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { DiagnosticEvent, Stage } from '@mayfly/client/internal'
import { subjectsOf, timelineEntries } from './timeline-entries.ts'

const event = (stage: Stage, at: string, detail: string | null = null): DiagnosticEvent => ({
  stage,
  at: `2026-11-19T10:48:${at}Z`,
  detail,
})

describe('the entries of a timeline', () => {
  it('say how long after the one before they happened', () => {
    const entries = timelineEntries([
      event('smtp.accepted', '10.000'),
      event('message.stored', '10.004'),
      event('webhook.delivered', '12.304'),
    ])
    assert.deepEqual(
      entries.map(({ gap }) => gap),
      [null, '+4 ms', '+2.3 s'],
    )
  })

  it('are one for a failure that repeats, until something else happens', () => {
    const entries = timelineEntries([
      event('webhook.failed', '10.000', 'attempt 1'),
      event('webhook.failed', '15.000', 'attempt 2'),
      event('message.stored', '16.000'),
      event('message.stored', '17.000'),
      event('webhook.failed', '18.000', 'attempt 3'),
    ])
    assert.deepEqual(
      entries.map(({ last, count, gap }) => [last.detail ?? last.stage, count, gap]),
      [
        ['attempt 2', 2, null],
        ['message.stored', 1, '+1.0 s'],
        ['message.stored', 1, '+1.0 s'],
        ['attempt 3', 1, '+1.0 s'],
      ],
    )
  })

  it('know the subjects of messages, whatever is in them', () => {
    const subjects = subjectsOf([
      event('message.stored', '10.000', 'msg_1, "A "quoted", 12 bytes\n one", 466 bytes'),
      event('message.stored', '11.000', 'msg_2, no subject, 466 bytes'),
      event('otp.detected', '11.000', 'msg_3, confidence 0.98'),
    ])
    assert.deepEqual(Object.fromEntries(subjects), {
      msg_1: 'A "quoted", 12 bytes\n one',
      msg_2: 'No subject',
    })
  })
})
