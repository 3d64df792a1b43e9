// Mail that a caller sends by Mailpit's API. It is composed and stored in another thread, like all
// work that grows with the mail.

import type { AccountId, InboxId, MessageId } from '@mayfly/contract'
import type { Clock } from '../../../platform/clock.ts'
import type { Ids } from '../../../platform/ids.ts'
import type { MailsStored, Signals } from '../../../signals/thread-signals.ts'
import type { Access } from '../access.ts'
import { composeSentMail, SendRefused } from './sent-mail.ts'

/** A mail to store in a catch-all inbox. */
export type SendRequest = {
  readonly inboxId: InboxId
  /** The JSON of POST /api/v1/send. */
  readonly body: Uint8Array
  /** Id under which the mail is stored; a new one for each request. */
  readonly mailId: string
  readonly receivedAt: number
  readonly remoteAddress: string
  /** Of HTTP Basic; null without one. */
  readonly username: string | null
  readonly isScanned: boolean
  readonly messageBytesMax: number
}

export type SendDeps = {
  readonly storeSentMail: (mail: {
    readonly request: SendRequest
    readonly raw: Buffer
    readonly mailFrom: string
    readonly recipients: readonly string[]
  }) => Promise<{ readonly messageId: MessageId; readonly announcement: MailsStored } | null>
}

/** The outcome for a mail. */
export type SendResult =
  | { readonly state: 'stored'; readonly messageId: MessageId; readonly announcement: MailsStored }
  | { readonly state: 'refused' | 'tooLarge'; readonly reason: string }

export type SendApartDeps = {
  readonly clock: Clock
  readonly ids: Ids
  readonly signals: Pick<Signals, 'announce'>
  /** Whether attachments are scanned before they can be downloaded. */
  readonly isScanned: boolean
  /** The largest mail, as for mail by SMTP. */
  readonly messageBytesMax: number
  readonly content: {
    readonly sendMail: (owner: AccountId, request: SendRequest) => Promise<SendResult>
  }
}

/** Stores a mail in the first of the shown inboxes, and announces it. */
export async function sendToInbox(
  { clock, ids, signals, isScanned, messageBytesMax, content }: SendApartDeps,
  { caller, inboxIds, username }: Access,
  mail: Pick<SendRequest, 'body' | 'remoteAddress'>,
): Promise<SendResult> {
  const [inboxId] = inboxIds
  if (inboxId === undefined) {
    return { state: 'refused', reason: 'the account has no catch-all inbox' }
  }
  // Catch-all inboxes never expire.
  const mailId = ids.mailId(Number.POSITIVE_INFINITY)
  const own = { inboxId, mailId, receivedAt: clock.now(), username, isScanned, messageBytesMax }
  const request = { ...mail, ...own }
  const sent = await content.sendMail(caller.accountId, request)
  if (sent.state === 'stored') signals.announce(sent.announcement)
  return sent
}

/** Composes a mail and stores it. */
export async function sendMail(deps: SendDeps, request: SendRequest): Promise<SendResult> {
  try {
    const mail = await composeSentMail(request.body)
    if (mail.sizeBytes > request.messageBytesMax) {
      const reason = `the message has ${mail.sizeBytes} bytes; at most ${request.messageBytesMax} are allowed`
      return { state: 'tooLarge', reason }
    }
    const stored = await deps.storeSentMail({ request, ...mail })
    if (stored === null) return { state: 'refused', reason: 'the inbox takes no mail' }
    return { state: 'stored', ...stored }
  } catch (error) {
    if (error instanceof SendRefused) return { state: 'refused', reason: error.message }
    throw error
  }
}
