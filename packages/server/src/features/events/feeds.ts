import { setImmediate as turn } from 'node:timers/promises'
import type { AccountId, HeldWait, InboxId, MessageId } from '@mayfly/contract'
import type { Clock } from '../../platform/clock.ts'
import { StageCursor } from '../../stage-cursor.ts'
import type { Tables } from '../../store/all-tables.ts'
import type { Subscriptions } from '../waiting/subscriptions.ts'
import { AccountFeed } from './account-feed.ts'
import { addExpiries, listInboxes, lookAtInboxes } from './look.ts'
import type { AccountSignal } from './signal.ts'

/** What feeds need. */
export type FeedsDeps = {
  readonly store: Tables
  readonly clock: Clock
  /** Wakes the streams of an account. */
  readonly subscriptions: Pick<Subscriptions<AccountId>, 'wake'>
  readonly newFeedId: () => string
  /** An id that sorts after every stage that is stored already. */
  readonly newStageId: () => string
  /** The waits that this node holds. */
  readonly heldWaits: (accountId: AccountId) => readonly HeldWait[]
  /** Tells the other nodes that this one has streams of an account. */
  readonly onWatched: (accountId: AccountId) => void
  readonly onError: (error: unknown) => void
}

/** How long a feed is kept after its last stream: a page that reconnects misses nothing. */
const LINGER_MS = 60_000

/** How often all inboxes of accounts with streams are compared with the store. */
const COMPARE_MS = 5_000

/** How often other nodes are told which accounts have streams here: one may have just started. */
const WATCH_MS = 5_000

/** How long after its deadline a wait counts as ended whose node has not said so. */
const WAIT_GRACE_MS = 2_000

/** Inboxes in one look. */
const CHUNK = 500

/**
 * The feeds of the accounts that have streams on this node.
 *
 * Announcements say only where to look; a comparison with the store every few seconds finds what
 * was not announced. Without streams nothing is looked at.
 */
export class AccountFeeds {
  readonly #deps: FeedsDeps
  readonly #feeds = new Map<AccountId, AccountFeed>()
  /** Feeds that are being opened, by account. */
  readonly #opening = new Map<AccountId, Promise<AccountFeed>>()
  readonly #changedInboxes = new Set<InboxId>()
  #looking: Promise<void> | null = null
  /** The part of a look that is in progress. */
  #lookingPart: Promise<void> = Promise.resolve()
  /** The updates that are being added, one signal a turn: queries of SQLite hold the thread. */
  #updating: Promise<void> = Promise.resolve()
  #comparedAt = 0
  #toldAt = 0
  #isStopped = false

  constructor(deps: FeedsDeps) {
    this.#deps = deps
  }

  /** Whether no account has a stream here. */
  get isEmpty(): boolean {
    return this.#feeds.size === 0
  }

  /** The feed of an account, for one stream; to be closed with `close`. */
  async open(accountId: AccountId): Promise<AccountFeed> {
    const known = this.#feeds.get(accountId)
    if (known !== undefined) {
      known.streams += 1
      return known
    }
    let opening = this.#opening.get(accountId)
    if (opening === undefined) {
      opening = this.#create(accountId).finally(() => this.#opening.delete(accountId))
      this.#opening.set(accountId, opening)
    }
    const feed = await opening
    feed.streams += 1
    return feed
  }

  /** Ends the use of a feed by a stream. */
  close(feed: AccountFeed): void {
    feed.streams -= 1
    feed.idleSince = this.#deps.clock.now()
  }

  /** Looks at these inboxes soon; those of accounts without streams are ignored. */
  wake(inboxIds: readonly InboxId[]): void {
    if (this.isEmpty || this.#isStopped || inboxIds.length === 0) return
    for (const id of inboxIds) this.#changedInboxes.add(id)
    this.#looking ??= this.#look()
  }

  /** Adds what was signalled, if the account has streams here. */
  async receive(signal: AccountSignal): Promise<void> {
    const feed = this.#feeds.get(signal.accountId)
    if (feed === undefined) return
    try {
      await this.#add(feed, signal)
    } catch (error) {
      this.#deps.onError(error)
      feed.add({ type: 'reset', reason: 'connection_lost' })
    }
    this.#deps.subscriptions.wake([feed.accountId])
  }

  /** Signals of other nodes were lost. */
  reset(): void {
    for (const feed of this.#feeds.values()) {
      // The other nodes may have forgotten it: what they send from now on is not missed.
      this.#deps.onWatched(feed.accountId)
      feed.add({ type: 'reset', reason: 'connection_lost' })
      this.#deps.subscriptions.wake([feed.accountId])
    }
    this.#comparedAt = 0
  }

  /** To be called every second: what follows from time alone, and the comparison with the store. */
  async tick(): Promise<void> {
    const now = this.#deps.clock.now()
    this.#closeIdle(now)
    if (this.isEmpty) return
    for (const feed of this.#feeds.values()) {
      const before = feed.newest
      addExpiries(feed, now)
      this.#endLostWaits(feed, now)
      if (feed.newest > before) this.#deps.subscriptions.wake([feed.accountId])
    }
    if (Math.abs(now - this.#toldAt) >= WATCH_MS) {
      this.#toldAt = now
      for (const accountId of this.#feeds.keys()) this.#deps.onWatched(accountId)
    }
    if (Math.abs(now - this.#comparedAt) < COMPARE_MS) return
    this.#comparedAt = now
    for (const feed of this.#feeds.values()) await this.#compare(feed)
  }

  /** Looks at nothing any more; resolves when the look that is in progress has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#changedInboxes.clear()
    await this.#looking
    await this.#updating
  }

  async #create(accountId: AccountId): Promise<AccountFeed> {
    const { clock, newFeedId, newStageId } = this.#deps
    const feed = new AccountFeed({
      accountId,
      id: newFeedId(),
      firstStage: newStageId(),
      // Its first stream is counted once it is open: until then it must not be taken for unused.
      idleSince: clock.now(),
    })
    for (const { id, expiresAt, lastSequence } of await listInboxes(this.#deps, feed)) {
      const stages = new StageCursor(feed.firstStage)
      feed.inboxes.set(id, { expiresAt, isExpired: false, sequence: lastSequence, stages })
    }
    for (const wait of this.#deps.heldWaits(accountId)) feed.waits.set(wait.id, wait)
    this.#feeds.set(accountId, feed)
    this.#deps.onWatched(accountId)
    // What arrived while the inboxes were read was not announced to this feed.
    await this.#compare(feed)
    return feed
  }

  async #look(): Promise<void> {
    try {
      while (this.#changedInboxes.size > 0) await this.#lookAtSome()
    } finally {
      // At once, not when the promise has settled: what is announced in between needs a look, too.
      this.#looking = null
    }
  }

  async #lookAtSome(): Promise<void> {
    const ids = [...this.#changedInboxes].slice(0, CHUNK)
    for (const id of ids) this.#changedInboxes.delete(id)
    const feeds = [...this.#feeds.values()]
    const before = feeds.map(({ newest }) => newest)
    const feedOf = (accountId: AccountId) => this.#feeds.get(accountId)
    // The next comparison finds what was not looked at.
    this.#lookingPart = lookAtInboxes({ ...this.#deps, feedOf }, feeds, ids).catch(
      this.#deps.onError,
    )
    await this.#lookingPart
    const changed = feeds.filter(({ newest }, i) => newest !== before[i])
    this.#deps.subscriptions.wake(changed.map(({ accountId }) => accountId))
    await turn()
  }

  /** Looks at the inboxes of a feed that differ from what is known of them. */
  async #compare(feed: AccountFeed): Promise<void> {
    const stored = await listInboxes(this.#deps, feed)
    const ids = new Set(stored.map(({ id }) => id))
    const changed = stored.filter(({ id, lastSequence, expiresAt }) => {
      const known = feed.inboxes.get(id)
      return known?.sequence !== lastSequence || known.expiresAt !== expiresAt
    })
    const gone = [...feed.inboxes].filter(([id, known]) => !known.isExpired && !ids.has(id))
    this.wake([...changed.map(({ id }) => id), ...gone.map(([id]) => id)])
  }

  async #add(feed: AccountFeed, signal: AccountSignal): Promise<void> {
    const { store } = this.#deps
    switch (signal.about) {
      case 'inbox':
        return this.wake([signal.inboxId])
      case 'messages': {
        const { inboxId, messageIds } = signal
        if (signal.change === 'deleted') {
          // A look may have read the messages before they were deleted: first comes their arrival.
          // So may an update.
          await Promise.all([this.#lookingPart, feed.updating])
          return feed.add({ type: 'message.deleted', inboxId, messageIds: [...messageIds] })
        }
        const added = this.#updating.then(() => this.#addUpdates(feed, messageIds))
        this.#updating = added.then(
          () => turn(),
          () => turn(),
        )
        feed.updating = Promise.allSettled([added])
        return added
      }
      case 'delivery': {
        const delivery = await store.deliveries.find(feed.accountId, signal.deliveryId)
        if (delivery !== null) feed.add({ type: 'delivery.updated', delivery })
        return
      }
      case 'wait':
        return setWait(feed, signal)
    }
  }

  async #addUpdates(feed: AccountFeed, ids: readonly MessageId[]): Promise<void> {
    if (this.#isStopped) return
    const { messages } = this.#deps.store
    for (const { inboxId, ...message } of await messages.listByIds(feed.accountId, ids)) {
      feed.add({ type: 'message.updated', inboxId, message })
    }
  }

  #closeIdle(now: number): void {
    for (const [accountId, feed] of this.#feeds) {
      const isIdle = feed.streams === 0 && Math.abs(now - feed.idleSince) >= LINGER_MS
      if (isIdle) this.#feeds.delete(accountId)
    }
  }

  /** Ends waits whose node died. */
  #endLostWaits(feed: AccountFeed, now: number): void {
    for (const wait of feed.waits.values()) {
      if (Date.parse(wait.deadline) + WAIT_GRACE_MS > now) continue
      setWait(feed, { change: 'ended', wait })
    }
  }
}

/** Adds that a wait has started or ended; each is told once. */
function setWait(
  feed: AccountFeed,
  { change, wait }: { readonly change: 'started' | 'ended'; readonly wait: HeldWait },
): void {
  const isNew = change === 'started' ? !feed.waits.has(wait.id) : feed.waits.delete(wait.id)
  if (change === 'started') feed.waits.set(wait.id, wait)
  if (isNew) feed.add({ type: `wait.${change}`, wait })
}
