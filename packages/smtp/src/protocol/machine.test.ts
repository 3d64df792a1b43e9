import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { CONTENT_DIALOGUES, ERROR_DIALOGUES } from '../../test/testing-dialogue-errors.ts'
import {
  type DialogueCase,
  MAIL_DIALOGUES,
  SECURITY_DIALOGUES,
  SENDER_DIALOGUES,
} from '../../test/testing-dialogues.ts'
import { type Cut, codesOf, converse, EVERY_BYTE, lines } from '../../test/testing-protocol.ts'

const DIALOGUES: readonly DialogueCase[] = [
  ...MAIL_DIALOGUES,
  ...SECURITY_DIALOGUES,
  ...SENDER_DIALOGUES,
  ...ERROR_DIALOGUES,
  ...CONTENT_DIALOGUES,
]

describe('the protocol answers', () => {
  for (const dialogue of DIALOGUES) {
    it(dialogue.name, () => {
      const { flights, options, codes, mails = [], rejected = [], isClosed = false } = dialogue
      const result = converse(flights, options)

      assert.deepEqual(codesOf(result.output), ['220', ...codes])
      assert.equal(result.isClosed, isClosed)
      assert.deepEqual(result.rejected, rejected)
      assert.equal(result.mails.length, mails.length)
      assert.partialDeepStrictEqual(result.mails, mails)
    })
  }

  it('STARTTLS where it is not offered, with what to do: senders show the text', () => {
    const { output } = converse([lines('EHLO app.example', 'STARTTLS')], { offersTls: false })
    assert.match(output, /^502 5\.5\.1 STARTTLS is not offered: send without TLS\r$/m)
  })
})

describe('the protocol gives the same result however bytes are split', () => {
  for (const { name, flights, options } of DIALOGUES) {
    it(`${name}: at every byte`, () => {
      const whole = converse(flights, options)
      assert.deepEqual(converse(flights, options, EVERY_BYTE), whole)

      const longest = Math.max(...flights.map((flight) => flight.length))
      for (let at = 1; at < longest; at++) {
        const cut: Cut = (flight) => [flight.subarray(0, at), flight.subarray(at)]
        assert.deepEqual(converse(flights, options, cut), whole, `cut at byte ${at}`)
      }
    })
  }

  it('in random places, in random dialogues', () => {
    const dialogues = fc.array(fc.constantFrom(...DIALOGUES), { minLength: 1, maxLength: 4 })
    const sizes = fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 40 })
    const property = fc.property(dialogues, sizes, fc.boolean(), (chosen, pieces, offersAuth) => {
      const flights = chosen.flatMap(({ flights }) => flights)
      const options = { offersAuth, messageBytesMax: 100 }
      const cut: Cut = (flight) => cutInPieces(flight, pieces)
      assert.deepEqual(converse(flights, options, cut), converse(flights, options))
    })
    fc.assert(property, { numRuns: 300 })
  })

  it('in a line without end', () => {
    const flights = [`${lines('NOOP')}${'x'.repeat(64 * 1024 + 1)}`]
    const whole = converse(flights)
    assert.deepEqual(codesOf(whole.output), ['220', '250 2.0.0', '421 4.7.0'])
    const cut: Cut = (flight) => cutInPieces(flight, [1, 999, 1000, 1001, 5000])
    assert.deepEqual(converse(flights, {}, cut), whole)
  })
})

describe('the protocol survives any input', () => {
  it('never throws, and answers only in whole reply lines', () => {
    const words = fc.constantFrom(
      ...[
        'EHLO x',
        'MAIL FROM:<a@b.c>',
        'RCPT TO:<b@mayfly.test>',
        'DATA',
        'BDAT 3',
        'BDAT 2 LAST',
      ],
      ...[
        'RSET',
        'AUTH PLAIN',
        'AUTH LOGIN',
        'STARTTLS',
        'NOOP',
        '.',
        '..',
        ':',
        '<',
        '>',
        '"',
        '@',
      ],
      ...['\r\n', '\r\n', '\r\n', '\r', '\n', '\0', ' ', '\t', '\xc3', '\xa9', '='],
    )
    const bytes = fc.nat(0xff).map((byte) => String.fromCharCode(byte))
    const noise = fc.string({ unit: bytes, maxLength: 20 })
    const flight = fc.array(fc.oneof({ weight: 8, arbitrary: words }, noise), { maxLength: 60 })
    const property = fc.property(fc.array(flight, { maxLength: 3 }), (parts) => {
      const flights = parts.map((part) => part.join(''))
      const { output } = converse(flights, { offersAuth: true, messageBytesMax: 40 })
      for (const line of output.split('\r\n').slice(0, -1)) {
        assert.match(line, /^(?:\d{3}[ -][ -~]*|<TLS>)$/)
      }
      assert.ok(output.endsWith('\r\n'))
    })
    fc.assert(property, { numRuns: 1000 })
  })
})

/** Cuts into pieces of these sizes, over and over. */
function cutInPieces(flight: Buffer, sizes: readonly number[]): readonly Buffer[] {
  const pieces: Buffer[] = []
  for (let from = 0; from < flight.length; ) {
    const size = sizes[pieces.length % sizes.length] ?? 1
    pieces.push(flight.subarray(from, from + size))
    from += size
  }
  return pieces
}
