import type { AccountId, InboxId, MessageSummary } from '@mayfly/contract'
import type { TransferEncoding } from '@mayfly/mail'
import { ServiceError } from '../../errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Tables } from '../../store/all-tables.ts'
import type { MessagePage } from '../../store/tables/messages.ts'
import type { Caller } from '../accounts/authenticate.ts'
import { requireInbox, throwNotFound } from '../rules/not-found.ts'
import { readSearchQuery } from '../rules/search-query.ts'
import type { InboxMatches, InboxSearch } from '../search/search-inbox.ts'
import type { MessageRef } from './message-ref.ts'
import {
  type BodyRequest,
  type Excerpt,
  type ExcerptRequest,
  type HtmlOptions,
  messageJson,
  SMALL_BYTES,
  withoutColumns,
} from './present.ts'

export type MessageDeps = {
  readonly store: Tables
  readonly clock: Clock
  readonly baseUrl: () => string
  /** Called when a mail is read whose sender was not checked yet. Returns at once. */
  readonly onFirstRead: (mail: { readonly mailId: string; readonly accountId: AccountId }) => void
  /** Functions for the content of mails, which run in another thread. */
  readonly content: MessageContent
}

/** The functions for content that reading messages needs. */
type MessageContent = {
  readonly composeBody: (owner: AccountId, request: BodyRequest) => Promise<Uint8Array | null>
  readonly readExcerpt: (owner: AccountId, request: ExcerptRequest) => Promise<Excerpt | null>
  readonly searchInbox: (owner: AccountId, search: InboxSearch) => Promise<InboxMatches>
  readonly explainCode: (owner: AccountId, mailId: string) => Promise<Uint8Array>
  readonly readRaw: (owner: AccountId, mailId: string) => Promise<Uint8Array>
  readonly readPart: (owner: AccountId, part: RawPart) => Promise<Uint8Array>
}

/** Where the bytes of an attachment are in a raw mail. */
export type RawPart = {
  readonly mailId: string
  readonly bodyStart: number
  readonly bodyEnd: number
  readonly bodyEncoding: TransferEncoding
}

/** Which messages of an inbox are listed. */
type ListRequest = {
  readonly inboxId: InboxId
  readonly cursor?: string | undefined
  readonly limit: number
  /** A watermark of the inbox. */
  readonly after?: string | undefined
  /** A search query. */
  readonly q?: string | undefined
}

/** The JSON of a page of summaries. */
export async function writeMessages(
  deps: MessageDeps,
  caller: Caller,
  request: ListRequest,
): Promise<Uint8Array> {
  const page = await listMessages(deps, caller, request)
  return new TextEncoder().encode(JSON.stringify(page))
}

/** A page of summaries, newest first. */
export async function listMessages(
  deps: MessageDeps,
  caller: Caller,
  request: ListRequest,
): Promise<{ messages: MessageSummary[]; nextCursor: string | null }> {
  const { inboxId, cursor, limit, after, q } = request
  const before = cursor === undefined ? null : readCursor(cursor)
  if (q !== undefined) readSearchQuery(q)
  const wanted = { limit, before, after: Number(after ?? 0) }
  const { found, messages } =
    q === undefined
      ? await listPage(deps, caller, { ...wanted, inboxId })
      : await listMatches(deps, caller, { ...wanted, inboxId, q })
  // Messages are of an inbox that the caller has; only without any, it may be missing.
  if (found.length === 0) await requireInbox(deps, caller, inboxId)
  const last = found.length > limit ? found[limit - 1] : undefined
  return {
    messages,
    nextCursor: last === undefined ? null : writeCursor(last.sequence),
  }
}

type Listed = {
  /** One more than requested shows that there is a next page. */
  readonly found: readonly { readonly sequence: number }[]
  /** The requested ones that were not deleted before they were read. */
  readonly messages: MessageSummary[]
}

async function listPage(
  { store }: MessageDeps,
  { accountId }: Caller,
  { inboxId, limit, ...range }: MessagePage & { readonly inboxId: InboxId },
): Promise<Listed> {
  const found = await store.messages.list(accountId, inboxId, { ...range, limit: limit + 1 })
  return { found, messages: found.slice(0, limit).map(({ sequence: _, ...summary }) => summary) }
}

/** The newest messages that match a query. */
async function listMatches(
  deps: MessageDeps,
  { accountId }: Caller,
  search: Omit<InboxSearch, 'before'> & { readonly before: number | null },
): Promise<Listed> {
  const found: InboxMatches['found'][number][] = []
  let before: number | null = search.before ?? Number.MAX_SAFE_INTEGER
  while (before !== null && found.length <= search.limit) {
    const limit = search.limit + 1 - found.length
    const part = await deps.content.searchInbox(accountId, { ...search, before, limit })
    found.push(...part.found)
    before = part.before
  }
  const shown = found.slice(0, search.limit).map(({ id }) => id)
  const summaries = await deps.store.messages.listByIds(accountId, shown)
  const byId = new Map(summaries.map(({ inboxId: _, ...summary }) => [summary.id, summary]))
  return { found, messages: shown.flatMap((id) => byId.get(id) ?? []) }
}

/** The JSON of a full message with sanitised HTML. */
export async function readMessage(
  deps: MessageDeps,
  caller: Caller,
  request: MessageRef & Pick<BodyRequest, 'remoteImages' | 'otpFormat'>,
): Promise<Uint8Array> {
  return writeMessage(deps, caller, { ...request, of: 'message' })
}

/** The same, alone or as in the response to a wait. */
export async function writeMessage(
  deps: MessageDeps,
  caller: Caller,
  request: MessageRef & Pick<BodyRequest, 'remoteImages' | 'of' | 'otpFormat'>,
): Promise<Uint8Array> {
  const { accountId } = caller
  const small =
    request.otpFormat === undefined
      ? await deps.store.messages.findSmallPlain(accountId, request, SMALL_BYTES)
      : null
  if (small !== null) {
    if (small.auth === null) deps.onFirstRead({ mailId: small.mailId, accountId })
    return messageJson(withoutColumns(small), request.of)
  }
  await noteLook(deps, caller, request)
  const body = await orWithoutHtml(deps, (html) =>
    deps.content.composeBody(accountId, { ...request, ...html }),
  )
  return body ?? throwNotFound(deps, caller, request)
}

/** The facts of a message, and parts of it. */
export async function readMessageExcerpt(
  deps: MessageDeps,
  caller: Caller,
  request: Omit<ExcerptRequest, keyof HtmlOptions>,
): Promise<Excerpt> {
  await noteLook(deps, caller, request)
  const excerpt = await orWithoutHtml(deps, (html) =>
    deps.content.readExcerpt(caller.accountId, { ...request, remoteImages: 'block', ...html }),
  )
  return excerpt ?? throwNotFound(deps, caller, request)
}

async function noteLook(deps: MessageDeps, caller: Caller, ref: MessageRef): Promise<void> {
  const { accountId } = caller
  const found = await deps.store.messages.findAuth(accountId, ref.inboxId, ref.messageId)
  if (found?.auth === null) deps.onFirstRead({ mailId: found.mailId, accountId })
}

/** Without the HTML, when sanitising it took too long. */
async function orWithoutHtml<T>(
  deps: Pick<MessageDeps, 'baseUrl'>,
  read: (options: Pick<HtmlOptions, 'baseUrl' | 'html'>) => Promise<T>,
): Promise<T> {
  const baseUrl = deps.baseUrl()
  try {
    return await read({ baseUrl, html: 'sanitise' })
  } catch (error) {
    const isTooSlow = error instanceof ServiceError && error.code === 'content_unavailable'
    if (!isTooSlow) throw error
    return read({ baseUrl, html: 'omit' })
  }
}

/** The JSON of why a one-time code was found in a message, or none. */
export async function explainCode(
  deps: MessageDeps,
  caller: Caller,
  ref: MessageRef,
): Promise<Uint8Array> {
  return deps.content.explainCode(caller.accountId, await getMailId(deps, caller, ref))
}

/** The mail of a message; throws when the caller has no such message. */
export async function getMailId(
  deps: Pick<MessageDeps, 'store' | 'clock'>,
  caller: Caller,
  ref: MessageRef,
): Promise<string> {
  const mailId = await deps.store.messages.findMailId(caller.accountId, ref.inboxId, ref.messageId)
  return mailId ?? throwNotFound(deps, caller, ref)
}

/** Contains the number of the last message of a page, so that pages stay stable as mail arrives. */
function writeCursor(sequence: number): string {
  return Buffer.from(`m${sequence}`).toString('base64url')
}

function readCursor(cursor: string): number {
  const [, digits] = /^m(\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (digits === undefined) {
    throw new ServiceError('invalid_parameter', {
      message: 'cursor: must be the nextCursor of an earlier page',
    })
  }
  return Number(digits)
}
