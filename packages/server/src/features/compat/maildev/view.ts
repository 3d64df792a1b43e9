// The texts of MailDev's API. What is here reads as much as a sender chose to write, so it does not
// run on the API's thread: see assembly/content.ts.

import type { AccountId, Attachment, InboxId, MailAddress } from '@mayfly/contract'
import type { Tables } from '../../../store/open.ts'
import type { CaughtEntry, CaughtRef } from '../../../store/tables/caught.ts'
import { type CaughtMail, headerOf, readCaught, textOf } from '../caught-mail.ts'

/** What MailDev's API shows. */
export type MailDevView =
  | {
      readonly view: 'list'
      readonly inboxIds: readonly InboxId[]
      readonly skip: number
      readonly limit: number
      /** Values that fields must have, by their paths: `subject`, `from.address`. */
      readonly filters: Readonly<Record<string, string>>
    }
  | {
      readonly view: 'summary'
      readonly inboxIds: readonly InboxId[]
      readonly skip: number
      readonly limit: number
    }
  | { readonly view: 'mail' | 'html'; readonly ref: CaughtRef }

/** Characters of text and HTML that are read for one list. */
const LIST_CHARS_MAX = 32 * 1024 * 1024

/** The JSON of a view, or the HTML of a mail; null when it was deleted. */
export async function composeMailDevView(
  deps: { readonly store: Tables },
  owner: AccountId,
  request: MailDevView,
): Promise<Uint8Array | null> {
  const text = await composed(deps, owner, request)
  return text === null ? null : new TextEncoder().encode(text)
}

async function composed(
  deps: { readonly store: Tables },
  owner: AccountId,
  request: MailDevView,
): Promise<string | null> {
  switch (request.view) {
    case 'list':
      return JSON.stringify(await listOf(deps, owner, request))
    case 'summary':
      return JSON.stringify(await summaryOf(deps, owner, request))
    default: {
      const mail = await readCaught(deps, owner, request.ref)
      if (mail === null) return null
      return request.view === 'html' ? (mail.html ?? mail.text ?? '') : JSON.stringify(toMail(mail))
    }
  }
}

/** Oldest first, as MailDev lists them. */
async function listOf(
  deps: { readonly store: Tables },
  owner: AccountId,
  { inboxIds, skip, limit, filters }: Extract<MailDevView, { view: 'list' }>,
) {
  const found = []
  let skipped = 0
  let chars = 0
  for (const entry of (await deps.store.caught.list(owner, inboxIds)).toReversed()) {
    const mail = await readCaught(deps, owner, entry)
    if (mail === null) continue
    const view = toMail(mail)
    const isWanted = Object.entries(filters).every(([path, value]) =>
      valuesAt(view, path.split('.')).includes(value),
    )
    if (!isWanted) continue
    if (skipped < skip) skipped += 1
    else found.push(view)
    chars += view.text.length + view.html.length
    if (found.length === limit || chars > LIST_CHARS_MAX) break
  }
  return found
}

/** The values at a path, through arrays. */
function valuesAt(value: unknown, [name, ...rest]: readonly string[]): readonly string[] {
  if (Array.isArray(value)) {
    return value.flatMap((one) => valuesAt(one, name === undefined ? [] : [name, ...rest]))
  }
  if (name === undefined) return [String(value)]
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return []
  return valuesAt(Reflect.get(value, name), rest)
}

async function summaryOf(
  deps: { readonly store: Tables },
  owner: AccountId,
  { inboxIds, skip, limit }: Extract<MailDevView, { view: 'summary' }>,
) {
  const entries = await deps.store.caught.list(owner, inboxIds)
  const items = entries.slice(skip, skip + limit).map(toSummary)
  const unread = entries.filter(({ isRead }) => !isRead).length
  return { items, total: entries.length, storeTotal: entries.length, unread, skip, limit }
}

function toSummary(entry: CaughtEntry) {
  return {
    id: entry.messageId,
    time: new Date(entry.receivedAt).toISOString(),
    read: entry.isRead,
    subject: entry.subject ?? '',
    from: [toAddress(entry.from)],
    hasAttachments: entry.hasAttachments,
    size: entry.sizeBytes,
  }
}

function toMail(mail: CaughtMail) {
  const { envelope } = mail
  return {
    id: mail.id,
    time: mail.receivedAt,
    read: mail.read,
    subject: mail.subject ?? '',
    from: [toAddress(mail.from)],
    to: mail.to.map(toAddress),
    cc: mail.cc.map(toAddress),
    bcc: mail.bcc.map(toAddress),
    replyTo: mail.replyTo.map(toAddress),
    date: mail.sentAt ?? mail.receivedAt,
    messageId: headerOf(mail, 'message-id') ?? '',
    text: textOf(mail, (url) => `[${url}]`),
    html: mail.html ?? '',
    headers: headersOf(mail),
    priority: 'normal',
    attachments: mail.attachments.map(toAttachment),
    envelope: {
      from: { address: envelope.mailFrom, args: false },
      to: mail.recipients.map((address) => ({ address, args: false })),
      host: envelope.helo ?? '',
      remoteAddress: envelope.remoteAddress,
    },
    size: mail.sizeBytes,
    sizeHuman: `${(mail.sizeBytes / 1024).toFixed(1)} KB`,
  }
}

function toAddress({ name, address }: MailAddress) {
  return { address: address ?? '', name: name ?? '' }
}

function headersOf({ headers }: Pick<CaughtMail, 'headers'>): Record<string, string> {
  return Object.fromEntries(headers.map(({ name, value }) => [name.toLowerCase(), value]))
}

function toAttachment(attachment: Attachment, index: number) {
  const name = attachment.filename ?? `attachment-${index + 1}`
  return {
    filename: name,
    // Names may occur twice; this one is used in the address of the attachment.
    generatedFileName: attachment.id,
    contentType: attachment.contentType,
    contentDisposition: attachment.inline ? 'inline' : 'attachment',
    contentId: attachment.contentId ?? '',
    size: attachment.sizeBytes,
  }
}
