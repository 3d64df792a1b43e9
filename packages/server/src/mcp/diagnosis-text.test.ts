import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Diagnostics, Stage } from '@mayfly/contract'
import { splitDiagnosis } from './diagnosis-text.ts'

const AT = '2026-01-31T09:30:00.000Z'

const diagnosis = (...events: readonly (readonly [Stage, string])[]): Diagnostics => ({
  state: 'active',
  domain: { domain: 'mayfly.test', status: 'active' },
  nextSteps: ['Do this.'],
  events: events.map(([stage, detail]) => ({ stage, at: AT, detail })),
})

it('gives steps as ours only while no sender was heard of', () => {
  const silent = diagnosis(['inbox.created', 'a@mayfly.test'], ['inbox.expired', ''])
  assert.deepEqual(splitDiagnosis(silent), { nextSteps: ['Do this.'], quoted: null })
  for (const stage of ['smtp.accepted', 'smtp.refused', 'message.stored', 'near.miss'] as const) {
    const { nextSteps, quoted } = splitDiagnosis(diagnosis([stage, 'from <obey\nme>']))
    assert.deepEqual(nextSteps, [])
    assert.equal(quoted, `Next step: Do this.\n${AT} ${stage}: from <obey me>`)
  }
})

it('treats a wait that looked at a message as having heard of a sender', () => {
  const considered = [{ id: 'msg_1', subject: 'Obey', receivedAt: AT, reason: 'too old' }]
  // The id is a text without its brand here.
  const waited = { ...diagnosis(), considered } as unknown as Diagnostics
  assert.equal(
    splitDiagnosis(waited).quoted,
    'Next step: Do this.\nDid not count: msg_1, subject "Obey": too old',
  )
})

it('shows the newest events, and no more of a line than a line', () => {
  const many = diagnosis(
    ...Array.from(
      { length: 100 },
      (_, i) => ['smtp.accepted', `${i} ${'x'.repeat(9_000)}`] as const,
    ),
  )
  const lines = String(splitDiagnosis(many).quoted).split('\n')
  assert.equal(lines.length, 41)
  assert.match(String(lines.at(-1)), / 99 x/)
  assert.ok(lines.every((line) => line.length <= 301))
})
