import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { workedMs } from '../../test/testing-worked-ms.ts'
import { detect } from '../detect.ts'
import {
  ATTACHMENTS_MAX,
  DEFECTS_MAX,
  HEADERS_MAX,
  LINKS_MAX,
  MIME_DEPTH_MAX,
  MIME_PARTS_MAX,
} from '../limits.ts'
import { DEFECTS } from './defects.ts'
import { type ParsedMail, parseMail } from './parse-mail.ts'

const CRLF = '\r\n'
const lines = (...all: readonly string[]): string => all.join(CRLF)

/** What must hold of any mail, however broken. */
function assertBounded(mail: ParsedMail, raw: Buffer): void {
  assert.ok(mail.headers.length <= HEADERS_MAX)
  assert.ok(mail.attachments.length <= ATTACHMENTS_MAX)
  assert.ok(mail.defects.length <= DEFECTS_MAX)
  assert.equal(new Set(mail.defects).size, mail.defects.length)
  for (const { bodyStart, bodyEnd, bytes, sizeBytes } of mail.attachments) {
    assert.ok(0 <= bodyStart && bodyStart <= bodyEnd && bodyEnd <= raw.length)
    assert.equal(bytes.length, sizeBytes)
    assert.ok(sizeBytes <= bodyEnd - bodyStart)
  }
  const { textRange } = mail
  if (textRange !== null) {
    const written = raw.toString('latin1', textRange.start, textRange.end)
    assert.equal(written.replaceAll(/\r\n?/g, '\n'), mail.text)
  }
  const { links, preview, verdicts } = detect(mail)
  assert.ok(links.length <= LINKS_MAX)
  assert.equal(new Set(links.map(({ url }) => url)).size, links.length)
  assert.notEqual(preview, '')
  assert.equal(verdicts.length, mail.attachments.length)
}

function parseText(text: string): ParsedMail {
  const raw = Buffer.from(text, 'latin1')
  const mail = parseMail(raw)
  assertBounded(mail, raw)
  return mail
}

describe('the range of a plain text', () => {
  const body = 'first line\r\nsecond\rthird\n\r\n'
  const plain = lines('Content-Type: text/plain', '', body)
  const html = lines('Content-Type: text/html', '', '<p>x</p>')
  const parts = (type: string, ...all: readonly string[]) =>
    lines(`Content-Type: ${type}; boundary=b`, '', ...all.map((one) => `--b${CRLF}${one}`), '--b--')
  const verbatim: readonly (readonly [what: string, mail: string])[] = [
    ['without a type', lines('Subject: x', '', body)],
    ['without a header', body],
    ['with bare carriage returns', `Subject: x\r\r${body}`],
    ['of a charset that includes ASCII', plain.replace('plain', 'plain; charset="ISO-8859-1"')],
    ['declared as 7bit', `Content-Transfer-Encoding: 7bit${CRLF}${plain}`],
    ['beside HTML', parts('multipart/alternative', plain, html)],
    ['beside an attachment', parts('multipart/mixed', plain, lines('Content-Type: a/b', '', 'c'))],
  ]
  for (const [what, mail] of verbatim) {
    it(`is that of a text ${what}`, () => assert.notEqual(parseText(mail).textRange, null))
  }

  const flowed = plain.replace('plain', 'plain; format=flowed')
  const decoded: readonly (readonly [what: string, mail: string])[] = [
    ['of several parts', parts('multipart/mixed', plain, plain)],
    ['that is empty, beside HTML', parts('multipart/alternative', plain.slice(0, 28), html)],
    ['of HTML only', html],
    ['with a byte order mark', `${plain.slice(0, 28)}\xef\xbb\xbf${body}`],
    ['with other characters', `${plain}\xc3\xa9`],
    ['in quoted-printable', `Content-Transfer-Encoding: quoted-printable${CRLF}${plain}=41`],
    ['in base64', `Content-Transfer-Encoding: base64${CRLF}${CRLF}QUJD`],
    ['with flowed lines', flowed],
    ['of a charset with shifts', plain.replace('plain', 'plain; charset=iso-2022-jp')],
    ['of a charset of two bytes', plain.replace('plain', 'plain; charset=utf-16')],
    ['of an unknown charset', plain.replace('plain', 'plain; charset=x')],
    ['of a forwarded mail', lines('Content-Type: message/rfc822', '', plain)],
  ]
  for (const [what, mail] of decoded) {
    it(`is not given for a text ${what}`, () => assert.equal(parseText(mail).textRange, null))
  }
})

it('reads line ends in UTF-16, whose other characters have the same bytes', () => {
  const line = '\u0d0a\u0a0d\u0d0d a\r\nb\rc\n'
  for (const charset of ['utf-16le', 'unicode', 'iso-10646-ucs-2']) {
    const header = Buffer.from(`Content-Type: text/plain; charset=${charset}\r\n\r\n`)
    for (const count of [1, 20_000]) {
      const body = Buffer.from(line.repeat(count), 'utf16le')
      const { text } = parseMail(Buffer.concat([header, body]))
      assert.equal(text, '\u0d0a\u0a0d\u0d0d a\nb\nc\n'.repeat(count))
    }
  }
})

it('reads the line ends of a long text as those of a short one', () => {
  const short = 'é\r\nb\rc\r\r\nd\n\r\n'
  const read = (count: number) =>
    parseMail(Buffer.from(`Content-Type: text/plain; charset=utf-8\r\n\r\n${short.repeat(count)}`))
      .text
  assert.equal(read(20_000), read(1)?.repeat(20_000))
})

describe('bounds', () => {
  it('stop at a depth', () => {
    const nested = (depth: number): string => {
      let mail = ''
      for (let level = 0; level < depth; level += 1) {
        mail += lines(`Content-Type: multipart/mixed; boundary=b${level}`, '', `--b${level}`, '')
      }
      return `${mail}${lines('Content-Type: text/plain', '', 'deep', '')}`
    }
    assert.equal(parseText(nested(MIME_DEPTH_MAX)).text, `deep${CRLF}`.replace('\r', ''))
    const deeper = parseText(nested(MIME_DEPTH_MAX + 1))
    assert.equal(deeper.text, null)
    assert.ok(deeper.defects.includes(DEFECTS.tooDeep))
  })

  it('stop at a number of parts and of attachments', () => {
    const part = lines('--b', 'Content-Type: image/png', '', 'x', '')
    const head = lines('Content-Type: multipart/mixed; boundary=b', '', '')
    const mail = parseText(`${head}${part.repeat(MIME_PARTS_MAX + 1)}--b--`)
    assert.equal(mail.attachments.length, ATTACHMENTS_MAX)
    assert.ok(mail.defects.includes(DEFECTS.tooManyParts))
    assert.ok(mail.defects.includes(DEFECTS.tooManyAttachments))
  })

  it('count the parts of all multiparts together', () => {
    const inner = lines('--b', 'Content-Type: multipart/mixed; boundary=c', '', '--c', '', 'x', '')
    const head = lines('Content-Type: multipart/mixed; boundary=b', '', '')
    const mail = parseText(`${head}${inner.repeat(MIME_PARTS_MAX - 20)}--b--`)
    assert.equal(mail.text?.split('\n').length, 20)
    assert.ok(mail.defects.includes(DEFECTS.tooManyParts))
  })
})

describe('hostile mail', () => {
  const MB = 1024 * 1024
  const nest = Array.from({ length: 10_000 }, (_, level) =>
    lines(`Content-Type: multipart/mixed; boundary=b${level}`, '', `--b${level}`, ''),
  )
  const dashes = '-'.repeat(70)
  const shapes: readonly (readonly [name: string, raw: () => string])[] = [
    ['multiparts 10,000 deep', () => nest.join('')],
    [
      '10,000 multiparts of one boundary',
      () => lines('Content-Type: multipart/mixed; boundary=b', '', '--b', '').repeat(10_000),
    ],
    [
      '500,000 parts',
      () =>
        `Content-Type: multipart/mixed; boundary=b\r\n\r\n${'--b\r\n\r\nx\r\n'.repeat(500_000)}`,
    ],
    ['a million headers', () => 'A: b\r\n'.repeat(1_000_000)],
    ['a million continuation lines', () => `A: b${'\r\n c'.repeat(1_000_000)}`],
    ['one line of 24 MB', () => `\r\n${'x'.repeat(24 * MB)}`],
    ['one header of 24 MB', () => `Subject: ${'x'.repeat(24 * MB)}`],
    [
      '24 MB of base64 padding',
      () => `Content-Transfer-Encoding: base64\r\n\r\n${'A='.repeat(12 * MB)}`,
    ],
    [
      '24 MB of quoted-printable breaks',
      () => `Content-Transfer-Encoding: quoted-printable\r\n\r\n${'= '.repeat(12 * MB)}`,
    ],
    ['5 MB of carriage returns', () => `A: b${'\r'.repeat(5 * MB)}`],
    [
      'a boundary of dashes',
      () =>
        `Content-Type: multipart/mixed; boundary=${dashes}\r\n\r\n` +
        `--${dashes}x\r\n`.repeat(60_000) +
        '-'.repeat(5 * MB),
    ],
    [
      'half delimiters',
      () => `Content-Type: multipart/mixed; boundary=b\r\n\r\n${'\r\n--bx'.repeat(800_000)}`,
    ],
    ['encoded words', () => `Subject: ${'=?utf-8?Q?=C3?='.repeat(16_000)}\r\n\r\n`],
    ['addresses', () => `To: ${'"a" <a@b.example>,'.repeat(14_000)}\r\n\r\n`],
    ['a text of links', () => `\r\n${'https://a.example/x '.repeat(250_000)}`],
    ['HTML of unclosed tags', () => `Content-Type: text/html\r\n\r\n${'<div><b>'.repeat(600_000)}`],
    [
      'flowed lines',
      () =>
        `Content-Type: text/plain; format=flowed; delsp=yes\r\n\r\n${'a \r\n'.repeat(1_200_000)}`,
    ],
  ]
  for (const [name, make] of shapes) {
    it(`reads ${name} in linear time`, () => {
      const raw = Buffer.from(make(), 'latin1')
      const elapsedMs = workedMs(() => detect(parseMail(raw)))
      // Four times what a slow machine takes; quadratic work would take minutes.
      assert.ok(elapsedMs < 1_000 + raw.length / 10_000, `took ${elapsedMs} ms`)
      assertBounded(parseMail(raw), raw)
    })
  }
})

describe('any mail', () => {
  const folder = join(import.meta.dirname, '../../test/mail/golden')
  const mails = readdirSync(folder)
    .filter((file) => file.endsWith('.eml'))
    .map((file) => readFileSync(join(folder, file)))

  it('gives a bounded value whatever its bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 3_000 }), (bytes) => {
        const raw = Buffer.from(bytes)
        assertBounded(parseMail(raw), raw)
      }),
    )
  })

  it('gives a bounded value however it is damaged', () => {
    const change = fc.record({
      at: fc.nat(),
      cut: fc.nat({ max: 30 }),
      insert: fc.constantFrom(
        ...[
          '',
          '\r\n',
          '\n',
          '\r',
          '--',
          '=_b',
          '\0',
          '=',
          ';',
          '"',
          '<',
          '>',
          ':',
          '=?',
          '?=',
          ' ',
        ],
        ...['Content-Type: multipart/mixed; boundary="=_b"', 'base64', '\xff\xfe', '<a href="'],
      ),
    })
    fc.assert(
      fc.property(
        fc.constantFrom(...mails),
        fc.array(change, { maxLength: 10 }),
        (mail, changes) => {
          let text = mail.toString('latin1')
          for (const { at, cut, insert } of changes) {
            const place = at % (text.length + 1)
            text = text.slice(0, place) + insert + text.slice(place + cut)
          }
          const raw = Buffer.from(text, 'latin1')
          assertBounded(parseMail(raw), raw)
        },
      ),
      { numRuns: 3_000 },
    )
  })

  it('gives the same with line feeds as with carriage returns before them', () => {
    for (const mail of mails) {
      const text = mail.toString('latin1')
      if (/[^\r]\n/.test(text) || /\r[^\n]/.test(text)) continue
      const one = parseMail(mail)
      const other = parseMail(Buffer.from(text.replaceAll('\r\n', '\n'), 'latin1'))
      const told = ({ subject, from, to, text: body, defects }: ParsedMail) => {
        return { subject, from, to, body, defects }
      }
      assert.deepEqual(told(other), told(one))
    }
  })
})
