import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { logText, storedText } from './log-text.ts'

const TIME = '2026-11-19T10:48:16.123'
const lineOf = (fields: object) => `${JSON.stringify({ level: 'info', time: TIME, ...fields })}\n`

describe('the log for a person', () => {
  const cases: readonly (readonly [fields: object, text: string])[] = [
    [{ msg: 'stopping' }, '10:48:16  stopping'],
    [{ level: 'warn', msg: 'slow', seconds: 3 }, '10:48:16  warn: slow  seconds=3'],
    [{ level: 'error', msg: 'failed', err: { message: 'why' } }, '10:48:16  error: failed: why'],
    [
      { level: 'error', msg: 'failed', err: { stack: 'E: why' } },
      '10:48:16  error: failed\nE: why',
    ],
    [{ msg: 'to \u001b[31mred\u0007 \u202Etxt.exe' }, '10:48:16  to red\uFFFD \uFFFDtxt.exe'],
    [{ msg: 'x'.repeat(300) }, `10:48:16  ${'x'.repeat(200)}…`],
  ]
  for (const [fields, text] of cases) {
    it(`shows ${JSON.stringify(fields).slice(0, 60)}`, () => {
      assert.equal(logText(lineOf(fields)), `${text}\n`)
    })
  }

  it('shows what is no JSON as it is', () => {
    assert.equal(logText('\n  Mayfly is ready.\n'), '\n  Mayfly is ready.\n')
    assert.equal(logText('12\n'), '12\n')
  })

  it('names the address, the subject and the code of a mail', () => {
    const address = 'signup@mayfly.test'
    const text = storedText({ address, subject: 'Your code', code: '481516' })
    assert.equal(text, 'signup@mayfly.test  "Your code"  code 481516')
    assert.equal(
      storedText({ address, subject: null, code: null }),
      'signup@mayfly.test  without a subject',
    )
  })
})
