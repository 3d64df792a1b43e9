// The texts of MailDev's API. The work grows with the mail, so it does not run on the API's thread:
// see app/content.ts.

import type { AccountId, Attachment, InboxId, MailAddress } from '@mayfly/contract'
import { lineOf } from '@mayfly/mail'
import type { Tables } from '../../../store/all-tables.ts'
import type { CatchAllRef } from '../../../store/tables/catch-all-messages.ts'
import { jsonText } from '../../rules/json-text.ts'
import {
  type CatchAllMail,
  headerOf,
  messageIdOf,
  readCatchAll,
  textOf,
  withOwnImages,
} from '../catch-all-mail.ts'

type Page = {
  readonly inboxIds: readonly InboxId[]
  readonly skip: number
  readonly limit: number
  readonly isNewestFirst: boolean
}

type ListView = Page & {
  readonly view: 'list'
  /** Values that fields must contain, by their paths: `subject`, `from.address`. */
  readonly filters: Readonly<Record<string, string>>
}

type SummaryView = Page & {
  readonly view: 'summary'
  /** In subject, addresses, names or text; empty for all. */
  readonly search: string
  readonly isUnread: boolean
}

/** The responses of MailDev's API. */
export type MailDevView =
  | ListView
  | SummaryView
  | { readonly view: 'mail' | 'html'; readonly ref: CatchAllRef }

/** Characters of text and HTML that are read for one list. */
const LIST_CHARS_MAX = 8 * 1024 * 1024

/** Characters of the preview in a summary. */
const PREVIEW_CHARS_MAX = 140

/** The JSON of a view, or the HTML of a mail; null when it was deleted or has none. */
export async function composeMailDev(
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
      const mail = await readCatchAll(deps, owner, request.ref)
      if (mail === null) return null
      if (request.view === 'mail') return JSON.stringify(toMail(mail))
      return withOwnImages(mail, ({ id }) => `/email/${mail.id}/attachment/${id}`)
    }
  }
}

/** The messages, which are newest first in the store. */
async function entriesOf(
  deps: { readonly store: Tables },
  owner: AccountId,
  { inboxIds, isNewestFirst }: Page,
) {
  const entries = await deps.store.catchAllMessages.list(owner, inboxIds)
  return isNewestFirst ? entries : entries.toReversed()
}

async function listOf(deps: { readonly store: Tables }, owner: AccountId, view: ListView) {
  const { skip, limit, filters } = view
  const found = []
  let skipped = 0
  let chars = 0
  for (const entry of await entriesOf(deps, owner, view)) {
    if (found.length === limit || chars > LIST_CHARS_MAX) break
    const stored = await readCatchAll(deps, owner, entry)
    if (stored === null) continue
    const mail = toMail(stored)
    const isWanted = Object.entries(filters).every(([path, value]) =>
      valuesAt(mail, path.split('.')).some((one) => contains(one, value.toLowerCase())),
    )
    if (!isWanted) continue
    if (skipped < skip) skipped += 1
    else found.push(mail)
    chars += mail.text.length + mail.html.length
  }
  return found
}

/** The values at a path, through arrays; a number in it is a position. */
function valuesAt(value: unknown, [name, ...rest]: readonly string[]): readonly string[] {
  const isPosition = name !== undefined && /^\d{1,4}$/.test(name)
  if (Array.isArray(value) && !isPosition) {
    return value.flatMap((one) => valuesAt(one, name === undefined ? [] : [name, ...rest]))
  }
  if (name === undefined) return [String(value)]
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return []
  return valuesAt(Reflect.get(value, name), rest)
}

/** Whether a text contains another, which is in lower case. */
const contains = (text: string, lower: string) => text.toLowerCase().includes(lower)

async function summaryOf(deps: { readonly store: Tables }, owner: AccountId, view: SummaryView) {
  const { skip, limit, search, isUnread } = view
  const entries = await entriesOf(deps, owner, view)
  const term = search.trim().toLowerCase()
  const matching = []
  for (const entry of entries) {
    if (isUnread && entry.isRead) continue
    const isFound = term === '' || isIn(await readCatchAll(deps, owner, entry), term)
    if (isFound) matching.push(entry)
  }
  const items = []
  for (const entry of matching.slice(skip, skip + limit)) {
    const mail = await readCatchAll(deps, owner, entry)
    if (mail !== null) items.push(toSummary(mail))
  }
  const unread = entries.filter(({ isRead }) => !isRead).length
  return { items, total: matching.length, storeTotal: entries.length, unread, skip, limit }
}

/** Whether a mail contains a term of a search, as MailDev searches; false for a deleted one. */
function isIn(mail: CatchAllMail | null, term: string): boolean {
  if (mail === null) return false
  const people = [mail.from, ...mail.to, ...mail.cc].flatMap(({ name, address }) => [name, address])
  const texts = [mail.subject, ...people, mail.text]
  return texts.some((text) => text !== null && contains(text, term))
}

function toSummary(mail: CatchAllMail) {
  const { cc } = mail
  return {
    ...toHead(mail),
    ...(cc.length === 0 ? {} : { cc: cc.map(toAddress) }),
    hasAttachments: mail.attachments.length > 0,
    attachmentCount: mail.attachments.length,
    preview: lineOf(mail.text ?? '', PREVIEW_CHARS_MAX)
      .slice(0, PREVIEW_CHARS_MAX)
      .toWellFormed(),
  }
}

/** The fields that summaries and whole mails share. */
function toHead(mail: CatchAllMail) {
  return {
    id: mail.id,
    time: mail.sentAt ?? mail.receivedAt,
    read: mail.read,
    subject: mail.subject ?? '',
    from: [toAddress(mail.from)],
    to: mail.to.map(toAddress),
    size: mail.sizeBytes,
    sizeHuman: humanSize(mail.sizeBytes),
  }
}

function toMail(mail: CatchAllMail) {
  const { envelope } = mail
  return {
    ...toHead(mail),
    cc: mail.cc.map(toAddress),
    bcc: mail.bcc.map(toAddress),
    calculatedBcc: hiddenRecipients(mail),
    replyTo: mail.replyTo.map(toAddress),
    date: mail.sentAt ?? mail.receivedAt,
    messageId: messageIdOf(mail),
    text: jsonText(textOf(mail, (url) => `[${url}]`)).text,
    html: jsonText(mail.html ?? '').text,
    headers: headersOf(mail),
    priority: priorityOf(mail),
    attachments: mail.attachments.map(toAttachment),
    envelope: {
      from: { address: envelope.mailFrom, args: false },
      to: mail.recipients.map((address) => ({ address, args: false })),
      host: envelope.helo ?? '',
      remoteAddress: envelope.remoteAddress,
    },
  }
}

/** Recipients of the envelope whom neither To nor Cc names. */
function hiddenRecipients({ to, cc, recipients }: CatchAllMail) {
  const named = new Set([...to, ...cc].map(({ address }) => address?.toLowerCase()))
  return recipients
    .filter((address) => !named.has(address.toLowerCase()))
    .map((address) => ({ address, name: '' }))
}

/** The headers in which senders give a priority: 1 to 5, or a word. */
const PRIORITY_HEADERS = ['x-priority', 'importance', 'x-msmail-priority', 'priority'] as const

function priorityOf(mail: CatchAllMail): 'high' | 'normal' | 'low' {
  for (const name of PRIORITY_HEADERS) {
    const value = headerOf(mail, name)?.trim() ?? ''
    if (/^(?:[12]|high|urgent)/i.test(value)) return 'high'
    if (/^(?:[45]|low|non-urgent)/i.test(value)) return 'low'
  }
  return 'normal'
}

function humanSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`
  const [size, unit] = bytes < 1024 ** 2 ? [bytes / 1024, 'KB'] : [bytes / 1024 ** 2, 'MB']
  return `${Number(size.toFixed(2))} ${unit}`
}

function toAddress({ name, address }: MailAddress) {
  return { address: address ?? '', name: name ?? '' }
}

function headersOf({ headers }: Pick<CatchAllMail, 'headers'>): Record<string, string> {
  return Object.fromEntries(headers.map(({ name, value }) => [name.toLowerCase(), value]))
}

function toAttachment(attachment: Attachment, index: number) {
  const name = attachment.filename ?? `attachment-${index + 1}`
  return {
    filename: name,
    // Version 2 has other names for the file's name and size.
    fileName: name,
    length: attachment.sizeBytes,
    // Names may occur twice; this one is used in the address of the attachment.
    generatedFileName: attachment.id,
    contentType: attachment.contentType,
    contentDisposition: attachment.inline ? 'inline' : 'attachment',
    contentId: attachment.contentId ?? '',
    size: attachment.sizeBytes,
  }
}
