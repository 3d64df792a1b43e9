import { hash } from 'node:crypto'
import { inflateRawSync, zstdCompressSync } from 'node:zlib'
import { type Detected, detect, type ParsedMail, parseMail } from '@mayfly/mail'
import type { Clock } from '../../platform/clock.ts'
import type { GroupCommit } from '../../platform/group-commit.ts'
import type { Ids } from '../../platform/ids.ts'
import type { NewAttachment, NewMail } from '../../store/tables/mails.ts'
import type { RefusalLog } from '../diagnostics/refusal-log.ts'
import type { Admitted } from './admit.ts'
import type { Outcome, ReadyMail } from './commit.ts'
import { traceHeaders } from './trace-headers.ts'

/** What receiving needs. */
export type ReceiveDeps = {
  readonly clock: Clock
  readonly ids: Ids
  readonly hostName: string
  /** Stores and announces; resolves once both are done. */
  readonly commit: GroupCommit<ReadyMail, Outcome>
  readonly refusals: RefusalLog
  /** Told of a mail that we failed to read, which no mail should manage. */
  readonly onError: (error: unknown) => void
  /** Whether attachments wait for a scanner. */
  readonly isScanned: boolean
}

/** A whole mail as the SMTP side hands it over. */
export type AcceptedMail = {
  readonly envelope: {
    readonly mailFrom: string
    readonly remoteAddress: string
    readonly helo: string | null
    readonly tls: string | null
  }
  readonly recipients: readonly Admitted[]
  readonly raw: Buffer
  readonly transcript: readonly string[]
  readonly protocol: string
}

/** What the client is told. */
export type Receipt = 'stored' | 'inbox_full' | 'unavailable'

/** Below this, compressing costs more time than the bytes are worth. */
const COMPRESS_FROM_BYTES = 16 * 1024

/** The defect of a mail that we failed to read: it is kept raw. */
const UNREADABLE = 'The mail could not be read; its raw form is kept whole.'

/** What callers are told of an attachment that waits for the scanner. */
const NOT_SCANNED = 'not scanned yet'

/** Takes a mail: parsed, stored with the others of this moment, announced. */
export async function receiveMail(deps: ReceiveDeps, accepted: AcceptedMail): Promise<Receipt> {
  const mail = composeMail(deps, accepted)
  const outcome = await deps.commit({ mail, recipients: accepted.recipients })
  if (outcome.fullInboxes.length > 0) {
    await deps.refusals.addRefusal({
      inboxIds: outcome.fullInboxes,
      reply: 'full',
      reason: { code: 'no_room', mailSizeBytes: mail.sizeBytes },
      sender: accepted.envelope,
    })
  }
  if (outcome.state === 'stored') return 'stored'
  // An inbox deleted since its recipient was accepted: a second try will be told 550.
  return outcome.state === 'full' ? 'inbox_full' : 'unavailable'
}

/** Everything that is stored of a mail. */
function composeMail(deps: ReceiveDeps, accepted: AcceptedMail): NewMail {
  const receivedAt = deps.clock.now()
  const id = deps.ids.mailId()
  const raw = withTrace(accepted, { by: deps.hostName, id, at: receivedAt })
  const { parsed, detected } = readMail(raw, deps.onError)
  return {
    id,
    receivedAt,
    from: parsed.from,
    subject: parsed.subject,
    preview: detected.preview,
    text: detected.text,
    html: parsed.html,
    otp: detected.code.otp,
    content: contentOf(parsed, detected, accepted),
    transcript: accepted.transcript,
    raw: pack(raw),
    sizeBytes: raw.length,
    attachments: attachmentsOf(deps, parsed, detected),
  }
}

/** What a mail says. A mistake of ours in reading it must not cost the mail. */
function readMail(
  raw: Buffer,
  onError: (error: unknown) => void,
): { readonly parsed: ParsedMail; readonly detected: Detected } {
  try {
    const parsed = parseMail(raw)
    return { parsed, detected: detect(parsed, inflate) }
  } catch (error) {
    onError(error)
    const parsed = parseMail(Buffer.alloc(0))
    return { parsed: { ...parsed, defects: [UNREADABLE] }, detected: detect(parsed) }
  }
}

/** Undoes deflate for a look into archives; null when it is damaged or grows past the bound. */
function inflate(data: Buffer, maxBytes: number): Buffer | null {
  try {
    return inflateRawSync(data, { maxOutputLength: maxBytes })
  } catch {
    return null
  }
}

function withTrace(
  accepted: AcceptedMail,
  trace: { readonly by: string; readonly id: string; readonly at: number },
): Buffer {
  const [only, ...others] = accepted.recipients
  const { mailFrom, helo, remoteAddress } = accepted.envelope
  const headers = traceHeaders({
    ...trace,
    mailFrom,
    helo,
    remoteAddress,
    protocol: accepted.protocol,
    recipient: others.length === 0 ? (only?.address ?? null) : null,
  })
  return Buffer.concat([Buffer.from(headers, 'utf8'), accepted.raw])
}

function contentOf(parsed: ParsedMail, detected: Detected, accepted: AcceptedMail) {
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
  }
}

function attachmentsOf(
  deps: ReceiveDeps,
  parsed: ParsedMail,
  detected: Detected,
): readonly NewAttachment[] {
  return parsed.attachments.map((attachment, i) => {
    const verdict = detected.verdicts[i] ?? { status: 'available', reason: null }
    const waits = deps.isScanned && verdict.status === 'available'
    return {
      id: deps.ids.next('attachment'),
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

function pack(raw: Buffer): NewMail['raw'] {
  if (raw.length < COMPRESS_FROM_BYTES) return { encoding: 'identity', bytes: raw }
  const bytes = zstdCompressSync(raw)
  return bytes.length < raw.length
    ? { encoding: 'zstd', bytes }
    : { encoding: 'identity', bytes: raw }
}
