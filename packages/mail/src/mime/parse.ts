import { type MailAddress, parseAddressList } from '../addresses/address-list.ts'
import { readHtml } from '../html/read.ts'
import { readableText, textToHtml } from '../html/readable-text.ts'
import { type Body, type Content, type ParsedAttachment, readBody } from './body.ts'
import { parseMailDate } from './date.ts'
import { DefectList } from './defects.ts'
import { decodeEncodedWords } from './encoded-words.ts'
import { findField, type HeaderBlock, type HeaderField, readHeaders } from './headers.ts'
import { readParts } from './mime.ts'

/** Everything that a mail says. */
export interface ParsedMail {
  /** In order, unfolded, encoded words decoded. */
  readonly headers: readonly HeaderField[]
  readonly subject: string | null
  readonly from: MailAddress
  readonly to: readonly MailAddress[]
  readonly cc: readonly MailAddress[]
  readonly replyTo: readonly MailAddress[]
  /** The Date field as an ISO string in UTC. */
  readonly sentAt: string | null
  readonly messageId: string | null
  /** The plain text; null when the mail has HTML alone or nothing at all. */
  readonly text: string | null
  /** The HTML as it was sent: never to be shown as it is. */
  readonly html: string | null
  readonly attachments: readonly ParsedAttachment[]
  /** What is wrong with the mail, in sentences. */
  readonly defects: readonly string[]
}

/** Reads a mail. Any bytes give a value: what cannot be understood is left out and noted. */
export function parseMail(raw: Buffer): ParsedMail {
  const defects = new DefectList()
  const { source, header } = readMailHeader(raw, defects)
  const { fields } = header
  if (fields.length === 0) defects.note('noHeaders')
  const range = { start: header.bodyStart, end: source.length }
  const body = readBody({ raw, source }, readParts(source, fields, { range, defects }), defects)
  const contents = body.contents.length > 0 ? body.contents : forwardedContents(body, defects)
  const headers = fields.map(({ name, value }) => ({
    name,
    value: decodeEncodedWords(value, defects),
  }))
  const addresses = (name: string) => addressesOf(fields, name, defects)
  return {
    headers,
    subject: findField(headers, 'subject'),
    from: addresses('from')[0] ?? { name: null, address: null },
    to: addresses('to'),
    cc: addresses('cc'),
    replyTo: addresses('reply-to'),
    sentAt: dateOf(fields, defects),
    messageId: messageIdOf(fields),
    text: joinTexts(contents),
    html: joinHtml(contents),
    attachments: body.attachments,
    defects: defects.sentences(),
  }
}

/**
 * The header, and the mail with line feeds where its lines end in bare carriage returns.
 *
 * Byte for byte, so that places in it are places in the raw mail. Done only where no empty line
 * of the usual kind separates header from body: a stray return elsewhere is just a character.
 */
function readMailHeader(
  raw: Buffer,
  defects: DefectList,
): { readonly source: Buffer; readonly header: HeaderBlock } {
  const whole = { start: 0, end: raw.length }
  const trial = new DefectList()
  const header = readHeaders(raw, whole, trial)
  if (header.isSeparated || !raw.includes('\r\r')) {
    defects.add(trial)
    return { source: raw, header }
  }
  defects.note('bareReturns')
  const source = Buffer.from(raw)
  for (let at = 0; at < source.length; at += 1) {
    if (source[at] === 13 && source[at + 1] !== 10) source[at] = 10
  }
  return { source, header: readHeaders(source, whole, defects) }
}

/** A mail that holds nothing but another mail shows that one's text. */
function forwardedContents(body: Body, defects: DefectList): readonly Content[] {
  const forwarded = body.attachments.find((one) => one.contentType === 'message/rfc822')
  if (forwarded === undefined) return []
  const raw = forwarded.bytes
  const { source, header } = readMailHeader(raw, defects)
  const range = { start: header.bodyStart, end: source.length }
  const leaves = readParts(source, header.fields, { range, defects })
  return readBody({ raw, source }, leaves, defects).contents
}

function joinTexts(contents: readonly Content[]): string | null {
  if (contents.every(isHtmlAlone)) return null
  return joinFilled(
    contents.map((content) =>
      isHtmlAlone(content) ? readableText(readHtml(content.html ?? '')) : (content.text ?? ''),
    ),
  )
}

/** An empty text beside HTML says nothing: such a mail has HTML alone. */
function isHtmlAlone({ text, html }: Content): boolean {
  return text === null || (html !== null && text.trim() === '')
}

function joinHtml(contents: readonly Content[]): string | null {
  if (contents.every(({ html }) => html === null)) return null
  return joinFilled(contents.map(({ html, text }) => html ?? textToHtml(text ?? '')))
}

function joinFilled(pieces: readonly string[]): string {
  return pieces.filter((piece) => piece !== '').join('\n')
}

function addressesOf(
  fields: readonly HeaderField[],
  name: string,
  defects: DefectList,
): readonly MailAddress[] {
  const value = findField(fields, name)
  return value === null ? [] : parseAddressList(value, defects)
}

function dateOf(fields: readonly HeaderField[], defects: DefectList): string | null {
  const value = findField(fields, 'date')
  if (value === null) return null
  const date = parseMailDate(value)
  if (date === null) defects.note('badDate')
  return date
}

function messageIdOf(fields: readonly HeaderField[]): string | null {
  const value = findField(fields, 'message-id')
  if (value === null) return null
  return /<[^<>\s]+>/.exec(value)?.[0] ?? (value.trim() || null)
}
