import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { detect } from '../src/detect.ts'
import { parseMail } from '../src/mime/parse-mail.ts'
import { decodeTransfer } from '../src/mime/transfer-encoding.ts'

const FOLDER = join(import.meta.dirname, 'mail', 'golden')

/** The properties of a mail that the expected values have, in their order. */
function read(raw: Buffer): Record<string, unknown> {
  const mail = parseMail(raw)
  const { text, preview, links, verdicts } = detect(mail)
  const { subject, from, to, cc, replyTo, sentAt, html, defects } = mail
  const attachments = mail.attachments.map((attachment, index) => {
    const { bytes, bodyStart, bodyEnd, ...rest } = attachment
    const again = decodeTransfer(raw.subarray(bodyStart, bodyEnd), attachment.encoding)
    assert.deepEqual(again, bytes, 'the range in the raw mail gives the same bytes')
    return { ...rest, base64: bytes.toString('base64'), ...verdicts[index] }
  })
  return {
    ...{ subject, from, to, cc, replyTo, sentAt, text, html },
    ...{ preview, links, attachments, defects },
    headers: mail.headers.map(({ name, value }) => [name, value]),
  }
}

describe('golden mails', () => {
  const names = readdirSync(FOLDER)
    .filter((file) => file.endsWith('.eml'))
    .map((file) => file.slice(0, -'.eml'.length))

  it('are at least sixty', () => assert.ok(names.length >= 60))

  for (const name of names) {
    it(`reads ${name} as expected`, () => {
      const expected = JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8'))
      const actual = read(readFileSync(join(FOLDER, `${name}.eml`)))
      // Only some expectations include all header fields.
      if (!('headers' in expected)) delete actual['headers']
      assert.deepEqual(actual, expected)
    })
  }
})
