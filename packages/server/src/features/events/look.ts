import { setImmediate as turn } from 'node:timers/promises'
import type { AccountId, InboxId } from '@mayfly/contract'
import type { Clock } from '../../platform/clock.ts'
import { STAGES_MAX, StageCursor } from '../../stage-cursor.ts'
import type { Tables } from '../../store/all-tables.ts'
import type { InboxPosition } from '../../store/tables/inboxes.ts'
import type { AccountFeed } from './account-feed.ts'

/** What looking at inboxes needs. */
export type LookDeps = {
  readonly store: Tables
  readonly clock: Clock
  /** The feed of an account that has streams; undefined for any other. */
  readonly feedOf: (accountId: AccountId) => AccountFeed | undefined
}

/** Messages read at a time. */
const PAGE = 100

/** Inboxes looked at before others have their turn. */
const INBOXES_A_TURN = 10

/** Inboxes of one account read at a time. */
const INBOXES_PAGE = 1_000

/**
 * Looks at inboxes of any account, and adds to the feeds what is new there: messages, stages, and
 * that an inbox was created, has expired or is gone.
 */
export async function lookAtInboxes(
  deps: LookDeps,
  feeds: Iterable<AccountFeed>,
  ids: readonly InboxId[],
): Promise<void> {
  const positions = await deps.store.inboxes.listPositions(ids)
  const existing = new Set(positions.map(({ id }) => id))
  let looked = 0
  for (const position of positions) {
    const feed = deps.feedOf(position.accountId)
    if (feed === undefined) continue
    await addArrivals(deps, feed, position)
    await addStages(deps, feed, position.id)
    looked += 1
    // Queries of SQLite hold the thread: others have their turn between them.
    if (looked % INBOXES_A_TURN === 0) await turn()
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
  deps: Pick<LookDeps, 'store' | 'clock'>,
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
    await turn()
  }
}

async function addArrivals(
  deps: LookDeps,
  feed: AccountFeed,
  { id, lastSequence, expiresAt }: InboxPosition,
): Promise<void> {
  let known = feed.inboxes.get(id)
  if (known === undefined) {
    const inbox = await deps.store.inboxes.find(feed.accountId, id, deps.clock.now())
    if (inbox === null) return
    // Those that had not expired when the feed was opened are known.
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
    for (const { sequence: _, ...message } of messages) {
      feed.add({ type: 'message.received', inboxId: id, message })
    }
    // Numbers of deleted messages are passed over.
    sequence = messages.at(-1)?.sequence ?? lastSequence
  }
  // Read again: that it has expired may have been told meanwhile.
  feed.inboxes.set(id, { ...known, ...feed.inboxes.get(id), expiresAt, sequence })
}

async function addStages(deps: LookDeps, feed: AccountFeed, inboxId: InboxId): Promise<void> {
  const cursor = feed.inboxes.get(inboxId)?.stages
  if (cursor === undefined) return
  const stored = await deps.store.diagnostics.listAfter(inboxId, cursor.after, STAGES_MAX)
  for (const { stage, at, detail } of cursor.take(stored)) {
    feed.add({ type: 'diagnostics', inboxId, event: { stage, at, detail } })
  }
}
