import { type MailAddress, parseAddressList } from '../addresses/address-list.ts'
import { readHtml } from '../html/read-html.ts'
import { readableText, textToHtml } from '../html/readable-text.ts'
import {
  type BodyText,
  type MailContents,
  type ParsedAttachment,
  readContents,
} from './contents.ts'
import { parseMailDate } from './date.ts'
import { DefectList } from './defects.ts'
import { decodeEncodedWords } from './encoded-words.ts'
import { type ByteRange, findField, type HeaderField, readMailHeader } from './headers.ts'
import { readParts } from './parts.ts'

/** A parsed mail. */
export interface ParsedMail {
  /** In order, unfolded, with encoded words decoded. */
  readonly headers: readonly HeaderField[]
  readonly subject: string | null
  readonly from: MailAddress
  readonly to: readonly MailAddress[]
  readonly cc: readonly MailAddress[]
  readonly replyTo: readonly MailAddress[]
  /** The Date field as an ISO string in UTC. */
  readonly sentAt: string | null
  /** The plain text; null if the mail has HTML only or no text at all. */
  readonly text: string | null
  /** Where the plain text is in the mail, if it is there as ASCII, with any line ends. */
  readonly textRange: ByteRange | null
  /** The HTML as sent, unsafe to show: see `safeHtml`. */
  readonly html: string | null
  readonly attachments: readonly ParsedAttachment[]
  /** What is wrong with the mail, in sentences. */
  readonly defects: readonly string[]
}

/** Parses a mail. Any bytes are accepted: what cannot be parsed is noted in `defects`. */
export function parseMail(raw: Buffer): ParsedMail {
  const defects = new DefectList()
  const { source, header } = readMailHeader(raw, defects)
  const { fields } = header
  if (fields.length === 0) defects.note('noHeaders')
  const range = { start: header.bodyStart, end: source.length }
  const leaves = readParts(source, fields, { range, defects })
  const contents = readContents({ raw, source }, leaves, { defects })
  const texts = contents.texts.length > 0 ? contents.texts : forwardedTexts(contents, defects)
  const text = joinPlain(texts)
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
    text,
    // Those of a forwarded mail are positions in that one.
    textRange: text === null || texts !== contents.texts ? null : rangeOfOnly(texts),
    html: joinHtml(texts),
    attachments: contents.attachments,
    defects: defects.sentences(),
  }
}

/** The headers of a mail in order, unfolded, with encoded words as they are written. */
export function readRawHeaders(raw: Buffer): readonly HeaderField[] {
  return readMailHeader(raw, new DefectList()).header.fields
}

/** The plain text as it was sent, with its own line ends; null if the mail has none. */
export function readTextAsSent(raw: Buffer): string | null {
  const defects = new DefectList()
  const { source, leaves } = readLeaves(raw, defects)
  return joinPlain(readContents({ raw, source }, leaves, { defects, textAsSent: true }).texts)
}

/**
 * The numbers of the parts of a mail, by the position of their bodies: `1` for the first part,
 * `2.1` for the first one in the second, `0` for the body of a mail without parts.
 */
export function readPartNumbers(raw: Buffer): ReadonlyMap<number, string> {
  const { leaves } = readLeaves(raw, new DefectList())
  return new Map(leaves.map(({ range, number }) => [range.start, number]))
}

function readLeaves(raw: Buffer, defects: DefectList) {
  const { source, header } = readMailHeader(raw, defects)
  const range = { start: header.bodyStart, end: source.length }
  return { source, leaves: readParts(source, header.fields, { range, defects }) }
}

/** The texts of the attached mail, for a mail that has no text itself. */
function forwardedTexts(contents: MailContents, defects: DefectList): readonly BodyText[] {
  const forwarded = contents.attachments.find((one) => one.contentType === 'message/rfc822')
  if (forwarded === undefined) return []
  const raw = forwarded.bytes
  const { source, leaves } = readLeaves(raw, defects)
  return readContents({ raw, source }, leaves, { defects }).texts
}

function joinPlain(texts: readonly BodyText[]): string | null {
  if (texts.every(isHtmlOnly)) return null
  return joinNonEmpty(
    texts.map((body) =>
      isHtmlOnly(body) ? readableText(readHtml(body.html ?? '')) : (body.text ?? ''),
    ),
  )
}

function rangeOfOnly([body, ...others]: readonly BodyText[]): ByteRange | null {
  return others.length === 0 ? (body?.textRange ?? null) : null
}

/** An empty plain text as alternative to HTML counts as none. */
function isHtmlOnly({ text, html }: BodyText): boolean {
  return text === null || (html !== null && text.trim() === '')
}

function joinHtml(texts: readonly BodyText[]): string | null {
  if (texts.every(({ html }) => html === null)) return null
  return joinNonEmpty(texts.map(({ html, text }) => html ?? textToHtml(text ?? '')))
}

function joinNonEmpty(pieces: readonly string[]): string {
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

/** The last date that was read: under load many mails have the same, and reading one is slow. */
let lastDate: { readonly value: string; readonly date: string | null } = { value: '', date: null }

function dateOf(fields: readonly HeaderField[], defects: DefectList): string | null {
  const value = findField(fields, 'date')
  if (value === null) return null
  if (value !== lastDate.value) lastDate = { value, date: parseMailDate(value) }
  if (lastDate.date === null) defects.note('badDate')
  return lastDate.date
}
