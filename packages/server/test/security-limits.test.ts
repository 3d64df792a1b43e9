import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import * as bounds from '@mayfly/contract'
import * as mail from '../../mail/src/limits.ts'
import { SMTP_LIMITS } from '../../smtp/src/server/limits.ts'
import { JSON_TEXT_BYTES_MAX } from '../src/features/rules/json-text.ts'
import { UNREAD_BYTES } from '../src/http/unread-responses.ts'
import { INBOX_MESSAGES_MAX } from '../src/receiving/capacity.ts'

const { ARCHIVE_WORK } = mail
const SECURITY = new URL('../../../SECURITY.md', import.meta.url)

const Ki = 1024
const Mi = Ki * Ki
const thousands = (number: number) => number.toLocaleString('en-US')

describe('SECURITY.md', () => {
  const rows: readonly (readonly [what: string, limit: string])[] = [
    ['size of a mail', `${SMTP_LIMITS.messageBytesMax / Mi} MiB`],
    ['recipients of a mail', `${SMTP_LIMITS.recipientsMax}`],
    ['command line', `${thousands(SMTP_LIMITS.lineBytesMax)} bytes`],
    ['errors in a session', `${SMTP_LIMITS.errorsMax}`],
    ['rate of a mail, after 30 s', `${SMTP_LIMITS.dataBytesPerSecondMin} bytes a second`],
    ['connections from one address', `${SMTP_LIMITS.connectionsPerAddressMax}`],
    ['connections to the process', thousands(SMTP_LIMITS.connectionsMax)],
    ['incomplete mails in memory', `${SMTP_LIMITS.inFlightBytesMax / Mi} MiB`],
    ['messages and bytes in an inbox', thousands(INBOX_MESSAGES_MAX)],
    [
      'MIME: nesting, parts, attachments',
      `${mail.MIME_DEPTH_MAX}, ${mail.MIME_PARTS_MAX}, ${mail.ATTACHMENTS_MAX}`,
    ],
    [
      'header: fields, bytes; addresses in a field',
      `${thousands(mail.HEADERS_MAX)}, ${mail.HEADER_BYTES_MAX / Ki} KiB; ${thousands(mail.ADDRESSES_MAX)}`,
    ],
    [
      'HTML that is read: characters, tags, nesting, style sheets',
      `${mail.HTML_CHARS_MAX / Mi} Mi, ${thousands(mail.HTML_TAGS_MAX)}, ${mail.HTML_DEPTH_MAX}, ${mail.CSS_CHARS_MAX / Ki} Ki`,
    ],
    [
      'HTML that is shown: characters, nesting',
      `${mail.HTML_SAFE_CHARS_MAX / Mi} Mi, ${mail.HTML_SAFE_DEPTH_MAX}`,
    ],
    [
      'archives (zip, gzip, tar; one level deep)',
      `${ARCHIVE_WORK.shared / Mi} Mi and ${ARCHIVE_WORK.perByte} for each of their bytes, at most ${(ARCHIVE_WORK.shared + ARCHIVE_WORK.total) / Mi} Mi`,
    ],
    ['links; characters of a URL', `${mail.LINKS_MAX}; ${thousands(mail.URL_CHARS_MAX)}`],
    [
      'unread responses',
      `${UNREAD_BYTES.accountBytesMax / Mi} MiB of an account, ${UNREAD_BYTES.bytesMax / Mi} MiB`,
    ],
    ['text in a JSON response', `${JSON_TEXT_BYTES_MAX / Mi} MiB`],
    ['JSON body', `${bounds.BODY_BYTES_MAX / Ki} KiB`],
    ['wait |', `${bounds.WAIT_SECONDS.max} s`],
    [
      'assertions in a call; their texts',
      `${bounds.ASSERTIONS.max}; ${thousands(bounds.ASSERTION_TEXT_LENGTH_MAX)} characters`,
    ],
    [
      'messages, inboxes, deliveries on a page',
      `${bounds.MESSAGES_PAGE.max}, ${thousands(bounds.INBOXES_PAGE.max)}, ${bounds.DELIVERIES_PAGE.max}`,
    ],
    ['saved scenarios', `${bounds.SCENARIOS_MAX}`],
  ]

  for (const [what, limit] of rows) {
    it(`has the limit as it is: ${what}`, async () => {
      const lines = (await readFile(SECURITY, 'utf8')).split('\n')
      const line = lines.find((one) => one.startsWith(`| ${what}`))
      assert.ok(line?.split('|')[2]?.includes(limit), `${line} does not say ${limit}`)
    })
  }
})
