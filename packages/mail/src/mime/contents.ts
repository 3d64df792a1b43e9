import { ATTACHMENTS_MAX } from '../limits.ts'
import { decodeCharset } from './charset.ts'
import type { DefectList } from './defects.ts'
import { unwrapFlowed } from './flowed.ts'
import { type ByteRange, findField } from './headers.ts'
import { type Parameterised, parseParameterised } from './parameters.ts'
import type { LeafPart } from './parts.ts'
import { decodeTransfer, type TransferEncoding, transferEncoding } from './transfer-encoding.ts'

/** A part that is not body text. */
export interface ParsedAttachment {
  readonly filename: string | null
  readonly contentType: string
  readonly contentId: string | null
  /** To be shown within the text, such as an image that the HTML refers to. */
  readonly inline: boolean
  readonly sizeBytes: number
  readonly bytes: Buffer
  /** Position of the encoded bytes in the raw mail: `decodeTransfer` turns them into `bytes`. */
  readonly bodyStart: number
  readonly bodyEnd: number
  readonly encoding: TransferEncoding
}

/** A body text, as plain text, as HTML, or as alternatives of both. */
export interface BodyText {
  readonly text: string | null
  readonly html: string | null
  /** Where the plain text is in the mail, if it is there as ASCII, with any line ends. */
  readonly textRange: ByteRange | null
}

/** The decoded parts of a mail. */
export interface MailContents {
  readonly texts: readonly BodyText[]
  readonly attachments: readonly ParsedAttachment[]
}

/** Alternatives for other programs; they repeat the text and are ignored. */
const OTHER_ALTERNATIVES: ReadonlySet<string> = new Set([
  ...['text/x-amp-html', 'text/watch-html', 'text/enriched', 'text/richtext'],
])

/** A mail as received, and as it is parsed: they differ in bare carriage returns only. */
export interface MailBytes {
  readonly raw: Buffer
  readonly source: Buffer
}

const NO_TEXT: BodyText = { text: null, html: null, textRange: null }

/** What is left out of the contents, and left as it was sent. */
export type ReadingOptions = {
  /** Only the texts, with their line ends and without joining wrapped lines. */
  readonly textAsSent?: boolean
}

/** Sorts the parts of a mail into body texts and attachments, and decodes them. */
export function readContents(
  mail: MailBytes,
  leaves: readonly LeafPart[],
  { defects, textAsSent = false }: ReadingOptions & { readonly defects: DefectList },
): MailContents {
  const texts: BodyText[] = []
  const attachments: ParsedAttachment[] = []
  let group: number | null = null
  for (const leaf of leaves) {
    const disposition = dispositionOf(leaf, defects)
    const form = formOf(leaf, { disposition, isFirst: texts.length === 0 })
    if (form === null) {
      if (leaf.alternative !== null && OTHER_ALTERNATIVES.has(leaf.type.value)) continue
      if (textAsSent) continue
      if (attachments.length >= ATTACHMENTS_MAX) defects.note('tooManyAttachments')
      else attachments.push(readAttachment(mail.raw, leaf, { disposition, defects }))
      continue
    }
    const { text, isVerbatim } = readText(mail.source, leaf, { defects, textAsSent })
    const before = leaf.alternative === group && group !== null ? texts.pop() : undefined
    group = leaf.alternative
    const body = addForm(before ?? NO_TEXT, form, { text, leaf })
    if (form === 'html') texts.push(body)
    else texts.push({ ...body, textRange: isVerbatim && body.text === text ? leaf.range : null })
  }
  return { texts, attachments }
}

/**
 * Adds a part to a body text. A second direct child of the multipart/alternative replaces the
 * first of the same form; parts nested deeper are joined.
 */
function addForm(
  body: BodyText,
  form: 'text' | 'html',
  part: { readonly text: string; readonly leaf: LeafPart },
): BodyText {
  const before = body[form]
  const isAlternative = before === null || part.leaf.parent === 'multipart/alternative'
  return { ...body, [form]: isAlternative ? part.text : `${before}\n${part.text}` }
}

/** Whether a part is plain text or HTML of the body; null for an attachment. */
function formOf(
  leaf: LeafPart,
  options: { readonly disposition: Parameterised | null; readonly isFirst: boolean },
): 'text' | 'html' | null {
  const { disposition, isFirst } = options
  if (disposition?.value === 'attachment') return null
  // Some senders put a `name` on the type of the body text too: the first such part is the body.
  const isNamed =
    disposition?.parameters.has('filename') || (!isFirst && leaf.type.parameters.has('name'))
  const isAlone = leaf.parent === null || leaf.parent === 'multipart/alternative'
  if (isNamed && !isAlone) return null
  const { value } = leaf.type
  if (value === 'text/html') return 'html'
  if (value === 'text/plain') return 'text'
  // A mail that consists of some other text type: shown rather than offered for download.
  return leaf.parent === null && /^text\/(?!calendar)/.test(value) ? 'text' : null
}

function dispositionOf(leaf: LeafPart, defects: DefectList): Parameterised | null {
  const field = findField(leaf.fields, 'content-disposition')
  return field === null ? null : parseParameterised(field, defects)
}

/** The text of a part; `isVerbatim` if its bytes are the text in ASCII, with any line ends. */
function readText(
  raw: Buffer,
  leaf: LeafPart,
  { defects, textAsSent }: Required<ReadingOptions> & { readonly defects: DefectList },
): { readonly text: string; readonly isVerbatim: boolean } {
  const { parameters, value } = leaf.type
  const { bytes, encoding } = bytesOf(raw, leaf, defects)
  const isHtml = value === 'text/html'
  const charset = parameters.get('charset') ?? (isHtml ? charsetInHtml(bytes) : '')
  if (isHtml || textAsSent)
    return { text: decodeCharset(bytes, charset, defects), isVerbatim: false }
  const isLong = bytes.length > SPLIT_CHARS_MAX && !WIDE_CHARSET.test(charset)
  const decoded = decodeCharset(isLong ? withoutCarriageReturns(bytes) : bytes, charset, defects)
  const text = isLong ? decoded : withLineFeeds(decoded)
  if (parameters.get('format')?.toLowerCase() === 'flowed') {
    const isDelSp = parameters.get('delsp')?.toLowerCase() === 'yes'
    return { text: unwrapFlowed(text, isDelSp), isVerbatim: false }
  }
  const isUnchanged = encoding === 'identity' && decoded.length === bytes.length
  return { text, isVerbatim: isUnchanged && ASCII_CHARSET.test(charset) && isAscii(decoded) }
}

/** Each other character has more bytes; counting them is faster than looking at each. */
const isAscii = (text: string) => Buffer.byteLength(text) === text.length

/** Charsets in which the bytes of ASCII are ASCII. */
const ASCII_CHARSET = /^(?:|us-ascii|utf-?8|iso-8859-\d+|windows-125\d)$/i

function bytesOf(
  raw: Buffer,
  leaf: LeafPart,
  defects: DefectList,
): { readonly bytes: Buffer; readonly encoding: TransferEncoding } {
  const field = findField(leaf.fields, 'content-transfer-encoding')
  const isMultipart = leaf.type.value.startsWith('multipart/')
  const encoding = isMultipart ? 'identity' : transferEncoding(field, defects)
  const encoded = raw.subarray(leaf.range.start, leaf.range.end)
  return { bytes: decodeTransfer(encoded, encoding, defects), encoding }
}

/** Bytes at the start of HTML in which a charset declaration is searched, as in browsers. */
const META_BYTES_MAX = 1_024

function charsetInHtml(bytes: Buffer): string {
  const start = bytes.toString('latin1', 0, Math.min(bytes.length, META_BYTES_MAX))
  return /<meta[^>]{0,200}charset\s{0,5}=\s{0,5}["']?([\w.:-]{1,40})/i.exec(start)?.[1] ?? ''
}

/** Longer texts are not split into lines: millions of short ones take seconds. */
const SPLIT_CHARS_MAX = 64 * 1024

const CARRIAGE_RETURN = 13
const LINE_FEED = 10

/** Charsets in which the bytes of a line break may be part of other characters. */
const WIDE_CHARSET = /utf[-_]?(?:16|32)|ucs[-_]?[24]|unicode/i

function withLineFeeds(text: string): string {
  if (!text.includes('\r')) return text
  const lines = text.includes('\r\n') ? text.split('\r\n').join('\n') : text
  return lines.includes('\r') ? lines.replaceAll('\r', '\n') : lines
}

/** The same before the bytes are decoded: that takes half the time. */
function withoutCarriageReturns(bytes: Buffer): Buffer {
  if (!bytes.includes(CARRIAGE_RETURN)) return bytes
  const kept = Buffer.allocUnsafe(bytes.length)
  let length = 0
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0
    if (byte === CARRIAGE_RETURN && bytes[at + 1] === LINE_FEED) continue
    kept[length] = byte === CARRIAGE_RETURN ? LINE_FEED : byte
    length += 1
  }
  return kept.subarray(0, length)
}

function readAttachment(
  raw: Buffer,
  leaf: LeafPart,
  options: { readonly disposition: Parameterised | null; readonly defects: DefectList },
): ParsedAttachment {
  const { disposition, defects } = options
  const { bytes, encoding } = bytesOf(raw, leaf, defects)
  const contentId = contentIdOf(leaf)
  const isRelated = leaf.parent === 'multipart/related' && contentId !== null
  return {
    filename: filenameOf(leaf, disposition),
    contentType: leaf.type.value,
    contentId,
    inline: disposition === null ? isRelated : disposition.value === 'inline',
    sizeBytes: bytes.length,
    bytes,
    bodyStart: leaf.range.start,
    bodyEnd: leaf.range.end,
    encoding,
  }
}

function contentIdOf(leaf: LeafPart): string | null {
  const field = findField(leaf.fields, 'content-id')
  if (field === null) return null
  const inside = /<([^<>]*)>/.exec(field)?.[1] ?? field
  return inside.trim() || null
}

/** Characters kept of a file name: the limit of file systems. */
const FILENAME_CHARS_MAX = 255

/** The name without folders and control characters, which are unsafe in a download. */
function filenameOf(leaf: LeafPart, disposition: Parameterised | null): string | null {
  const written = disposition?.parameters.get('filename') ?? leaf.type.parameters.get('name') ?? ''
  const name = written
    .slice(-FILENAME_CHARS_MAX * 4)
    .replace(/^.*[/\\]/s, '')
    .replace(/[\0-\x1f\x7f]+/g, ' ')
    .trim()
    .slice(0, FILENAME_CHARS_MAX)
  if (name !== '' && name !== '.' && name !== '..') return name
  return leaf.type.value === 'text/calendar' ? 'invite.ics' : null
}
