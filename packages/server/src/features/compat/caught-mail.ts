import type { AccountId, MailAddress } from '@mayfly/contract'
import { parseAddresses, readableTextWithUrls, readHtml } from '@mayfly/mail'
import type { Tables } from '../../store/open.ts'
import type { CaughtRef } from '../../store/tables/caught.ts'
import type { StoredMessage } from '../../store/tables/messages.ts'

/** A message of a project inbox as the APIs of mail catchers show it. */
export type CaughtMail = StoredMessage & {
  readonly username: string | null
  readonly tags: readonly string[]
  /** The addresses of Bcc headers, and recipients that no header names. */
  readonly bcc: readonly MailAddress[]
}

/** Reads a message whole; null when it was deleted. */
export async function readCaught(
  { store }: { readonly store: Tables },
  owner: AccountId,
  ref: CaughtRef,
): Promise<CaughtMail | null> {
  const stored = await store.messages.find(owner, ref.inboxId, ref.messageId)
  const extras = stored === null ? null : await store.caught.findExtras(owner, ref)
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
