import type { AnnouncedMessage } from '../../store/tables/candidates.ts'
import type { storedMessage } from '../../store/tables/full-message.ts'
import type { NewMessage } from '../../store/tables/mails.ts'
import type { InboxFill } from '../../store/tables/receiving.ts'
import { messageJson, SMALL_BYTES, withoutColumns } from './present.ts'

/** What announcing messages needs. */
export type AnnouncingDeps = { readonly storedMessage: typeof storedMessage }

/** What waits are told of a message that was just stored. */
export function composeAnnounced(
  deps: AnnouncingDeps,
  message: NewMessage,
  inbox: InboxFill,
): AnnouncedMessage {
  const { id, inboxId, sequence, mail } = message
  const { receivedAt, html, attachments, sizeBytes } = mail
  const isSmall = sizeBytes <= SMALL_BYTES && html === null && attachments.length === 0
  return {
    ...{ id, inboxId, sequence, receivedAt },
    accountId: inbox.accountId,
    mailId: mail.id,
    otp: mail.otp?.value ?? null,
    body: isSmall ? messageJson(withoutColumns(deps.storedMessage(message, inbox)), 'wait') : null,
  }
}
