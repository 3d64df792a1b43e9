// Step 2 of a mail's path: computes all stored values from its bytes. Its time grows with the mail:
// large mails are composed in a thread of their own (threads/composing-*), and on SQLite the others
// by the thread that stores them (threads/storing-*).

import { hash } from 'node:crypto'
import { zstdCompressSync } from 'node:zlib'
import {
  type Detected,
  detect,
  detectSteps,
  type ParsedMail,
  parseMail,
  runTogether,
  type Steps,
  TOGETHER_MAX,
} from '@mayfly/mail'
import { tagsOf } from '../features/rules/tags.ts'
import { createIds } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import type { MailContent, MailSender, NewAttachment, NewMail } from '../store/tables/mails.ts'
import {
  type ComposedMail,
  type MailToStore,
  type ReceivedMail,
  unreadBytes,
} from './received-mail.ts'
import { traceHeaders } from './trace-headers.ts'

export type ComposeDeps = {
  readonly hostName: string
  /** Whether attachments are scanned before they can be downloaded. */
  readonly isScanned: boolean
  readonly log: Pick<Log, 'error'>
}

/** Smaller mails are stored uncompressed: the time is worth more than the bytes. */
const COMPRESS_FROM_BYTES = 16 * 1024

/** The defect of a mail whose parsing threw. */
const UNREADABLE = 'The mail could not be parsed; only its raw form is stored.'

/** The reason that callers see while an attachment waits for the scanner. */
const NOT_SCANNED = 'not scanned yet'

/** Longest subject and sender of a summary: a header line may have as many characters. */
const SUMMARY_CHARS_MAX = 998

/** The beginning of a header's text; `headers` of the message have the whole. */
function shortened(text: string | null): string | null {
  return text === null ? null : text.slice(0, SUMMARY_CHARS_MAX).toWellFormed()
}

/** Composes mails, in their order; those that were composed before stay as they are. */
export type Compose = (mails: readonly MailToStore[]) => readonly ComposedMail[]

/** Composes mails on this thread, as many together as that makes faster. */
export function createCompose(deps: ComposeDeps): Compose {
  return (mails) => chunksOf(mails).flatMap((chunk) => runTogether(chunk.map(stepsOf(deps))))
}

function chunksOf(mails: readonly MailToStore[]): readonly (readonly MailToStore[])[] {
  const chunks: MailToStore[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const mail of mails) {
    const last = chunks.at(-1)
    if (last === undefined || last.length >= TOGETHER_MAX.mails || bytes >= TOGETHER_MAX.bytes) {
      chunks.push([mail])
      bytes = 0
    } else last.push(mail)
    bytes += unreadBytes(mail)
  }
  return chunks
}

function stepsOf(deps: ComposeDeps): (mail: MailToStore) => Steps<ComposedMail> {
  return function* (mail) {
    if ('mail' in mail) return mail
    return { mail: yield* composeSteps(deps, mail), recipients: mail.recipients }
  }
}

/** Parses a mail and looks for codes and links in it, step by step. */
function* composeSteps(deps: ComposeDeps, received: ReceivedMail): Steps<NewMail> {
  const { id, receivedAt } = received
  const raw = withTrace(received, deps.hostName)
  const { parsed, detected } = yield* readSteps(raw, deps.log)
  yield
  const catchAll = catchAllRecipients(received)
  const packed = pack(raw)
  return {
    id,
    receivedAt,
    sender: senderOf(received),
    from: { name: shortened(parsed.from.name), address: shortened(parsed.from.address) },
    subject: shortened(parsed.subject),
    preview: detected.preview,
    text: textOf(packed, parsed, detected),
    html: parsed.html,
    otp: detected.code.otp,
    content: JSON.stringify(contentOf(parsed, detected, received)),
    transcript: received.transcript.join('\n'),
    raw: packed,
    sizeBytes: raw.length,
    attachments: attachmentsOf(deps, { receivedAt, parsed, detected }),
    tags: catchAll.length === 0 ? null : tagsOf(parsed.headers, catchAll),
  }
}

function senderOf({ envelope, provider }: ReceivedMail): MailSender {
  const { mailFrom, remoteAddress, tls } = envelope
  if (provider === undefined) return { mailFrom, remoteAddress, tls }
  const { name, operation, id } = provider.call
  const { unknownFields } = provider
  return { mailFrom, remoteAddress, tls, provider: { name, operation, id, unknownFields } }
}

type ReadMail = { readonly parsed: ParsedMail; readonly detected: Detected }

/** Parses a mail. A bug in parsing must not lose the mail: it is then stored raw. */
function* readSteps(raw: Buffer, log: ComposeDeps['log']): Steps<ReadMail> {
  try {
    const parsed = parseMail(raw)
    yield
    return { parsed, detected: yield* detectSteps(parsed) }
  } catch (error) {
    log.error({ err: error }, 'a mail could not be parsed; it is stored raw')
    const parsed = parseMail(Buffer.alloc(0))
    return { parsed: { ...parsed, defects: [UNREADABLE] }, detected: detect(parsed) }
  }
}

function withTrace(received: ReceivedMail, hostName: string): Buffer {
  const { id, receivedAt, protocol, raw } = received
  if (protocol === null) return raw
  const [only, ...others] = received.recipients
  const { mailFrom, helo, remoteAddress } = received.envelope
  const headers = traceHeaders({
    by: hostName,
    id,
    at: receivedAt,
    mailFrom,
    helo,
    remoteAddress,
    protocol,
    recipient: others.length === 0 ? (only?.address ?? null) : null,
  })
  return Buffer.concat([Buffer.from(headers, 'utf8'), raw])
}

function contentOf(parsed: ParsedMail, detected: Detected, received: ReceivedMail): MailContent {
  const { mailFrom, remoteAddress, helo, tls } = received.envelope
  return {
    to: parsed.to,
    cc: parsed.cc,
    replyTo: parsed.replyTo,
    sentAt: parsed.sentAt,
    links: detected.links,
    headers: parsed.headers,
    defects: parsed.defects,
    envelope: { mailFrom, remoteAddress, helo, tls },
    ...(parsed.text === null && parsed.html !== null ? { isHtmlOnly: true } : {}),
    ...catchAllBy(received),
    ...(received.provider === undefined ? {} : { provider: received.provider.call }),
  }
}

/** The additional values of a mail in a catch-all inbox. */
function catchAllBy(received: ReceivedMail): Pick<MailContent, 'catchAll'> {
  const recipients = catchAllRecipients(received)
  if (recipients.length === 0) return {}
  return { catchAll: { recipients, username: received.envelope.user?.name ?? null } }
}

/** The recipients whose mail goes to a catch-all inbox, each once. */
function catchAllRecipients({ recipients }: ReceivedMail): readonly string[] {
  const catchAll = recipients.filter(({ isCatchAll }) => isCatchAll)
  return [...new Set(catchAll.map(({ address }) => address))]
}

function attachmentsOf(
  { isScanned }: ComposeDeps,
  { receivedAt, parsed, detected }: ReadMail & Pick<ReceivedMail, 'receivedAt'>,
): readonly NewAttachment[] {
  const ids = createIds({ now: () => receivedAt })
  return parsed.attachments.map((attachment, i) => {
    const verdict = detected.verdicts[i] ?? { status: 'available', reason: null }
    const waits = isScanned && verdict.status === 'available'
    return {
      id: ids.next('attachment'),
      filename: attachment.filename,
      contentType: attachment.contentType,
      contentId: attachment.contentId,
      inline: attachment.inline,
      sizeBytes: attachment.sizeBytes,
      sha256: hash('sha256', attachment.bytes),
      status: waits ? 'quarantined' : verdict.status,
      reason: waits ? NOT_SCANNED : verdict.reason,
      heldFor: waits ? 'scan' : null,
      bodyStart: attachment.bodyStart,
      bodyEnd: attachment.bodyEnd,
      bodyEncoding: attachment.encoding,
    }
  })
}

/** The text, or where it is in the raw mail. */
function textOf(raw: NewMail['raw'], { text, textRange }: ParsedMail, detected: Detected) {
  // The store replaces a NUL in a text, but not in the raw mail.
  const isInRaw = raw.encoding === 'identity' && text !== null && !text.includes('\0')
  return isInRaw && textRange !== null ? textRange : detected.text
}

function pack(raw: Buffer): NewMail['raw'] {
  if (raw.length < COMPRESS_FROM_BYTES) return { encoding: 'identity', bytes: raw }
  const bytes = zstdCompressSync(raw)
  return bytes.length < raw.length
    ? { encoding: 'zstd', bytes }
    : { encoding: 'identity', bytes: raw }
}
