// Mail that a caller sends by Mailpit's API. It is composed and stored away from the API's thread,
// like everything that takes as long as its sender makes it take.

import type { AccountId, InboxId, MessageId, WebhookId } from '@mayfly/contract'
import { composeSentMail, SendRefused } from './sent-mail.ts'

/** A mail to store in a project inbox. */
export type SendRequest = {
  readonly inboxId: InboxId
  /** JSON as POST /api/v1/send takes it. */
  readonly body: Uint8Array
  /** Id under which the mail is stored; a new one for each request. */
  readonly mailId: string
  readonly receivedAt: number
  readonly remoteAddress: string
  readonly isScanned: boolean
}

/** What storing a sent mail needs. */
export type SendDeps = {
  readonly store: (
    owner: AccountId,
    mail: {
      readonly request: SendRequest
      readonly raw: Buffer
      readonly mailFrom: string
      readonly recipients: readonly string[]
    },
  ) => Promise<{ readonly messageId: MessageId; readonly announcement: Announcement } | null>
}

/** What the other threads are told of a stored mail. */
export type Announcement = {
  readonly inboxIds: readonly InboxId[]
  readonly mailIds: readonly string[]
  readonly webhookIds: readonly WebhookId[]
}

/** What became of a mail. */
export type SendResult =
  | { readonly state: 'stored'; readonly messageId: MessageId; readonly announcement: Announcement }
  | { readonly state: 'refused'; readonly reason: string }

/** Composes a mail and stores it. */
export async function sendMail(
  deps: SendDeps,
  owner: AccountId,
  request: SendRequest,
): Promise<SendResult> {
  try {
    const stored = await deps.store(owner, { request, ...(await composeSentMail(request.body)) })
    if (stored === null) return { state: 'refused', reason: 'the inbox takes no mail' }
    return { state: 'stored', ...stored }
  } catch (error) {
    if (error instanceof SendRefused) return { state: 'refused', reason: error.message }
    throw error
  }
}
