import type { AccountId, InboxId, MessageSummary } from '@mayfly/contract'
import type { TransferEncoding } from '@mayfly/mail'
import { ServiceError } from '../../errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Answer } from '../../platform/unchanged-results.ts'
import { readSearchQuery } from '../../search-query.ts'
import type { Tables } from '../../store/all-tables.ts'
import type { NumberedSummary } from '../../store/tables/messages.ts'
import type { Caller } from '../accounts/authenticate.ts'
import type { InboxMatches, InboxSearch } from '../search/search-inbox.ts'
import type { MessageRef } from './message-ref.ts'
import { missing, requireInbox } from './missing.ts'
import {
  type BodyRequest,
  type Excerpt,
  type ExcerptRequest,
  type HtmlOptions,
  messageJson,
  SMALL_BYTES,
  withoutColumns,
} from './present.ts'

/** What reading messages needs. */
export type MessageDeps = {
  readonly store: Tables
  readonly clock: Clock
  readonly baseUrl: () => string
  /** Somebody looked at a mail whose sender was not checked yet. Returns at once. */
  readonly onLooked: (mail: { readonly mailId: string; readonly accountId: AccountId }) => void
  /** What is done with the content of mails, away from this thread. */
  readonly content: MessageContent
}

/** What reading messages needs of the content of mails. */
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
): Promise<Answer<Uint8Array>> {
  const page = await listMessages(deps, caller, request)
  return {
    result: new TextEncoder().encode(JSON.stringify(page)),
    // A search is done by another thread, within a time.
    lasts: request.q === undefined,
  }
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
  // One more than asked for: it shows whether there is a next page.
  const wanted = { limit: limit + 1, before, after: Number(after ?? 0) }
  const page =
    q === undefined
      ? await deps.store.messages.list(caller.accountId, inboxId, wanted)
      : await listMatches(deps, caller, { ...wanted, inboxId, q })
  // Messages are of an inbox that the caller has; only without any, it may be missing.
  if (page.length === 0) await requireInbox(deps, caller, inboxId)
  const shown = page.slice(0, limit)
  const last = shown.at(-1)
  return {
    messages: shown.map(({ sequence: _, ...summary }) => summary),
    nextCursor: page.length > limit && last !== undefined ? writeCursor(last.sequence) : null,
  }
}

/** The newest messages that match a query. */
async function listMatches(
  deps: MessageDeps,
  { accountId }: Caller,
  search: Omit<InboxSearch, 'before'> & { readonly before: number | null },
): Promise<NumberedSummary[]> {
  const found: InboxMatches['found'][number][] = []
  let before = search.before ?? Number.MAX_SAFE_INTEGER
  for (;;) {
    const limit = search.limit - found.length
    const part = await deps.content.searchInbox(accountId, { ...search, before, limit })
    found.push(...part.found)
    if (part.before === null || found.length >= search.limit) break
    before = part.before
  }
  const sequences = new Map(found.map(({ id, sequence }) => [id, sequence]))
  const summaries = await deps.store.messages.listByIds(accountId, [...sequences.keys()])
  return summaries
    .map(({ inboxId: _, ...summary }) => ({ ...summary, sequence: sequences.get(summary.id) ?? 0 }))
    .sort((a, b) => b.sequence - a.sequence)
}

/**
 * The JSON of a full message with sanitised HTML, alone or as a wait answers. A small one without
 * HTML lasts once its sender was checked: until then each look counts.
 */
export async function writeMessage(
  deps: MessageDeps,
  caller: Caller,
  request: MessageRef & Pick<BodyRequest, 'remoteImages' | 'of'>,
): Promise<Answer<Uint8Array>> {
  const { accountId } = caller
  const small = await deps.store.messages.findSmallPlain(accountId, request, SMALL_BYTES)
  if (small !== null) {
    if (small.auth === null) deps.onLooked({ mailId: small.mailId, accountId })
    const result = messageJson(withoutColumns(small), request.of)
    return { result, lasts: small.auth !== null }
  }
  await noteLook(deps, caller, request)
  const body = await orWithoutHtml(deps, (html) =>
    deps.content.composeBody(accountId, { ...request, ...html }),
  )
  return { result: body ?? (await missing(deps, caller, request)), lasts: false }
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
  return excerpt ?? missing(deps, caller, request)
}

async function noteLook(deps: MessageDeps, caller: Caller, ref: MessageRef): Promise<void> {
  const { accountId } = caller
  const found = await deps.store.messages.findAuth(accountId, ref.inboxId, ref.messageId)
  if (found?.auth === null) deps.onLooked({ mailId: found.mailId, accountId })
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

/** The mail of a message; throws when the caller has no such message. */
export async function getMailId(
  deps: Pick<MessageDeps, 'store' | 'clock'>,
  caller: Caller,
  ref: MessageRef,
): Promise<string> {
  const mailId = await deps.store.messages.findMailId(caller.accountId, ref.inboxId, ref.messageId)
  return mailId ?? missing(deps, caller, ref)
}

/** Holds the number of the last message of a page, so that pages stay stable as mail arrives. */
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
