import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { detect } from '../src/detect.ts'
import { safeHtml } from '../src/html/safe-html.ts'
import { ATTACHMENTS_MAX, LINKS_MAX } from '../src/limits.ts'
import { parseMail } from '../src/mime/parse-mail.ts'
import { decodeTransfer } from '../src/mime/transfer-encoding.ts'
import { HOSTILE_HTML } from './testing-hostile-html.ts'
import { readMarkup } from './testing-markup.ts'
import { mutate, randomFrom } from './testing-mutations.ts'
import { soakProgress, soakRounds } from './testing-soak.ts'
import { workedMs } from './testing-worked-ms.ts'

/** Mails in `npm test`; the long form has a million. */
const MAILS = soakRounds({ short: 2_000, long: 1_000_000 })

/** Another seed each day in the long form; the message of a failure names it. */
const SEED = Number(process.env['FUZZ_SEED'] ?? 1)

const FOLDER = join(import.meta.dirname, 'mail', 'golden')

const SAMPLES = [
  ...readdirSync(FOLDER)
    .filter((file) => file.endsWith('.eml'))
    .map((file) => readFileSync(join(FOLDER, file))),
  ...HOSTILE_HTML.map((html) => Buffer.from(`Content-Type: text/html\r\n\r\n${html}`)),
]

const FORBIDDEN = new Set(
  `script style iframe frame form input object embed base meta link svg math
  template video audio`.split(/\s+/),
)

const TOKENS = [
  ...[
    '\r\n',
    '\n',
    '\r',
    '\r\n\r\n',
    '\0',
    ' ',
    '\t',
    '\xff',
    '\xc3\xa9',
    '--',
    '--\r\n',
    '"',
    ';',
  ],
  ...['Content-Type: ', 'multipart/mixed; boundary=b', 'text/html; charset=', 'utf-7', 'utf-16'],
  ...['message/rfc822', 'Content-Transfer-Encoding: base64\r\n', 'quoted-printable', '8bit', '='],
  ...['=?utf-8?B?', '=?utf-8?Q?', '?=', 'format=flowed', 'filename*0=', "utf-8''", 'name="a.exe"'],
  ...['From: ', 'To: ', 'Subject: ', 'Date: ', '<a@b.example>', ',', ':', '(', ')', '[', '\\'],
  ...['<b>', '</b>', '<table><tr><td>', '<style>', '</style>', '<!--', '-->', '<![CDATA[', '<svg>'],
  ...[
    '<a href="https://x.example/',
    '&',
    '&#x',
    '&amp;',
    ' style="display:none;',
    'data:',
    '<img ',
  ],
  ...['Your code is ', '482913', 'https://', 'PK\x03\x04', 'MZ', '%PDF-', '\x1f\x8b\x08'],
]

it(`reads ${MAILS} changed mails: no error, nothing over its bounds, none over 2 s`, () => {
  const random = randomFrom(SEED)
  const progress = soakProgress('changed mails', MAILS)
  let slowest = 0
  for (let index = 0; index < MAILS; index++) {
    progress(index)
    const raw = mutate({ random, samples: SAMPLES, tokens: TOKENS, bytesMax: 256 * 1024 })
    try {
      slowest = Math.max(
        slowest,
        workedMs(() => read(raw)),
      )
      assert.ok(slowest <= 2_000, `${slowest} ms`)
    } catch (error) {
      throw new Error(`mail ${index} of seed ${SEED}: ${raw.toString('base64')}`, { cause: error })
    }
  }
})

/** All that the service does with a mail. */
function read(raw: Buffer): void {
  const mail = parseMail(raw)
  const { links, verdicts } = detect(mail)
  assert.ok(links.length <= LINKS_MAX)
  assert.ok(mail.attachments.length <= ATTACHMENTS_MAX)
  assert.equal(verdicts.length, mail.attachments.length)
  for (const { bytes, bodyStart, bodyEnd, encoding } of mail.attachments) {
    assert.deepEqual(decodeTransfer(raw.subarray(bodyStart, bodyEnd), encoding), bytes)
  }
  if (mail.html === null) return
  const { elements, others } = readMarkup(
    safeHtml(mail.html, { remoteImages: 'block', imageUrl: () => null }),
  )
  assert.deepEqual(others, [])
  for (const { name, attributes } of elements) {
    assert.ok(!FORBIDDEN.has(name), `<${name}>`)
    for (const [attribute, value] of attributes) {
      assert.ok(!attribute.startsWith('on'), `<${name} ${attribute}>`)
      assert.doesNotMatch(value, /^\s*(?:javascript|vbscript):/i)
    }
  }
}
