import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { InboxId, MessageId } from '@mayfly/contract'
import { almostGiven, mismatch, type ReadParts, type WaitFilter, waitQuery } from './match.ts'

const MESSAGE = {
  id: 'msg_1' as MessageId, // A brand by hand: the test needs a fixed id.
  sequence: 7,
  receivedAt: 1_000,
  from: { name: 'Acme Sign-in', address: 'no-reply@acme.example' },
  subject: 'Your Sign-in Link',
  sizeBytes: 2_000,
  isRead: false,
  hasAttachments: false,
  otp: null,
  // As above.
  inbox: { id: 'inb_1' as InboxId, address: 'qa@mayfly.test' },
}

const TEXT = 'Hello Ada,\nuse this link.'
const READ: ReadParts = {
  text: async () => TEXT,
  content: async () => ({
    to: [{ name: null, address: 'qa@mayfly.test' }],
    cc: [],
    replyTo: [],
    recipients: ['qa+ci@mayfly.test'],
    headers: [{ name: 'List-Id', value: 'news.acme.example' }],
    links: [{ url: 'https://app.acme.example/login' }],
    attachments: [],
    text: TEXT,
    html: null,
  }),
  code: async (format) => ({
    otp: format === '999999' ? { value: '730528', confidence: 0.4 } : null,
    candidates: [
      {
        value: '730528',
        confidence: 0.41,
        reasonsFor: ['It has six digits'],
        reasonsAgainst: ['The subject is ‘Order’', 'It is not set off', 'It is in the HTML'],
      },
    ],
  }),
}

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
    [{ for: 'otp', otpFormat: '999999' }, null],
    [{ for: 'otp', otpFormat: '9999' }, /^no one-time code of the form 9999 was found in it$/],
    [{ q: 'from:acme subject:"sign-in link" ada link:acme.example tag:ci is:unread' }, null],
    [{ q: 'ada -has:attachment otp:any' }, /it does not match otp:any/],
    [{ q: 'ada -list' }, null],
    [{ q: 'ada -link' }, /it does not match -link/],
  ]
  for (const [filter, reason] of cases) {
    it(`${reason === null ? 'counts' : 'does not count'} for ${JSON.stringify(filter)}`, async () => {
      const found = await mismatch(waitQuery(filter), MESSAGE, READ)
      if (reason === null) assert.equal(found, null)
      else assert.match(String(found), reason)
    })
  }

  it('counts a message with a code when a code is waited for', async () => {
    const query = waitQuery({ for: 'otp' })
    assert.equal(await mismatch(query, { ...MESSAGE, otp: '481516' }, READ), null)
  })

  it('tells the code that was almost given, with the two strongest reasons against it', async () => {
    const told = await almostGiven(waitQuery({ for: 'otp' }), MESSAGE, READ)
    const why = 'the subject is ‘Order’; it is not set off'
    assert.equal(told, `; likely 730528 (0.41), not given: ${why}`)
    assert.equal(await almostGiven(waitQuery({}), MESSAGE, READ), '')
    const other = waitQuery({ for: 'otp', otpFormat: '9999' })
    const message = { ...MESSAGE, otp: '730528' }
    assert.match(
      await almostGiven(other, message, READ),
      /^; likely 730528 \(0\.41\), of another form/,
    )
  })

  it('refuses a query that is not valid', () => {
    assert.throws(() => waitQuery({ q: 'larger:tall' }), /q: larger:tall: needs a size/)
  })
})
