import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { converse, lines } from '../../test/testing-protocol.ts'
import { DataReader, MailBuffer } from './data-reader.ts'

const START = lines('EHLO x', 'MAIL FROM:<a@example.com>', 'RCPT TO:<b@mayfly.test>', 'DATA')
const SMUGGLED = lines('MAIL FROM:<evil@example.com>', 'RCPT TO:<victim@mayfly.test>', 'DATA')

/** Every string of up to three characters that ends of lines are faked with. */
const AROUND = [0, 1, 2, 3].flatMap((length) => words(['\r', '\n', '\0', 'x'], length))

describe('only CRLF . CRLF ends data', () => {
  it('whatever mix of CR, LF and NUL is before and after the dot', () => {
    for (const before of AROUND) {
      for (const after of AROUND) {
        const content = `a${before}.${after}${SMUGGLED}`
        const { mails } = converse([`${START}${content}\r\n.\r\n${SMUGGLED}evil\r\n.\r\n`])
        const ends = before.endsWith('\r\n') && after.startsWith('\r\n')
        const name = JSON.stringify(`${before}.${after}`)
        if (ends) assert.equal(mails[0]?.raw, `a${before}`, name)
        else assert.equal(mails[0]?.raw, `${content.replaceAll('\r\n.', '\r\n')}\r\n`, name)
      }
    }
  })

  it('at the start of data as well', () => {
    for (const after of AROUND) {
      const { mails } = converse([`${START}.${after}x\r\n.\r\n`])
      const expected = after.startsWith('\r\n') ? '' : `${after}x\r\n`
      assert.equal(mails[0]?.raw, expected, JSON.stringify(after))
    }
  })
})

describe('a reader of data', () => {
  it('gives back what was stuffed, however it is cut', () => {
    const line = fc.stringMatching(/^[.ab\r\n]{0,6}$/)
    const property = fc.property(fc.array(line), fc.nat({ max: 8 }), (texts, extra) => {
      const content = lines(...texts)
      const wire = `\r\n${content}`.replaceAll('\r\n.', '\r\n..').slice(2)
      const reader = new DataReader(10_000)
      const pieces = Buffer.from(`${wire}.\r\nNOOP`)
      for (let from = 0; from < pieces.length; from += 1 + extra) {
        const progress = reader.read(pieces.subarray(from, from + 1 + extra))
        if (progress.kind === 'more') continue
        assert.equal(progress.kind, 'ended')
        assert.equal(progress.mail?.toString(), content)
        assert.equal(from + 1 + extra >= pieces.length - 4, true)
        return
      }
      assert.fail('The end was not found.')
    })
    fc.assert(property)
  })

  it('keeps almost nothing of a mail that is too large', () => {
    const reader = new DataReader(1000)
    const piece = Buffer.alloc(500, 'x')
    const held = Array.from({ length: 8 }, () => {
      assert.equal(reader.read(piece).kind, 'more')
      return reader.heldBytes
    })
    assert.deepEqual(held, [500, 1000, 4, 4, 4, 4, 4, 4])
    assert.equal(reader.read(piece).kind, 'endless')
  })

  it('does not copy a mail that came in one piece, and never writes into one', () => {
    const piece = Buffer.from('hello\r\n..\r\n.\r\n')
    const before = piece.toString()
    const plain = new DataReader(100).read(piece.subarray(0, 5))
    assert.equal(plain.kind, 'more')

    const whole = Buffer.from('hello\r\n.\r\n')
    const progress = new DataReader(100).read(whole)
    assert.ok(progress.kind === 'ended')
    assert.equal(progress.mail?.buffer, whole.buffer)
    assert.equal(progress.mail?.byteOffset, whole.byteOffset)

    new DataReader(100).read(piece)
    assert.equal(piece.toString(), before)
  })
})

describe('a mail buffer', () => {
  it('is what was appended to it', () => {
    const property = fc.property(fc.array(fc.uint8Array({ maxLength: 3000 })), (pieces) => {
      const buffer = new MailBuffer()
      for (const piece of pieces) buffer.append(Buffer.from(piece))
      assert.deepEqual(buffer.bytes(), Buffer.concat(pieces))
      assert.equal(buffer.lengthBytes, buffer.bytes().length)
    })
    fc.assert(property)
  })

  it('takes at most twice its bytes when it comes byte by byte', () => {
    const buffer = new MailBuffer()
    for (let count = 0; count < 100_000; count++) buffer.append(Buffer.from([count & 0xff]))
    assert.equal(buffer.lengthBytes, 100_000)
    assert.ok(buffer.bytes().buffer.byteLength <= 200_000)
  })
})

function words(alphabet: readonly string[], length: number): readonly string[] {
  if (length === 0) return ['']
  return words(alphabet, length - 1).flatMap((word) => alphabet.map((letter) => word + letter))
}
