import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createTestLog } from '../../test/testing-log.ts'
import { receivedMail } from '../../test/testing-received-mail.ts'
import { newMail } from '../../test/testing-store.ts'
import { createCompose } from './compose.ts'
import type { MailToStore } from './received-mail.ts'

function compose(mails: readonly MailToStore[]) {
  const { log, messages } = createTestLog()
  const composed = createCompose({ hostName: 'mx.example', isScanned: false, log })(mails)
  assert.deepEqual(messages, [])
  return composed
}

function composeText(text: string) {
  const received = receivedMail({ raw: Buffer.from(text), protocol: 'ESMTP' })
  return compose([received])[0]?.mail ?? assert.fail()
}

describe('the text of a composed mail', () => {
  it('is a range of the raw mail, below its trace headers', () => {
    const { text, raw } = composeText('Subject: x\r\n\r\none\r\ntwo\r\n')
    assert.ok(text !== null && typeof text === 'object')
    const bytes = Buffer.from(raw.bytes).subarray(text.start, text.end)
    assert.equal(bytes.toString(), 'one\r\ntwo\r\n')
  })

  for (const [what, mail, expected] of [
    ['has other characters', 'Subject: x\r\n\r\né', 'é'],
    ['has a NUL, which the store replaces', 'Subject: x\r\n\r\na\0b', 'a\0b'],
    ['is compressed', `Subject: x\r\n\r\n${'a'.repeat(20_000)}`, 'a'.repeat(20_000)],
    ['is HTML', 'Content-Type: text/html\r\n\r\n<p>a', 'a'],
  ] as const) {
    it(`is the text itself when it ${what}`, () => assert.equal(composeText(mail).text, expected))
  }
})

describe('the mails of a batch', () => {
  it('are composed in their order, and those that were composed before stay as they are', () => {
    const before = { mail: { ...newMail(), id: 'large' }, recipients: [] }
    const batch = [receivedMail({ id: 'first' }), before, receivedMail({ id: 'last' })]
    const composed = compose(batch)
    assert.deepEqual(
      composed.map(({ mail }) => mail.id),
      ['first', 'large', 'last'],
    )
    assert.equal(composed[1], before)
  })

  it('keep their order, however many and however large they are', () => {
    const sizes = [60_000, 5_536, 100_000, 1, 65_535, ...new Array<number>(70).fill(1)]
    const batch = sizes.map((bytes, at) =>
      receivedMail({ id: `mail ${at}`, raw: Buffer.alloc(bytes, 'a') }),
    )
    assert.deepEqual(
      compose(batch).map(({ mail }) => [mail.id, mail.sizeBytes]),
      sizes.map((bytes, at) => [`mail ${at}`, bytes]),
    )
  })
})
