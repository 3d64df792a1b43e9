/** Messages that an inbox holds; more than any test needs. */
export const INBOX_MESSAGES_MAX = 1_000

/** Bytes that an inbox holds: ten of the largest mails. */
const INBOX_BYTES_MAX = 250 * 1024 * 1024

/** Whether a mail of this size fits into an inbox. */
export function hasRoom(
  inbox: { readonly messageCount: number; readonly sizeBytes: number },
  mailSizeBytes: number,
): boolean {
  return (
    inbox.messageCount < INBOX_MESSAGES_MAX && inbox.sizeBytes + mailSizeBytes <= INBOX_BYTES_MAX
  )
}
