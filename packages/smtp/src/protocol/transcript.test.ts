import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { converse, lines } from '../../test/testing-protocol.ts'

const FROM = 'MAIL FROM:<a@example.com>'
const TO = 'RCPT TO:<b@mayfly.test>'

describe('a transcript', () => {
  it('shows the dialogue of its mail, and no other', () => {
    const { mails } = converse([
      lines('EHLO x', FROM, TO, 'DATA', 'one', '.', 'NOOP', 'WAT', FROM, TO, 'BDAT 3 LAST').concat(
        'two',
      ),
    ])
    const start = [
      'S: 220 mx.mayfly.test ESMTP Mayfly',
      'C: EHLO x',
      'S: 250-mx.mayfly.test',
      'S: 250-PIPELINING',
      'S: 250-SIZE 1000',
      'S: 250-STARTTLS',
      'S: 250-8BITMIME',
      'S: 250-SMTPUTF8',
      'S: 250-ENHANCEDSTATUSCODES',
      'S: 250 CHUNKING',
      `C: ${FROM}`,
      'S: 250 2.1.0 Sender OK',
      `C: ${TO}`,
      'S: 250 2.1.5 Recipient OK',
    ]
    assert.deepEqual(mails[0]?.transcript, [
      ...start,
      'C: DATA',
      'S: 354 End data with <CR><LF>.<CR><LF>',
      'C: <5 bytes of mail>',
    ])
    assert.deepEqual(mails[1]?.transcript, [...start, 'C: BDAT 3 LAST', 'C: <3 bytes of mail>'])
  })

  it('shows the commands before TLS and only the last EHLO', () => {
    const { mails } = converse([
      lines('EHLO one', 'NOOP', 'STARTTLS'),
      lines('EHLO two', FROM, 'EHLO three', FROM, TO, 'DATA', '.'),
    ])
    const said = mails[0]?.transcript.filter((line) => line.startsWith('C: '))
    assert.deepEqual(said, [
      ...['C: EHLO one', 'C: STARTTLS', 'C: EHLO three'],
      ...[`C: ${FROM}`, `C: ${TO}`, 'C: DATA', 'C: <0 bytes of mail>'],
    ])
  })

  it('shows no secret', () => {
    const secret = Buffer.from('\0user\0secret').toString('base64')
    const dialogues = [
      ['EHLO x', `AUTH PLAIN ${secret}`],
      ['EHLO x', 'auth plain', secret],
      ['EHLO x', 'AUTH LOGIN', secret, secret],
      ['EHLO x', FROM, `AUTH PLAIN ${secret}`, 'RSET'],
      ['EHLO x', `AUTH\tPLAIN ${secret}`],
      ['EHLO x', `AUTH PLAIN ${secret}\0`],
      ['EHLO x', 'AUTH PLAIN', `${secret}!`],
    ]
    for (const dialogue of dialogues) {
      const flights = [lines(...dialogue, FROM, `AUTH PLAIN ${secret}`, TO, 'DATA', '.')]
      const { mails } = converse(flights, { offersAuth: true })
      assert.equal(mails.length, 1)
      assert.doesNotMatch(mails[0]?.transcript.join('\n') ?? '', new RegExp(secret))
      assert.match(mails[0]?.transcript.join('\n') ?? '', /AUTH PLAIN <hidden>/)
    }
  })

  it('shows no control characters', () => {
    const { mails } = converse([
      lines('EHLO x', FROM, 'NOOP \x1b[2J', 'NOOP \xc2\x9b', TO, 'DATA', '.'),
    ])
    assert.ok(mails[0]?.transcript.includes('C: NOOP ?[2J'))
    assert.doesNotMatch(mails[0]?.transcript.join('') ?? '', /[\x00-\x1f\x7f-\x9f]/)
  })

  it('is bounded in lines and in characters', () => {
    const noops = Array<string>(1000).fill('NOOP')
    const long = Array<string>(100).fill(`NOOP ${'x'.repeat(900)}`)
    for (const middle of [noops, long]) {
      const { mails } = converse([lines('EHLO x', FROM, TO, ...middle, 'DATA', '.')])
      const transcript = mails[0]?.transcript ?? []
      assert.equal(transcript.at(-1), '(truncated)')
      assert.ok(transcript.length <= 240)
      assert.ok(transcript.join('').length <= 17 * 1024)
    }
  })

  it('holds a mail to a hundred recipients whole', () => {
    const { mails } = converse([lines('EHLO x', FROM, ...Array<string>(100).fill(TO), 'DATA', '.')])
    assert.equal(mails[0]?.transcript.at(-1), 'C: <0 bytes of mail>')
  })
})
