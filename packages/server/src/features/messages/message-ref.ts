import type { AttachmentId, InboxId, MessageId } from '@mayfly/contract'

/** Identifies a message. */
export type MessageRef = { readonly inboxId: InboxId; readonly messageId: MessageId }

/** Identifies an attachment. */
export type AttachmentRef = MessageRef & { readonly attachmentId: AttachmentId }
