import type { MailAddress } from '@mayfly/contract'
import { lineOf, readableText, readHtml } from '@mayfly/mail'
import { type CatchAllMail, messageIdOf } from '../catch-all-mail.ts'

/** Longest snippet in UTF-8, without the dots after one that was cut. */
const SNIPPET_BYTES_MAX = 200

/** HTML that is read for a snippet: a page of a list has many mails. */
const HTML_CHARS_MAX = 48 * 1024

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
    Snippet: snippetOf(mail),
  }
}

/** The beginning of what a reader sees. The stored preview is enough unless it was cut. */
function snippetOf({ preview, html, text }: CatchAllMail): string {
  const isWhole = preview?.endsWith('…') !== true
  const line = isWhole ? (preview ?? '') : (longerLine(html, text) ?? `${preview.slice(0, -1)}...`)
  const bytes = Buffer.from(line)
  if (bytes.length <= SNIPPET_BYTES_MAX) return line
  // A character that is cut in the middle is left out.
  const cut = new TextDecoder().decode(bytes.subarray(0, SNIPPET_BYTES_MAX), { stream: true })
  return `${cut}...`
}

/** More of the text than a preview has; null when there is none in the first part of the HTML. */
function longerLine(html: string | null, text: string | null): string | null {
  const visible = html === null ? '' : readableText(readHtml(html.slice(0, HTML_CHARS_MAX)))
  const isPart = html !== null && html.length > HTML_CHARS_MAX
  const line = lineOf(visible || (isPart ? '' : (text ?? '')), SNIPPET_BYTES_MAX + 1)
  return isPart && line.length <= SNIPPET_BYTES_MAX ? null : line
}
