import type {
  AccountId,
  AttachmentId,
  InboxId,
  Message,
  MessageId,
  MessageSummary,
} from '@mayfly/contract'
import { ServiceError } from '../../errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Tables } from '../../store/open.ts'
import type { StoredMessage } from '../../store/tables/messages.ts'
import type { Caller } from '../accounts/authenticate.ts'

/** What reading messages needs. */
export type MessageDeps = {
  readonly store: Tables
  readonly clock: Clock
  readonly baseUrl: () => string
  /** Somebody looked at a mail whose sender was not checked yet. Returns at once. */
  readonly onLooked: (mail: { readonly mailId: string; readonly accountId: AccountId }) => void
}

/** Identifies a message. */
export type MessageRef = { readonly inboxId: InboxId; readonly messageId: MessageId }

/** Identifies an attachment. */
export type AttachmentRef = MessageRef & { readonly attachmentId: AttachmentId }

/** A page of summaries, newest first. */
export async function listMessages(
  deps: MessageDeps,
  caller: Caller,
  request: {
    readonly inboxId: InboxId
    readonly cursor?: string | undefined
    readonly limit: number
    /** A watermark of the inbox. */
    readonly after?: string | undefined
  },
): Promise<{ messages: MessageSummary[]; nextCursor: string | null }> {
  const { inboxId, cursor, limit, after } = request
  const before = cursor === undefined ? null : readCursor(cursor)
  await requireInbox(deps, caller, inboxId)
  // One more than asked for: it shows whether there is a next page.
  const page = await deps.store.messages.list(caller.accountId, inboxId, {
    limit: limit + 1,
    before,
    after: Number(after ?? 0),
  })
  const shown = page.slice(0, limit)
  const last = shown.at(-1)
  return {
    messages: shown.map(({ sequence: _, ...summary }) => summary),
    nextCursor: page.length > limit && last !== undefined ? writeCursor(last.sequence) : null,
  }
}

/** A full message with sanitised HTML. */
export async function readMessage(
  deps: MessageDeps,
  caller: Caller,
  request: MessageRef & { readonly remoteImages: 'block' | 'allow' },
): Promise<Message> {
  const stored = await getStored(deps, caller, request)
  if (stored.auth === null) deps.onLooked({ mailId: stored.mailId, accountId: caller.accountId })
  return presentMessage(deps, stored, request.remoteImages)
}

/** A stored message as the API returns it. */
export async function presentMessage(
  deps: Pick<MessageDeps, 'baseUrl'>,
  stored: StoredMessage,
  remoteImages: 'block' | 'allow',
): Promise<Message> {
  const { mailId: _, sequence: __, ...message } = stored
  if (message.html === null) return message
  // Loaded with the first HTML mail that is read: the module is large.
  const { safeHtml } = await import('@mayfly/mail/safe-html')
  const folder = `${deps.baseUrl()}/v1/inboxes/${message.inboxId}/messages/${message.id}/attachments`
  const html = safeHtml(message.html, {
    remoteImages,
    imageUrl: (contentId) => {
      const image = message.attachments.find((one) => one.contentId === contentId)
      return image?.status === 'available' ? `${folder}/${image.id}` : null
    },
  })
  return { ...message, html }
}

/** The stored message; throws when the caller has no such message. */
export async function getStored(
  deps: Pick<MessageDeps, 'store' | 'clock'>,
  caller: Caller,
  ref: MessageRef,
): Promise<StoredMessage> {
  const stored = await deps.store.messages.find(caller.accountId, ref.inboxId, ref.messageId)
  if (stored !== null) return stored
  await requireInbox(deps, caller, ref.inboxId)
  throw new ServiceError('message_not_found')
}

async function requireInbox(
  deps: Pick<MessageDeps, 'store' | 'clock'>,
  caller: Caller,
  inboxId: InboxId,
): Promise<void> {
  const inbox = await deps.store.inboxes.find(caller.accountId, inboxId, deps.clock.now())
  if (inbox === null) throw new ServiceError('inbox_not_found')
}

/** Holds the number of the last message of a page, so that pages stay stable as mail arrives. */
function writeCursor(sequence: number): string {
  return Buffer.from(`m${sequence}`).toString('base64url')
}

function readCursor(cursor: string): number {
  const [, digits] = /^m(\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (digits === undefined) {
    throw new ServiceError('invalid_parameter', {
      message: 'cursor: must be the nextCursor of an earlier page',
    })
  }
  return Number(digits)
}
