import { setImmediate as yieldToLoop } from 'node:timers/promises'
import type { AccountId, InboxId } from '@mayfly/contract'
import type { Clock } from '../../platform/clock.ts'
import type { Tables } from '../../store/all-tables.ts'
import type { InboxPosition } from '../../store/tables/inboxes.ts'
import type { AccountFeed } from './account-feed.ts'
import { STAGES_MAX, StageCursor } from './stage-cursor.ts'

export type CollectDeps = {
  readonly store: Tables
  readonly clock: Clock
  /** The feed of an account that has streams; undefined for any other. */
  readonly feedOf: (accountId: AccountId) => AccountFeed | undefined
}

/** Messages read at a time. */
const PAGE = 100

/** Inboxes queried before the thread is yielded. */
const INBOXES_A_TURN = 10

/** Inboxes of one account read at a time. */
const INBOXES_PAGE = 1_000

/**
 * Queries inboxes of any account and adds their new events to the feeds: messages, stages, and the
 * creation, expiry or deletion of an inbox.
 */
export async function collectChanges(
  deps: CollectDeps,
  feeds: Iterable<AccountFeed>,
  ids: readonly InboxId[],
): Promise<void> {
  const positions = await deps.store.inboxes.listPositions(ids)
  const existing = new Set(positions.map(({ id }) => id))
  let count = 0
  for (const position of positions) {
    const feed = deps.feedOf(position.accountId)
    if (feed === undefined) continue
    await addArrivals(deps, feed, position)
    await addStages(deps, feed, position.id)
    count += 1
    // SQLite queries block this thread; yield between them.
    if (count % INBOXES_A_TURN === 0) await yieldToLoop()
  }
  for (const feed of feeds) {
    for (const id of ids) {
      if (existing.has(id) || !feed.inboxes.delete(id)) continue
      feed.add({ type: 'inbox.deleted', inboxId: id })
    }
  }
}

/** Adds that inboxes have expired; needs no query. */
export function addExpiries(feed: AccountFeed, now: number): void {
  for (const [inboxId, known] of feed.inboxes) {
    if (known.isExpired || known.expiresAt > now) continue
    feed.inboxes.set(inboxId, { ...known, isExpired: true })
    feed.add({ type: 'inbox.expired', inboxId })
  }
}

/** The unexpired inboxes of a feed's account, as they are in the store. */
export async function listInboxes(
  deps: Pick<CollectDeps, 'store' | 'clock'>,
  feed: AccountFeed,
): Promise<InboxPosition[]> {
  const found: InboxPosition[] = []
  let after = { expiresAt: deps.clock.now(), id: '' }
  for (;;) {
    const page = await deps.store.inboxes.listUnexpired(feed.accountId, {
      after,
      limit: INBOXES_PAGE,
    })
    found.push(...page)
    const last = page.at(-1)
    if (last === undefined || page.length < INBOXES_PAGE) return found
    after = last
    await yieldToLoop()
  }
}

/** The numbers of an inbox as events send them. */
export function countsOf({ messageCount, readCount }: Omit<InboxPosition, 'id'>) {
  return { messageCount, unreadCount: messageCount - readCount }
}

async function addArrivals(
  deps: CollectDeps,
  feed: AccountFeed,
  position: InboxPosition,
): Promise<void> {
  const { id, lastSequence, expiresAt } = position
  let known = feed.inboxes.get(id)
  if (known === undefined) {
    const inbox = await deps.store.inboxes.find(feed.accountId, id, deps.clock.now())
    if (inbox === null) return
    // Inboxes that had not expired when the feed was opened are in it already.
    const isNew = inbox.state !== 'expired'
    if (isNew) feed.add({ type: 'inbox.created', inbox })
    const sequence = isNew ? 0 : lastSequence
    const stages = new StageCursor(feed.firstStage)
    known = { expiresAt, isExpired: !isNew, sequence, stages }
  }
  let { sequence } = known
  while (sequence < lastSequence) {
    const page = { after: sequence, limit: PAGE }
    const messages = await deps.store.messages.listAfter(feed.accountId, id, page)
    for (const { sequence: number, ...message } of messages) {
      // Messages that arrived since are not counted in the position; another query follows.
      if (number > lastSequence) break
      feed.add({ type: 'message.received', inboxId: id, inbox: countsOf(position), message })
    }
    // Numbers of deleted messages are passed over.
    sequence = Math.min(messages.at(-1)?.sequence ?? lastSequence, lastSequence)
  }
  // Re-read: the expiry event may have been sent during the queries.
  feed.inboxes.set(id, { ...known, ...feed.inboxes.get(id), expiresAt, sequence })
}

async function addStages(deps: CollectDeps, feed: AccountFeed, inboxId: InboxId): Promise<void> {
  const cursor = feed.inboxes.get(inboxId)?.stages
  if (cursor === undefined) return
  const stored = await deps.store.diagnostics.listAfter(inboxId, cursor.after, STAGES_MAX)
  for (const { stage, at, detail } of cursor.newSince(stored)) {
    feed.add({ type: 'diagnostics', inboxId, event: { stage, at, detail } })
  }
}
