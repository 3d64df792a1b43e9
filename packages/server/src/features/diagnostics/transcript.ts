import { inboxAddress } from '@mayfly/mail'
import type { StoredTranscript } from '../../store/tables/messages.ts'

/** Commands with an address that need not be the reader's. */
const RECIPIENT_COMMAND = /^C: *(?:RCPT|VRFY|EXPN)\b/i

/**
 * The dialogue as one of its recipients may see it. It is stored once for all of them, so every
 * other one, accepted or refused, is left out together with the reply.
 */
export function withoutOtherRecipients(stored: StoredTranscript): string[] {
  let isHidden = false
  return stored.lines.filter((line) => {
    if (line.startsWith('S: ')) return !isHidden
    isHidden = RECIPIENT_COMMAND.test(line) && !namesReader(line, stored)
    return !isHidden
  })
}

function namesReader(line: string, reader: StoredTranscript): boolean {
  const given = /<([^<>]*)>/.exec(line)?.[1] ?? ''
  if (reader.recipients.includes(given)) return true
  return inboxAddress(given) === reader.inboxAddress
}
