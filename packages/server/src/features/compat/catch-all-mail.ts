import type { AccountId, Attachment, MailAddress } from '@mayfly/contract'
import { parseAddresses, readableTextWithUrls, readHtml } from '@mayfly/mail'
import type { Tables } from '../../store/all-tables.ts'
import type { CatchAllRef } from '../../store/tables/catch-all-messages.ts'
import type { StoredMessage } from '../../store/tables/full-message.ts'

/** Longer HTML keeps its `cid:` addresses: each that is replaced grows. */
const HTML_CHARS_MAX = 1024 * 1024

/** A message of a catch-all inbox as the APIs of mail catchers show it. */
export type CatchAllMail = StoredMessage & {
  readonly username: string | null
  readonly tags: readonly string[]
  /** The addresses of Bcc headers, and recipients that no header names. */
  readonly bcc: readonly MailAddress[]
}

/** Reads a message whole; null when it was deleted. */
export async function readCatchAll(
  { store }: { readonly store: Tables },
  owner: AccountId,
  ref: CatchAllRef,
): Promise<CatchAllMail | null> {
  const stored = await store.messages.find(owner, ref.inboxId, ref.messageId)
  const extras = stored === null ? null : await store.catchAllMessages.findExtras(owner, ref)
  if (stored === null || extras === null) return null
  return { ...stored, ...extras, bcc: bccOf(stored) }
}

/** The value of the first header with this lower-case name; null without one. */
export function headerOf({ headers }: Pick<StoredMessage, 'headers'>, name: string): string | null {
  return headers.find((header) => header.name.toLowerCase() === name)?.value ?? null
}

/**
 * The text of a mail. That of a mail with HTML only has the addresses of its links, in which suites
 * look for a link; `form` writes one.
 */
export function textOf(
  { text, html, isHtmlOnly }: Pick<StoredMessage, 'text' | 'html' | 'isHtmlOnly'>,
  form: (url: string) => string,
): string {
  return isHtmlOnly ? readableTextWithUrls(readHtml(html ?? ''), form) : (text ?? '')
}

/** The HTML as it was sent, with the addresses of the mail's own images; null without HTML. */
export function withOwnImages(
  { html, attachments }: Pick<StoredMessage, 'html' | 'attachments'>,
  urlOf: (attachment: Attachment) => string,
): string | null {
  if (html === null || html.length > HTML_CHARS_MAX) return html
  let shown = html
  for (const attachment of attachments) {
    if (attachment.contentId === null) continue
    shown = shown.replaceAll(`cid:${attachment.contentId}`, urlOf(attachment))
  }
  return shown
}

/** The Message-ID without angle brackets. */
export function messageIdOf(mail: Pick<StoredMessage, 'headers'>): string {
  return (headerOf(mail, 'message-id') ?? '').trim().replace(/^<|>$/g, '')
}

function bccOf(stored: StoredMessage): readonly MailAddress[] {
  const named = [...parseAddresses(headerOf(stored, 'bcc') ?? '')]
  const known = new Set(
    [...stored.to, ...stored.cc, ...named].map(({ address }) => address?.toLowerCase()),
  )
  const others = stored.recipients.filter((address) => !known.has(address.toLowerCase()))
  return [...named, ...others.map((address) => ({ name: null, address }))]
}
