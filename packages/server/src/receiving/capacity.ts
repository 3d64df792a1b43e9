/** Most messages of an inbox; more than any test needs. */
export const INBOX_MESSAGES_MAX = 1_000

/** Most bytes of an inbox: ten of the largest mails. */
const INBOX_BYTES_MAX = 250 * 1024 * 1024

/** How full an inbox is, and how many messages a catch-all inbox keeps. */
type Fill = {
  readonly messageCount: number
  readonly sizeBytes: number
  readonly keepMessages: number | null
}

/** Whether a mail of this size fits into an inbox; a catch-all inbox deletes old ones. */
export function hasRoom(inbox: Fill, mailSizeBytes: number): boolean {
  if (inbox.keepMessages !== null) return true
  return (
    inbox.messageCount < INBOX_MESSAGES_MAX && inbox.sizeBytes + mailSizeBytes <= INBOX_BYTES_MAX
  )
}

/** The excess of a catch-all inbox; null when there is nothing to delete. */
export function excessOf(
  inbox: Fill,
): { readonly messages: number; readonly bytes: number } | null {
  if (inbox.keepMessages === null) return null
  const messages = Math.max(0, inbox.messageCount - inbox.keepMessages)
  const bytes = Math.max(0, inbox.sizeBytes - INBOX_BYTES_MAX)
  return messages === 0 && bytes === 0 ? null : { messages, bytes }
}
