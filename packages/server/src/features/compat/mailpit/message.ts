import { hash } from 'node:crypto'
import type { AccountId } from '@mayfly/contract'
import { decodeTransfer, readRawHeaders, readTextAsSent } from '@mayfly/mail'
import { jsonText } from '../../rules/json-text.ts'
import { type CatchAllMail, headerOf, textOf } from '../catch-all-mail.ts'
import { readListUnsubscribe } from './list-unsubscribe.ts'
import { listPartIds, type PartDeps } from './parts.ts'
import { toAddress, toMessageId } from './summary.ts'

/** A whole message, with its HTML as it was sent. */
export async function toMessage(deps: PartDeps, owner: AccountId, mail: CatchAllMail) {
  const raw = await deps.rawBytes(mail.mailId)
  const attachments = await attachmentsOf(deps, owner, { mail, raw })
  return {
    ID: mail.id,
    MessageID: toMessageId(mail),
    From: toAddress(mail.from),
    To: mail.to.map(toAddress),
    Cc: mail.cc.map(toAddress),
    Bcc: mail.bcc.map(toAddress),
    ReplyTo: mail.replyTo.map(toAddress),
    ReturnPath: mail.envelope.mailFrom,
    Subject: mail.subject ?? '',
    ListUnsubscribe: {
      ...readListUnsubscribe(headerOf(mail, 'list-unsubscribe') ?? ''),
      HeaderPost: headerOf(mail, 'list-unsubscribe-post') ?? '',
    },
    Date: mail.sentAt ?? mail.receivedAt,
    Tags: mail.tags,
    Username: mail.username ?? '',
    Text: jsonText(toText(mail, raw)).text,
    HTML: jsonText(mail.html ?? '').text,
    Size: mail.sizeBytes,
    Inline: attachments.filter(({ inline }) => inline).map(({ view }) => view),
    Attachments: attachments.filter(({ inline }) => !inline).map(({ view }) => view),
  }
}

/** The text as Mailpit writes it: with the line ends that it was sent with. */
export function toText(mail: CatchAllMail, raw: Buffer): string {
  const text = textOf(mail, (url) => `( ${url} )`)
  // Line ends of mail by SMTP are CRLF. A text in JSON has those that the caller gave.
  const isBySmtp = mail.envelope.helo !== null
  return mail.isHtmlOnly || !isBySmtp ? text : (readTextAsSent(raw) ?? text)
}

/** The headers as written, by their names in Go's form, in order: `Message-Id`, `Mime-Version`. */
export function toHeaders(raw: Buffer): Record<string, string[]> {
  const byName = new Map<string, string[]>()
  for (const { name, value } of readRawHeaders(raw)) {
    const canonical = name.toLowerCase().replace(/(?:^|-)[a-z]/g, (start) => start.toUpperCase())
    byName.set(canonical, [...(byName.get(canonical) ?? []), value])
  }
  return Object.fromEntries([...byName].sort(([a], [b]) => (a < b ? -1 : 1)))
}

async function attachmentsOf(
  deps: PartDeps,
  owner: AccountId,
  { mail, raw }: { readonly mail: CatchAllMail; readonly raw: Buffer },
) {
  if (mail.attachments.length === 0) return []
  const ref = { inboxId: mail.inboxId, messageId: mail.id }
  const partIds = await listPartIds(deps, owner, { ref, raw })
  return Promise.all(
    mail.attachments.map(async (attachment) => {
      const part = await deps.store.messages.findAttachment(owner, ref, attachment.id)
      const bytes =
        part === null
          ? Buffer.alloc(0)
          : decodeTransfer(raw.subarray(part.bodyStart, part.bodyEnd), part.bodyEncoding)
      const Checksums = {
        MD5: hash('md5', bytes),
        SHA1: hash('sha1', bytes),
        SHA256: attachment.sha256,
      }
      const view = {
        PartID: partIds.get(attachment.id) ?? '',
        FileName: attachment.filename ?? '',
        ContentType: attachment.contentType,
        ContentID: attachment.contentId ?? '',
        Size: attachment.sizeBytes,
        Checksums,
      }
      return { inline: attachment.inline, view }
    }),
  )
}
