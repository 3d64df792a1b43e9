import { ATTACHMENTS_MAX } from '../limits.ts'
import { decodeCharset } from './charset.ts'
import { decodeTransfer, type TransferEncoding, transferEncoding } from './decode.ts'
import type { DefectList } from './defects.ts'
import { unwrapFlowed } from './flowed.ts'
import { findField } from './headers.ts'
import type { Leaf } from './mime.ts'
import { type Parameterised, parseParameterised } from './parameters.ts'

/** A part that is not the mail's own text. */
export interface ParsedAttachment {
  readonly filename: string | null
  readonly contentType: string
  readonly contentId: string | null
  /** Meant to be shown within the text: an image that the HTML refers to. */
  readonly inline: boolean
  readonly sizeBytes: number
  readonly bytes: Buffer
  /** Where the encoded bytes lie in the raw mail: `decodeTransfer` gives `bytes` from them. */
  readonly bodyStart: number
  readonly bodyEnd: number
  readonly encoding: TransferEncoding
}

/** One piece of the mail's own text, in one or both of its forms. */
export interface Content {
  readonly text: string | null
  readonly html: string | null
}

/** What a mail's body holds. */
export interface Body {
  readonly contents: readonly Content[]
  readonly attachments: readonly ParsedAttachment[]
}

/** Types of a multipart/alternative that say the same once more, for other programs. */
const OTHER_FORMS: ReadonlySet<string> = new Set([
  ...['text/x-amp-html', 'text/watch-html', 'text/enriched', 'text/richtext'],
])

/** A mail as it came, and as it is read; both are the same but for bare carriage returns. */
export interface MailBytes {
  readonly raw: Buffer
  readonly source: Buffer
}

/** Sorts the parts of a mail into its text and its attachments, and decodes both. */
export function readBody(mail: MailBytes, leaves: readonly Leaf[], defects: DefectList): Body {
  const contents: Content[] = []
  const attachments: ParsedAttachment[] = []
  let group: number | null = null
  for (const leaf of leaves) {
    const disposition = dispositionOf(leaf, defects)
    const form = formOf(leaf, { disposition, isFirst: contents.length === 0 })
    if (form === null) {
      if (leaf.alternative !== null && OTHER_FORMS.has(leaf.type.value)) continue
      if (attachments.length >= ATTACHMENTS_MAX) defects.note('tooManyAttachments')
      else attachments.push(readAttachment(mail.raw, leaf, { disposition, defects }))
      continue
    }
    const text = readText(mail.source, leaf, defects)
    const before = leaf.alternative === group && group !== null ? contents.pop() : undefined
    group = leaf.alternative
    contents.push(add(before ?? { text: null, html: null }, form, { text, leaf }))
  }
  return { contents, attachments }
}

/** Two pieces of one form in one alternative are halves of it, unless they are its direct forms. */
function add(
  content: Content,
  form: 'text' | 'html',
  piece: { readonly text: string; readonly leaf: Leaf },
): Content {
  const before = content[form]
  const isForm = before === null || piece.leaf.parent === 'multipart/alternative'
  return { ...content, [form]: isForm ? piece.text : `${before}\n${piece.text}` }
}

/** Which form of the mail's own text a part is; null for an attachment. */
function formOf(
  leaf: Leaf,
  options: { readonly disposition: Parameterised | null; readonly isFirst: boolean },
): 'text' | 'html' | null {
  const { disposition, isFirst } = options
  if (disposition?.value === 'attachment') return null
  // Some senders name the type of the mail's own text as well: the first such part is meant.
  const isNamed =
    disposition?.parameters.has('filename') || (!isFirst && leaf.type.parameters.has('name'))
  const isAlone = leaf.parent === null || leaf.parent === 'multipart/alternative'
  if (isNamed && !isAlone) return null
  const { value } = leaf.type
  if (value === 'text/html') return 'html'
  if (value === 'text/plain') return 'text'
  // Text of some other kind that is all there is: better shown than offered for download.
  return leaf.parent === null && /^text\/(?!calendar)/.test(value) ? 'text' : null
}

function dispositionOf(leaf: Leaf, defects: DefectList): Parameterised | null {
  const field = findField(leaf.fields, 'content-disposition')
  return field === null ? null : parseParameterised(field, defects)
}

function readText(raw: Buffer, leaf: Leaf, defects: DefectList): string {
  const { parameters, value } = leaf.type
  const bytes = bytesOf(raw, leaf, defects).bytes
  const isHtml = value === 'text/html'
  const charset = parameters.get('charset') ?? (isHtml ? charsetInHtml(bytes) : '')
  const decoded = decodeCharset(bytes, charset, defects)
  if (isHtml) return decoded
  const text = withLineFeeds(decoded)
  if (parameters.get('format')?.toLowerCase() !== 'flowed') return text
  return unwrapFlowed(text, parameters.get('delsp')?.toLowerCase() === 'yes')
}

function bytesOf(
  raw: Buffer,
  leaf: Leaf,
  defects: DefectList,
): { readonly bytes: Buffer; readonly encoding: TransferEncoding } {
  const field = findField(leaf.fields, 'content-transfer-encoding')
  const isMultipart = leaf.type.value.startsWith('multipart/')
  const encoding = isMultipart ? 'identity' : transferEncoding(field, defects)
  const encoded = raw.subarray(leaf.range.start, leaf.range.end)
  return { bytes: decodeTransfer(encoded, encoding, defects), encoding }
}

/** Bytes at the start of HTML in which it may name its charset, as in browsers. */
const META_LOOK_BYTES = 1_024

function charsetInHtml(bytes: Buffer): string {
  const start = bytes.toString('latin1', 0, Math.min(bytes.length, META_LOOK_BYTES))
  return /<meta[^>]{0,200}charset\s{0,5}=\s{0,5}["']?([\w.:-]{1,40})/i.exec(start)?.[1] ?? ''
}

function withLineFeeds(text: string): string {
  if (!text.includes('\r')) return text
  const lines = text.includes('\r\n') ? text.split('\r\n').join('\n') : text
  return lines.includes('\r') ? lines.replaceAll('\r', '\n') : lines
}

function readAttachment(
  raw: Buffer,
  leaf: Leaf,
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

function contentIdOf(leaf: Leaf): string | null {
  const field = findField(leaf.fields, 'content-id')
  if (field === null) return null
  const inside = /<([^<>]*)>/.exec(field)?.[1] ?? field
  return inside.trim() || null
}

/** Characters kept of a file name: what file systems take. */
const FILENAME_CHARS_MAX = 255

/** The name without folders and control characters: nothing that a download could stumble over. */
function filenameOf(leaf: Leaf, disposition: Parameterised | null): string | null {
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
