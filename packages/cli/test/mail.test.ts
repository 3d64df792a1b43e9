import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { addressOf, composeMail, type MailContent } from '../src/compose-mail.ts'
import { printable, printableLine } from '../src/printable.ts'
import { dotStuffed } from '../src/smtp-send.ts'
import { fillTemplate, loadTemplate } from '../src/templates.ts'

const MAIL: MailContent = {
  from: 'Example App <app@example.com>',
  to: ['qa@mayfly.test'],
  subject: 'Hello',
  text: 'Hello.',
  html: null,
  files: [],
  date: new Date('2026-01-31T09:30:00.000Z'),
}

const compose = (fields: Partial<MailContent>) =>
  Buffer.from(composeMail({ ...MAIL, ...fields })).toString('utf8')

describe('a composed mail', () => {
  it('is plain where the content is plain', () => {
    const [head, body] = compose({}).split('\r\n\r\n')
    assert.match(head ?? '', /^From: Example App <app@example\.com>\r\nTo: qa@mayfly\.test\r\n/)
    assert.match(head ?? '', /\r\nDate: Sat, 31 Jan 2026 09:30:00 \+0000\r\n/)
    assert.match(head ?? '', /\r\nContent-Transfer-Encoding: 7bit$/)
    assert.equal(body, 'Hello.\r\n')
  })

  it('has no line that is too long, whatever it holds', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 3000 })
    const subject = text.map((value) => value.replace(/[\r\n]/g, ' '))
    fc.assert(
      fc.property(subject, text, text, (subject, body, html) => {
        const files = [
          { filename: `${subject}.txt`, contentType: 'text/plain', bytes: Buffer.from(body) },
        ]
        const lines = compose({ subject, text: body, html, files }).split('\r\n')
        assert.ok(lines.every((line) => Buffer.byteLength(line) <= 998 && !/[\r\n]/.test(line)))
      }),
      { numRuns: 100 },
    )
  })

  it('refuses what would add a header', () => {
    assert.throws(() => compose({ subject: 'a\r\nBcc: x@y.example' }), /on one line/)
    assert.throws(() => compose({ from: 'a@b.example\r\nBcc: <x@y.example>' }), /one line|not an/)
    assert.throws(() => addressOf('a b@c.example'), /not an email address/)
    assert.equal(addressOf('Ann <ann@b.example>'), 'ann@b.example')
  })
})

describe('a mail on the wire', () => {
  it('ends at its own dot alone, and keeps every other byte', () => {
    const hostile = fc.string({ unit: fc.constantFrom('.', 'a', '\n', '\r', '\u00ff') })
    fc.assert(
      fc.property(hostile, (text) => {
        const wire = Buffer.from(dotStuffed(Buffer.from(text, 'latin1'))).toString('latin1')
        const lines = wire.split('\r\n')
        assert.equal(lines.indexOf('.'), lines.length - 2, 'the dot is the last line')
        const received = lines.slice(0, -2).map((line) => line.replace(/^\./, ''))
        const sent = text.split(/\r\n|\r|\n/)
        if (sent.at(-1) === '') sent.pop()
        assert.deepEqual(received, sent)
      }),
    )
  })
})

describe('a template', () => {
  it('fills its places, in HTML escaped', async () => {
    const filled = fillTemplate(await loadTemplate('otp'), { code: '4815<16' })
    assert.match(filled.text ?? '', /code is 4815<16\./)
    assert.match(filled.html ?? '', /<b>4815&#60;16<\/b>/)
    const other = fillTemplate(await loadTemplate('otp'), {})
    assert.match(other.text ?? '', /code is \d{6}\./)
  })

  it('says which place is left empty', () => {
    const template = { subject: '{{ team }}', text: null, html: null }
    assert.throws(() => fillTemplate(template, {}), /needs --set team=…/)
  })
})

describe('text of a mail on a terminal', () => {
  it('keeps letters and lines and loses what acts', () => {
    assert.equal(printable('a\x1b[2Jb\r\nc\td\u202eé\u0085'), 'a[2Jb\nc\tdé')
    assert.equal(printableLine(' a\n\tb\x07 '), 'a b')
  })
})
