// Everything that is stored of a mail, from its bytes. It takes as long as the sender makes it
// take: large mails are composed in a thread of their own (threads/composing-*), and on SQLite the
// others by the thread that stores them (threads/storing-*).

import { hash } from 'node:crypto'
import { zstdCompressSync } from 'node:zlib'
import type { AttachmentId } from '@mayfly/contract'
import {
  type Detected,
  detect,
  detectSteps,
  type ParsedMail,
  parseMail,
  runSteps,
  type Steps,
} from '@mayfly/mail'
import type { MailContent, MailSender, NewAttachment, NewMail } from '../../store/tables/mails.ts'
import type { AdmittedRecipient } from './admit.ts'
import { tagsOf } from './tags.ts'
import { traceHeaders } from './trace-headers.ts'

/** A complete mail from the SMTP server. */
export type AcceptedMail = {
  readonly envelope: {
    readonly mailFrom: string
    readonly remoteAddress: string
    readonly helo: string | null
    readonly tls: string | null
    /** Who has authenticated; null without AUTH. */
    readonly user: { readonly name: string } | null
  }
  readonly recipients: readonly AcceptedRecipient[]
  readonly raw: Buffer
  readonly transcript: readonly string[]
  /** Null for a mail that came by no SMTP, which gets no trace headers. */
  readonly protocol: string | null
}

/** What is known of a recipient; the thread that stores the mail is not told of room and owner. */
type AcceptedRecipient = Pick<AdmittedRecipient, 'address' | 'inboxId' | 'isCaught'> &
  Partial<Pick<AdmittedRecipient, 'hasAmpleRoom' | 'accountId'>>

/** A mail with the id and the time that it is stored under. */
export type ArrivedMail = {
  readonly id: string
  readonly receivedAt: number
  readonly accepted: AcceptedMail
  /** Its number in a spool, when it was accepted before it is stored. */
  readonly spoolSequence?: number
}

/** What composing needs. */
export type ComposeDeps = {
  readonly hostName: string
  /** Whether attachments are scanned before they can be downloaded. */
  readonly isScanned: boolean
  readonly newAttachmentId: (receivedAt: number) => AttachmentId
  /** Whether a text is stored as a part of the raw mail, where it is there as it is. */
  readonly isTextInRaw: boolean
  /** Called when parsing throws, which is a bug. */
  readonly onError: (error: unknown) => void
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

/** Parses a mail and looks for codes and links in it. */
export function composeMail(deps: ComposeDeps, arrived: ArrivedMail): NewMail {
  return runSteps(composeSteps(deps, arrived))
}

/** The same, step by step. */
export function* composeSteps(deps: ComposeDeps, arrived: ArrivedMail): Steps<NewMail> {
  const { id, receivedAt, accepted } = arrived
  const raw = withTrace(accepted, { by: deps.hostName, id, at: receivedAt })
  const { parsed, detected } = yield* readSteps(raw, deps.onError)
  yield
  const caught = caughtRecipients(accepted)
  const packed = pack(raw)
  return {
    id,
    receivedAt,
    sender: senderOf(accepted.envelope),
    from: { name: shortened(parsed.from.name), address: shortened(parsed.from.address) },
    subject: shortened(parsed.subject),
    preview: detected.preview,
    text: deps.isTextInRaw ? textOf(packed, parsed, detected) : detected.text,
    html: parsed.html,
    otp: detected.code.otp,
    content: JSON.stringify(contentOf(parsed, detected, accepted)),
    transcript: accepted.transcript.join('\n'),
    raw: packed,
    sizeBytes: raw.length,
    attachments: attachmentsOf(deps, { receivedAt, parsed, detected }),
    tags: caught.length === 0 ? null : tagsOf(parsed.headers, caught),
  }
}

function senderOf({ mailFrom, remoteAddress, tls }: AcceptedMail['envelope']): MailSender {
  return { mailFrom, remoteAddress, tls }
}

type ReadMail = { readonly parsed: ParsedMail; readonly detected: Detected }

/** Parses a mail. A bug in parsing must not lose the mail: it is then stored raw. */
function* readSteps(raw: Buffer, onError: ComposeDeps['onError']): Steps<ReadMail> {
  try {
    const parsed = parseMail(raw)
    yield
    return { parsed, detected: yield* detectSteps(parsed) }
  } catch (error) {
    onError(error)
    const parsed = parseMail(Buffer.alloc(0))
    return { parsed: { ...parsed, defects: [UNREADABLE] }, detected: detect(parsed) }
  }
}

function withTrace(
  accepted: AcceptedMail,
  trace: { readonly by: string; readonly id: string; readonly at: number },
): Buffer {
  const { protocol } = accepted
  if (protocol === null) return accepted.raw
  const [only, ...others] = accepted.recipients
  const { mailFrom, helo, remoteAddress } = accepted.envelope
  const headers = traceHeaders({
    ...trace,
    mailFrom,
    helo,
    remoteAddress,
    protocol,
    recipient: others.length === 0 ? (only?.address ?? null) : null,
  })
  return Buffer.concat([Buffer.from(headers, 'utf8'), accepted.raw])
}

function contentOf(parsed: ParsedMail, detected: Detected, accepted: AcceptedMail): MailContent {
  const { mailFrom, remoteAddress, helo, tls } = accepted.envelope
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
    ...caughtBy(accepted),
  }
}

/** What a project inbox shows of a mail beside the rest. */
function caughtBy(accepted: AcceptedMail): Pick<MailContent, 'caught'> {
  const recipients = caughtRecipients(accepted)
  if (recipients.length === 0) return {}
  return { caught: { recipients, username: accepted.envelope.user?.name ?? null } }
}

/** The recipients whose mail goes to a project inbox, each once. */
function caughtRecipients({ recipients }: AcceptedMail): readonly string[] {
  const caught = recipients.filter(({ isCaught }) => isCaught)
  return [...new Set(caught.map(({ address }) => address))]
}

function attachmentsOf(
  deps: ComposeDeps,
  { receivedAt, parsed, detected }: ReadMail & Pick<ArrivedMail, 'receivedAt'>,
): readonly NewAttachment[] {
  return parsed.attachments.map((attachment, i) => {
    const verdict = detected.verdicts[i] ?? { status: 'available', reason: null }
    const waits = deps.isScanned && verdict.status === 'available'
    return {
      id: deps.newAttachmentId(receivedAt),
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
