import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import PostalMime, { type Address, type Email } from 'postal-mime'
import type { MailAddress } from '../src/addresses/address-list.ts'
import { type ParsedMail, parseMail } from '../src/mime/parse-mail.ts'

const FOLDER = join(import.meta.dirname, 'mail', 'golden')

/** Intended differences from postal-mime, with their reasons. */
const EXPLAINED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'address-odd-forms': {
    from: 'a comma in an unquoted name does not end the mailbox',
    to: 'a source route is no part of an address',
  },
  'calendar-invite': { attachments: 'an invitation without a name is called invite.ics' },
  'content-type-broken': {
    text: 'half a type that begins with text is text',
    attachments: 'half a type that begins with text is text',
  },
  'date-broken': { sentAt: 'what is no date is none' },
  'filename-with-folders': { attachments: 'a file name has no folders' },
  'header-bom': { from: 'a byte order mark before the header is no part of it' },
  'header-empty-subject': { subject: 'an empty subject is there' },
  'header-encoded-line-break': { subject: 'an encoded line break cannot begin a field' },
  'header-encoded-word-split-character': { subject: 'neighbouring words are joined as bytes' },
  'header-folded': { subject: 'a fold is one space' },
  'header-no-separator': { text: 'a line that is no field begins the body' },
  'header-raw-latin1': { subject: 'bytes that are no UTF-8 are windows-1252' },
  'html-meta-charset': { html: 'HTML may name its charset itself' },
  'lines-cr': bareReturns('html'),
  'lines-cr-attachment': bareReturns('attachments'),
  'message-only': {
    html: 'the forwarded mail is shown without a header of ours',
    attachments: 'the forwarded mail can be downloaded',
  },
  'multipart-alternative-amp': { attachments: 'another form of the text is no attachment' },
  'multipart-boundary-never-appears': { text: 'lines without parts are shown as they are' },
  'multipart-boundary-prefix': { html: 'plain text beside HTML keeps its lines' },
  'multipart-digest': {
    text: 'mails in a digest are attachments, and the first is shown',
    attachments: 'mails in a digest are attachments, and the first is shown',
  },
  'multipart-html-and-text-footer': { html: 'plain text beside HTML keeps its lines' },
  'multipart-named-body': {
    html: 'text under a file name is an attachment',
    attachments: 'text under a file name is an attachment',
  },
  'multipart-nested-too-deep': { text: 'the bound on depth is ours' },
  'multipart-text-attachment': {
    text: 'text under a file name is an attachment',
    attachments: 'text under a file name is an attachment',
  },
  'multipart-without-boundary': {
    text: 'the boundary is guessed from the first delimiter',
    html: 'the boundary is guessed from the first delimiter',
  },
  'plain-ascii-label-utf8-bytes': { text: 'bytes beyond ASCII are tried as UTF-8' },
  'plain-base64-with-footer': { text: 'base64 ends at its padding' },
  'plain-flowed': { text: 'the quote marks of joined lines go' },
  'plain-no-mime-latin1': { text: 'bytes that are no UTF-8 are windows-1252' },
  'plain-quoted-printable': { text: 'white space at the end of a line was added on the way' },
  'plain-text-of-another-kind': {
    text: 'text of any kind that is all there is is shown',
    attachments: 'text of any kind that is all there is is shown',
  },
  'plain-untidy-charset': { text: 'stray quotes are no part of a charset name' },
  'plain-wrong-charset': { text: 'bytes that are no UTF-8 are windows-1252' },
}

function bareReturns(field: string): Record<string, string> {
  const fields = ['subject', 'from', 'to', 'text', 'sentAt', field]
  const reason = 'bare carriage returns end lines where nothing else does'
  return Object.fromEntries(fields.map((name) => [name, reason]))
}

type Fields = Readonly<Record<string, unknown>>

/** Ignores line endings and empty lines between joined parts, which may differ. */
function loosely(text: string | null | undefined): string {
  return (text ?? '').replaceAll('\r\n', '\n').replace(/\n+/g, '\n').trim()
}

function ourFields(mail: ParsedMail): Fields {
  const pair = ({ name, address }: MailAddress) => [name, address]
  return {
    subject: mail.subject,
    from: pair(mail.from),
    to: mail.to.map(pair),
    cc: mail.cc.map(pair),
    replyTo: mail.replyTo.map(pair),
    sentAt: mail.sentAt,
    text: loosely(mail.text),
    html: loosely(mail.html),
    attachments: mail.attachments.map(({ filename, contentType, contentId, bytes }) => {
      return [filename, contentType, contentId, loosely(bytes.toString('latin1'))]
    }),
  }
}

function theirFields(mail: Email): Fields {
  const pair = (one: Address) => [one.name || null, one.address || null]
  const flat = (list: readonly Address[] | undefined) =>
    (list ?? []).flatMap((one) => one.group ?? [one]).map(pair)
  return {
    subject: mail.subject ?? null,
    from: mail.from === undefined ? [null, null] : pair(mail.from),
    to: flat(mail.to),
    cc: flat(mail.cc),
    replyTo: flat(mail.replyTo),
    sentAt: mail.date ?? null,
    text: loosely(mail.text),
    html: loosely(mail.html),
    attachments: mail.attachments.map(({ filename, mimeType, contentId, content }) => {
      const bytes = Buffer.from(typeof content === 'string' ? content : new Uint8Array(content))
      const id = contentId?.replace(/^<|>$/g, '') ?? null
      return [filename, mimeType, id, loosely(bytes.toString('latin1'))]
    }),
  }
}

describe('compared with postal-mime', () => {
  for (const file of readdirSync(FOLDER).filter((name) => name.endsWith('.eml'))) {
    const name = file.slice(0, -'.eml'.length)
    it(`reads ${name} alike except for explained differences`, async () => {
      const raw = readFileSync(join(FOLDER, file))
      const ours = ourFields(parseMail(raw))
      const theirs = theirFields(await PostalMime.parse(raw))
      const differing = Object.keys(ours).filter(
        (field) => JSON.stringify(ours[field]) !== JSON.stringify(theirs[field]),
      )
      assert.deepEqual(differing.sort(), Object.keys(EXPLAINED[name] ?? {}).sort())
    })
  }
})
