import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ehloReply, REPLIES } from './replies.ts'

describe('replies', () => {
  for (const [name, reply] of Object.entries(REPLIES)) {
    it(`${name} has a code, an enhanced code of the same class, and a line's length`, () => {
      const match = /^(?:3\d\d |([245])\d\d ([245])\.\d\.\d [ -~]+)/.exec(reply)
      assert.notEqual(match, null)
      assert.equal(match?.[1], match?.[2])
      assert.ok(reply.length <= 100)
      assert.doesNotMatch(reply, /[\r\n]/)
    })
  }

  it('offer TLS and AUTH only where they are', () => {
    const offer = { hostname: 'mx.test', messageBytesMax: 7, tls: false, auth: false }
    assert.equal(
      ehloReply(offer),
      '250-mx.test\r\n250-PIPELINING\r\n250-SIZE 7\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n' +
        '250-ENHANCEDSTATUSCODES\r\n250 CHUNKING',
    )
    const added = ehloReply({ ...offer, tls: true, auth: true })
      .split('\r\n')
      .filter((line) => !ehloReply(offer).includes(line))
    assert.deepEqual(added, ['250-STARTTLS', '250-AUTH PLAIN LOGIN'])
  })
})
