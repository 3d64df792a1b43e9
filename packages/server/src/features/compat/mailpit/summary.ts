import type { MailAddress } from '@mayfly/contract'
import { type CatchAllMail, messageIdOf } from '../catch-all-mail.ts'

/** Longest snippet. */
const SNIPPET_LENGTH_MAX = 250

/** An address as Mailpit writes it. */
export function toAddress({ name, address }: MailAddress) {
  return { Name: name ?? '', Address: address ?? '' }
}

/** The Message-ID without angle brackets; Mailpit gives each mail without one its own. */
export function toMessageId(mail: CatchAllMail): string {
  return messageIdOf(mail) || `${mail.id}@mayfly`
}

/** A message in a list and in an event. */
export function toSummary(mail: CatchAllMail) {
  return {
    ID: mail.id,
    MessageID: toMessageId(mail),
    Read: mail.read,
    From: toAddress(mail.from),
    To: mail.to.map(toAddress),
    Cc: mail.cc.map(toAddress),
    Bcc: mail.bcc.map(toAddress),
    ReplyTo: mail.replyTo.map(toAddress),
    Subject: mail.subject ?? '',
    Created: mail.receivedAt,
    Username: mail.username ?? '',
    Tags: mail.tags,
    Size: mail.sizeBytes,
    Attachments: mail.attachments.filter(({ inline }) => !inline).length,
    Snippet: (mail.preview ?? '').slice(0, SNIPPET_LENGTH_MAX).toWellFormed(),
  }
}
