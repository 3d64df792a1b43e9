/** Messages that an inbox holds; a test that needs more has lost count. */
export const INBOX_MESSAGES_MAX = 1_000

/** Bytes that an inbox holds: ten of the largest mails. */
const INBOX_BYTES_MAX = 250 * 1024 * 1024

/** How full an inbox is. */
export type Fullness = { readonly messageCount: number; readonly sizeBytes: number }

/** Whether a mail of this size still fits. */
export function hasRoom(inbox: Fullness, mailSizeBytes: number): boolean {
  return (
    inbox.messageCount < INBOX_MESSAGES_MAX && inbox.sizeBytes + mailSizeBytes <= INBOX_BYTES_MAX
  )
}
