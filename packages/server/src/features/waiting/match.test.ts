import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { MessageId } from '@mayfly/contract'
import { mismatch, type WaitFilter, waitQuery } from './match.ts'

const MESSAGE = {
  id: 'msg_1' as MessageId, // A brand by hand: the test needs a fixed id.
  sequence: 7,
  receivedAt: 1_000,
  from: { name: 'Acme Sign-in', address: 'no-reply@acme.example' },
  subject: 'Your Sign-in Link',
  hasOtp: false,
}

const readText = async () => 'Hello Ada,\nuse this link.'

describe('mismatch', () => {
  const cases: readonly [WaitFilter, RegExp | null][] = [
    [{}, null],
    [{ after: '6' }, null],
    [{ after: '7' }, /before the watermark/],
    [{ since: '1970-01-01T00:00:01Z' }, null],
    [
      { since: '1970-01-01T02:00:01.001+02:00' },
      /received at 1970-01-01T00:00:01\.000Z, before since/,
    ],
    [{ from: 'acme.EXAMPLE' }, null],
    [{ from: 'sign-in' }, null],
    [{ from: 'other.example' }, /its sender is Acme Sign-in <no-reply@acme\.example>/],
    [{ subjectContains: 'sign-IN link' }, null],
    [{ subjectContains: 'receipt' }, /its subject does not contain "receipt"/],
    [{ textContains: 'THIS LINK' }, null],
    [{ textContains: 'that link' }, /its text does not contain/],
    [{ for: 'otp' }, /no one-time code/],
  ]
  for (const [filter, reason] of cases) {
    it(`${reason === null ? 'counts' : 'does not count'} for ${JSON.stringify(filter)}`, async () => {
      const found = await mismatch(waitQuery(filter), MESSAGE, readText)
      if (reason === null) assert.equal(found, null)
      else assert.match(String(found), reason)
    })
  }

  it('counts a message with a code when a code is waited for', async () => {
    const query = waitQuery({ for: 'otp' })
    assert.equal(await mismatch(query, { ...MESSAGE, hasOtp: true }, readText), null)
  })
})
