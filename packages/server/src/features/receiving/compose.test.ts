import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { composeMail } from './compose.ts'

const ENVELOPE = { mailFrom: 'a@example.com', remoteAddress: '192.0.2.1', helo: null, tls: null }

function compose(text: string, isTextInRaw = true) {
  const accepted = {
    envelope: { ...ENVELOPE, user: null },
    recipients: [],
    raw: Buffer.from(text),
    transcript: ['S: 220', 'C: EHLO'],
    protocol: 'ESMTP',
  }
  const deps = {
    hostName: 'mx.example',
    isScanned: false,
    isTextInRaw,
    newAttachmentId: () => {
      throw new Error('no attachment expected')
    },
    onError: (error: unknown) => {
      throw error
    },
  }
  return composeMail(deps, { id: 'eml_1', receivedAt: 1, accepted })
}

describe('the text of a composed mail', () => {
  it('is a range of the raw mail, below its trace headers', () => {
    const { text, raw } = compose('Subject: x\r\n\r\none\r\ntwo\r\n')
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
    it(`is the text itself when it ${what}`, () => assert.equal(compose(mail).text, expected))
  }

  it('is the text itself where others that read only that may share the store', () => {
    assert.equal(compose('Subject: x\r\n\r\none', false).text, 'one')
  })
})
