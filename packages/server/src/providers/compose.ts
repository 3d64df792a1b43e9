// A mail as a provider would send it.

import type MailComposer from 'nodemailer/lib/mail-composer'
import type { Call } from './provider.ts'

/** An address with its name. */
export type Mailbox = { readonly name: string; readonly address: string }

/** A file of a mail. */
export type MailFile = {
  readonly filename: string
  readonly content: Buffer
  readonly contentType?: string | undefined
  /** Without angle brackets. */
  readonly contentId?: string | undefined
  readonly inline: boolean
}

/** A header; its value may have any characters. */
export type MailHeader = { readonly name: string; readonly value: string }

/** A mail before it is composed. */
export type Draft = {
  readonly from: Mailbox
  readonly to: readonly Mailbox[]
  readonly cc?: readonly Mailbox[]
  readonly replyTo?: readonly Mailbox[]
  readonly subject: string
  readonly text?: string | null | undefined
  readonly html?: string | null | undefined
  readonly amp?: string | null | undefined
  readonly headers?: readonly MailHeader[]
  readonly files?: readonly MailFile[]
  /** Without angle brackets. */
  readonly messageId: string
  readonly date: Date
}

/** Composes a mail, with a `Return-Path` as by SMTP. Line breaks in headers become spaces. */
export async function compose(
  call: Pick<Call, 'countMail'>,
  draft: Draft,
): Promise<Uint8Array<ArrayBuffer>> {
  // Loaded with the first call.
  const { default: Composer } = await import('nodemailer/lib/mail-composer')
  const node = new Composer(optionsOf(draft)).compile()
  const built = await node.build()
  const whole = withReturnPath(draft.from.address, built)
  call.countMail(whole.length)
  return whole
}

function optionsOf(draft: Draft): ConstructorParameters<typeof MailComposer>[0] {
  const {
    from,
    to,
    cc = [],
    replyTo = [],
    subject,
    text,
    html,
    amp,
    headers = [],
    files = [],
  } = draft
  return {
    from,
    to: [...to],
    cc: [...cc],
    replyTo: [...replyTo],
    subject: oneLine(subject),
    ...(given(text) ? { text } : {}),
    ...(given(html) ? { html } : {}),
    ...(given(amp) ? { amp } : {}),
    ...(given(text) || given(html) ? {} : { text: '' }),
    headers: headers.map(({ name, value }) => ({ key: name, value: oneLine(value) })),
    attachments: files.map(({ filename, content, contentType, contentId, inline }) => ({
      filename: oneLine(filename) || 'attachment',
      content,
      ...(contentType === undefined || contentType === ''
        ? {}
        : { contentType: oneLine(contentType) }),
      ...(contentId === undefined || contentId === '' ? {} : { cid: oneLine(contentId) }),
      ...(inline ? { contentDisposition: 'inline' as const } : {}),
    })),
    messageId: `<${draft.messageId}>`,
    date: draft.date,
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

const given = (text: string | null | undefined): text is string =>
  text !== undefined && text !== null && text !== ''

/** No text of a caller may begin another header. */
function oneLine(text: string): string {
  return text.replace(/[\r\n\0]+/g, ' ')
}

/** Adds the header in a buffer of its own, which can be handed to another thread. */
function withReturnPath(mailFrom: string, raw: Uint8Array): Uint8Array<ArrayBuffer> {
  const header = Buffer.from(`Return-Path: <${oneLine(mailFrom)}>\r\n`)
  const whole = Buffer.allocUnsafeSlow(header.length + raw.length)
  whole.set(header)
  whole.set(raw, header.length)
  return new Uint8Array(whole.buffer)
}

/** The new headers of a mail that is given as bytes. */
export type OwnHeaders = {
  readonly mailFrom: string
  /** Without angle brackets; null keeps that of the mail. */
  readonly messageId: string | null
  readonly date: Date | null
  /** Removed from the mail, in lower case. */
  readonly removed?: readonly string[]
  readonly added?: readonly MailHeader[]
}

/** A mail that the caller has composed, with headers of the provider. */
export function withOwnHeaders(raw: Uint8Array, own: OwnHeaders): Uint8Array<ArrayBuffer> {
  const removed = new Set(own.removed ?? [])
  const lines = [...(own.added ?? [])].map(({ name, value }) => `${name}: ${oneLine(value)}`)
  if (own.messageId !== null) {
    removed.add('message-id')
    lines.push(`Message-ID: <${own.messageId}>`)
  }
  if (own.date !== null) {
    removed.add('date')
    lines.push(`Date: ${mailDate(own.date)}`)
  }
  const { kept, body } = splitHead(raw, removed)
  const head = [...lines, ...kept].map((line) => `${line}\r\n`).join('')
  return withReturnPath(own.mailFrom, Buffer.concat([Buffer.from(head, 'latin1'), body]))
}

/** Bytes that are searched for the end of the headers. */
const HEAD_BYTES_MAX = 512 * 1024

function splitHead(raw: Uint8Array, removed: ReadonlySet<string>) {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)
  const start = bytes.subarray(0, HEAD_BYTES_MAX).toString('latin1')
  const end = /\r?\n\r?\n/.exec(start)
  const headEnd = end === null ? start.length : end.index
  const kept: string[] = []
  let isRemoved = false
  for (const line of start.slice(0, headEnd).split(/\r?\n/)) {
    const name = /^([^\s:]+)[ \t]*:/.exec(line)?.[1]?.toLowerCase()
    if (name !== undefined) isRemoved = removed.has(name)
    if (!isRemoved && line !== '') kept.push(line)
  }
  return {
    kept,
    body: bytes.subarray(
      end === null ? headEnd : headEnd + (start.charAt(headEnd) === '\r' ? 2 : 1),
    ),
  }
}

/** The headers of a mail, unfolded. */
export function headerFields(raw: Uint8Array): readonly MailHeader[] {
  const lines: string[] = []
  for (const line of splitHead(raw, new Set()).kept) {
    if (/^[ \t]/.test(line) && lines.length > 0) lines[lines.length - 1] += ` ${line.trim()}`
    else lines.push(line)
  }
  return lines.flatMap((line) => {
    const [, name, value = ''] = /^([^\s:]+)[ \t]*:[ \t]*(.*)$/.exec(line) ?? []
    return name === undefined ? [] : [{ name, value: value.trim() }]
  })
}

/** A scheduled mail with the date on which it is sent. */
export function redated(raw: Uint8Array, date: Date): Uint8Array<ArrayBuffer> {
  const start = Buffer.from(
    raw.buffer,
    raw.byteOffset,
    Math.min(raw.byteLength, HEAD_BYTES_MAX),
  ).toString('latin1')
  const mailFrom = /^Return-Path: <([^>\r\n]*)>/.exec(start)?.[1] ?? ''
  return withOwnHeaders(raw, { mailFrom, messageId: null, date, removed: ['return-path'] })
}

function mailDate(date: Date): string {
  return date.toUTCString().replace('GMT', '+0000')
}

/** The bytes of a text in base64; null when it is none. */
export function readBase64(text: string): Buffer | null {
  const compact = /[\s]/.test(text) ? text.replaceAll(/\s+/g, '') : text
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(compact) || compact.replace(/=+$/, '').length % 4 === 1)
    return null
  return Buffer.from(compact, 'base64')
}
