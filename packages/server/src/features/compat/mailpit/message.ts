import { hash } from 'node:crypto'
import type { AccountId, Attachment } from '@mayfly/contract'
import { decodeTransfer, readRawHeaders } from '@mayfly/mail'
import type { Tables } from '../../../store/all-tables.ts'
import { jsonText } from '../../rules/json-text.ts'
import { type CatchAllMail, headerOf, textOf } from '../catch-all-mail.ts'
import { readListUnsubscribe } from './list-unsubscribe.ts'
import { toAddress, toMessageId } from './summary.ts'

export type MessageViewDeps = {
  readonly store: Tables
  /** The raw bytes of a mail. */
  readonly rawBytes: (mailId: string) => Promise<Buffer>
}

/** The number by which Mailpit's API names an attachment. */
export function partIdOf(mail: Pick<CatchAllMail, 'attachments'>, { id }: Attachment): string {
  return String(mail.attachments.findIndex((one) => one.id === id) + 1)
}

/** A whole message, with its HTML as it was sent. */
export async function toMessage(deps: MessageViewDeps, owner: AccountId, mail: CatchAllMail) {
  const attachments = await attachmentsOf(deps, owner, mail)
  const post = headerOf(mail, 'list-unsubscribe-post') ?? ''
  return {
    ID: mail.id,
    MessageID: toMessageId(mail),
    Read: true,
    From: toAddress(mail.from),
    To: mail.to.map(toAddress),
    Cc: mail.cc.map(toAddress),
    Bcc: mail.bcc.map(toAddress),
    ReplyTo: mail.replyTo.map(toAddress),
    ReturnPath: mail.envelope.mailFrom,
    Subject: mail.subject ?? '',
    ListUnsubscribe: readListUnsubscribe(headerOf(mail, 'list-unsubscribe') ?? '', post),
    Date: mail.sentAt ?? mail.receivedAt,
    Tags: mail.tags,
    Username: mail.username ?? '',
    Text: jsonText(toText(mail)).text,
    HTML: jsonText(mail.html ?? '').text,
    Size: mail.sizeBytes,
    Inline: attachments.filter(({ inline }) => inline).map(({ view }) => view),
    Attachments: attachments.filter(({ inline }) => !inline).map(({ view }) => view),
  }
}

/** The text as Mailpit writes it. */
export function toText(mail: CatchAllMail): string {
  return textOf(mail, (url) => `( ${url} )`)
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

async function attachmentsOf(deps: MessageViewDeps, owner: AccountId, mail: CatchAllMail) {
  if (mail.attachments.length === 0) return []
  const raw = await deps.rawBytes(mail.mailId)
  const ref = { inboxId: mail.inboxId, messageId: mail.id }
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
        PartID: partIdOf(mail, attachment),
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
