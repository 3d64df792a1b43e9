import type { AccountId, FoundMessage, MessageId } from '@mayfly/contract'
import { findUnmetTerm } from '@mayfly/mail'
import { ServiceError } from '../../errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Tables } from '../../store/all-tables.ts'
import type { SearchPlace } from '../../store/tables/search.ts'
import type { Caller } from '../accounts/authenticate.ts'
import { readSearchQuery } from '../rules/search-query.ts'
import { ContentBatches } from './content-batches.ts'

export type SearchDeps = {
  readonly store: Tables
  readonly clock: Clock
  /** Functions that run in another thread. */
  readonly content: {
    readonly findInAccount: (owner: AccountId, part: SearchPart) => Promise<SearchPartResult>
  }
  /** There are messages that are not in the index yet. Returns at once. */
  readonly onUnindexed: () => void
}

/**
 * Where a search continues. The messages that are not among the entries of the index up to
 * `lastNumber` come first, then these entries. So none is skipped or found twice when the index
 * grows between two pages.
 */
type Position =
  | { readonly in: 'new'; readonly lastNumber: number; readonly before: string | null }
  | ({ readonly in: 'index' } & SearchPlace)

/** A part of a search: from a position, until `limit` matches are found or much was read. */
export type SearchPart = {
  readonly q: string
  readonly position: Position
  readonly limit: number
}

/** Matches, newest first, and where to continue; null at the end. */
export type SearchPartResult = {
  readonly found: readonly MessageId[]
  readonly position: Position | null
}

/** Messages read in one part. */
const PAGE = 100

/** Parts of one call: a query with few matches continues with the next page. */
const PARTS_MAX = 20

/** Characters of content read in one part: the thread has other searches to serve. */
const CHARS_MAX = 32 * 1024 * 1024

/** The messages of an account that match a query, newest first. */
export async function searchAccount(
  deps: SearchDeps,
  { accountId }: Caller,
  request: { readonly q: string; readonly limit: number; readonly cursor?: string | undefined },
): Promise<{ messages: FoundMessage[]; nextCursor: string | null; indexedUntil: string }> {
  const { q, limit, cursor } = request
  readSearchQuery(q)
  const oldestAt = await deps.store.search.oldestUnindexedAt()
  if (oldestAt !== null) deps.onUnindexed()
  let position: Position | null =
    cursor === undefined
      ? { in: 'new', lastNumber: await deps.store.search.lastNumber(), before: null }
      : readCursor(cursor)
  const found: MessageId[] = []
  for (let parts = 0; position !== null && parts < PARTS_MAX && found.length < limit; parts += 1) {
    const part: SearchPartResult = await deps.content.findInAccount(accountId, {
      q,
      position,
      limit: limit - found.length,
    })
    found.push(...part.found)
    position = part.position
  }
  const byId = new Map(
    (await deps.store.messages.listByIds(accountId, found)).map((one) => [one.id, one]),
  )
  return {
    messages: found.flatMap((id) => byId.get(id) ?? []),
    nextCursor: position === null ? null : writeCursor(position),
    indexedUntil: new Date(oldestAt ?? deps.clock.now()).toISOString(),
  }
}

/** Searches a part of an account. */
export async function findInAccount(
  { store }: { readonly store: Tables },
  owner: AccountId,
  { q, position, limit }: SearchPart,
): Promise<SearchPartResult> {
  const query = readSearchQuery(q)
  const texts = query.terms.flatMap(({ isNegated, containedText }) =>
    isNegated || containedText === null ? [] : [containedText],
  )
  const { messages: page, next: behind } = await pageAt(store, owner, { position, texts })
  const candidates = await store.candidates.listByIds(
    owner,
    page.map(({ id }) => id),
  )
  const nextById = new Map(page.map(({ id, next }, place) => [id, { next, place }]))
  const ordered = candidates.toSorted(
    (a, b) => (nextById.get(a.id)?.place ?? 0) - (nextById.get(b.id)?.place ?? 0),
  )
  const contents = new ContentBatches(store, owner, ordered)
  const found: MessageId[] = []
  let chars = 0
  for (const [place, candidate] of ordered.entries()) {
    const { id } = candidate
    const next = nextById.get(id)?.next ?? null
    const unmet = await findUnmetTerm(query, candidate, async () => {
      const content = await contents.at(place)
      chars += (content?.text?.length ?? 0) + (content?.html?.length ?? 0)
      return content
    })
    if (unmet === null) found.push(id)
    if (found.length === limit || chars > CHARS_MAX) return { found, position: next }
  }
  return { found, position: behind }
}

/** Messages that may match, each with the position behind it, and the position behind them all. */
async function pageAt(
  { search }: Tables,
  owner: AccountId,
  { position, texts }: { readonly position: Position; readonly texts: readonly string[] },
): Promise<{
  readonly messages: readonly { readonly id: MessageId; readonly next: Position }[]
  readonly next: Position | null
}> {
  if (position.in === 'new') {
    const ids = await search.listNew(owner, { ...position, limit: PAGE })
    const messages = ids.map((id) => ({ id, next: { ...position, before: id } }))
    const last = ids.length === PAGE ? messages.at(-1) : undefined
    const before = position.lastNumber + 1
    return { messages, next: last?.next ?? { in: 'index', before, isCompared: false } }
  }
  const { entries, next } = await search.list(owner, { texts, from: position, limit: PAGE })
  const messages = entries.map(({ number, messageId }) => ({
    id: messageId,
    next: { ...position, before: number },
  }))
  return { messages, next: next === null ? null : { in: 'index', ...next } }
}

function writeCursor(position: Position): string {
  const text =
    position.in === 'index'
      ? `${position.isCompared ? 'c' : 'i'}${position.before}`
      : `n${position.lastNumber}.${position.before ?? ''}`
  return Buffer.from(text).toString('base64url')
}

function readCursor(cursor: string): Position {
  const text = Buffer.from(cursor, 'base64url').toString()
  const [, kind, before] = /^([ci])(\d{1,15})$/.exec(text) ?? []
  if (before !== undefined) return { in: 'index', before: Number(before), isCompared: kind === 'c' }
  const [, lastNumber, id] = /^n(\d{1,15})\.(\w{0,40})$/.exec(text) ?? []
  if (lastNumber !== undefined) {
    return { in: 'new', lastNumber: Number(lastNumber), before: id === '' ? null : (id ?? null) }
  }
  throw new ServiceError('invalid_parameter', {
    message: 'cursor: must be the nextCursor of an earlier page',
  })
}
