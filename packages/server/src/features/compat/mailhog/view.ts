// The texts of MailHog's API. The work grows with the mail, so it does not run on the API's thread:
// see app/content.ts.

import type { AccountId, InboxId } from '@mayfly/contract'
import type { Tables } from '../../../store/all-tables.ts'
import type { CatchAllRef } from '../../../store/tables/catch-all-messages.ts'
import type { StoredMessage } from '../../../store/tables/full-message.ts'
import { withoutControls } from '../../rules/json-text.ts'
import { type MailHogContent, readContent } from './mime.ts'

/** The responses of MailHog's API. */
export type MailHogView =
  | {
      readonly view: 'list'
      readonly inboxIds: readonly InboxId[]
      readonly start: number
      readonly limit: number
      readonly search: MailHogSearch | null
      /** Only the items, as version 1 of the API lists them. */
      readonly isBare: boolean
    }
  | { readonly view: 'message'; readonly ref: CatchAllRef }

/** A search: part of a sender, of a recipient, or of the mail as it was sent. */
type MailHogSearch = {
  readonly kind: 'from' | 'to' | 'containing'
  readonly query: string
}

export type MailHogDeps = {
  readonly store: Tables
  /** The raw bytes of a mail. */
  readonly rawBytes: (mailId: string) => Promise<Buffer>
}

/**
 * Characters of one raw mail, and of all in a list; the download of a mail has all of it. MailHog
 * writes each text two to four times, and http/unread-responses.ts would refuse a larger list.
 */
const RAW_CHARS_MAX = 4 * 1024 * 1024
const LIST_CHARS_MAX = 2 * RAW_CHARS_MAX

/** A mail and its raw text. */
type RawMail = { readonly stored: StoredMessage; readonly raw: string }

/** The JSON of a view; null when the message was deleted. */
export async function composeMailHog(
  deps: MailHogDeps,
  owner: AccountId,
  request: MailHogView,
): Promise<Uint8Array | null> {
  if (request.view === 'list') return toBytes(await listOf(deps, owner, request))
  const mail = await readRaw(deps, owner, request.ref)
  return mail === null ? null : toBytes(toMessage(mail))
}

function toBytes(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value))
}

async function listOf(
  deps: MailHogDeps,
  owner: AccountId,
  request: Extract<MailHogView, { view: 'list' }>,
) {
  const { inboxIds, start, limit, search, isBare } = request
  const all = await deps.store.catchAllMessages.list(owner, inboxIds)
  const refs = search === null ? all : await searchOf(deps, owner, { refs: all, search })
  const items = []
  let chars = 0
  for (const ref of refs.slice(start, start + limit)) {
    const mail = await readRaw(deps, owner, ref)
    if (mail === null) continue
    items.push(toMessage(mail))
    chars += Math.min(mail.raw.length, RAW_CHARS_MAX)
    if (chars > LIST_CHARS_MAX) break
  }
  return isBare ? items : { total: refs.length, count: items.length, start, items }
}

async function searchOf(
  deps: MailHogDeps,
  owner: AccountId,
  { refs, search }: { readonly refs: readonly CatchAllRef[]; readonly search: MailHogSearch },
): Promise<readonly CatchAllRef[]> {
  const found: CatchAllRef[] = []
  const wanted = search.query.toLowerCase()
  for (const ref of refs) {
    const mail = await readRaw(deps, owner, ref)
    if (mail !== null && textOf(mail, search.kind).toLowerCase().includes(wanted)) found.push(ref)
  }
  return found
}

/** The fields that a search reads. */
function textOf({ stored, raw }: RawMail, kind: MailHogSearch['kind']): string {
  const header = (name: string) =>
    stored.headers.filter((one) => one.name.toLowerCase() === name).map(({ value }) => value)
  if (kind === 'from') return [stored.envelope.mailFrom, ...header('from')].join('\n')
  if (kind === 'to') return [...stored.recipients, ...header('to')].join('\n')
  return [raw, ...stored.headers.map(({ value }) => value)].join('\n')
}

async function readRaw(
  deps: MailHogDeps,
  owner: AccountId,
  { inboxId, messageId }: CatchAllRef,
): Promise<RawMail | null> {
  const stored = await deps.store.messages.find(owner, inboxId, messageId)
  if (stored === null) return null
  const raw = (await deps.rawBytes(stored.mailId)).toString('utf8')
  // To MailHog, the last line end is part of the end of DATA.
  return { stored, raw: raw.endsWith('\r\n') ? raw.slice(0, -2) : raw }
}

function toMessage({ stored, raw: whole }: RawMail) {
  const { envelope, recipients } = stored
  const raw = withoutControls(whole.slice(0, RAW_CHARS_MAX)).toWellFormed()
  const { MIME, ...content } = readContent(raw)
  return {
    ID: stored.id,
    From: toPath(envelope.mailFrom),
    To: recipients.map(toPath),
    Content: { ...content, ...withMessageId(content, stored), MIME: null },
    Created: stored.receivedAt,
    MIME,
    Raw: { From: envelope.mailFrom, To: recipients, Data: raw, Helo: envelope.helo ?? '' },
  }
}

/** MailHog gives each mail without a Message-ID one. */
function withMessageId(
  { Headers }: Pick<MailHogContent, 'Headers'>,
  { id }: Pick<StoredMessage, 'id'>,
): Pick<MailHogContent, 'Headers'> {
  const has = Object.keys(Headers).some((name) => name.toLowerCase() === 'message-id')
  return { Headers: has ? Headers : { ...Headers, 'Message-ID': [`${id}@mayfly`] } }
}

function toPath(address: string) {
  const at = address.lastIndexOf('@')
  return {
    Relays: null,
    Mailbox: at === -1 ? address : address.slice(0, at),
    Domain: at === -1 ? '' : address.slice(at + 1),
    Params: '',
  }
}
