import { setImmediate as yieldToLoop } from 'node:timers/promises'
import type { AccountId, HeldWait, InboxId } from '@mayfly/contract'
import type { Clock } from '../../platform/clock.ts'
import type { Tables } from '../../store/all-tables.ts'
import type { Subscriptions } from '../waiting/subscriptions.ts'
import { AccountFeed } from './account-feed.ts'
import { addExpiries, collectChanges, countsOf, listInboxes } from './collect-changes.ts'
import type { AccountSignal } from './signal.ts'
import { StageCursor } from './stage-cursor.ts'

export type FeedsDeps = {
  readonly store: Tables
  readonly clock: Clock
  /** Wakes the streams of an account. */
  readonly subscriptions: Pick<Subscriptions<AccountId>, 'wake'>
  readonly newFeedId: () => string
  /** An id that sorts after every stage that is stored already. */
  readonly newStageId: () => string
  /** The open waits of this node. */
  readonly openWaits: (accountId: AccountId) => readonly HeldWait[]
  /** Notifies the other nodes that this one has streams of an account. */
  readonly onWatched: (accountId: AccountId) => void
  readonly onError: (error: unknown) => void
}

/** How long a feed is kept after its last stream: a page that reconnects misses nothing. */
const LINGER_MS = 60_000

/** How often all inboxes of accounts with streams are compared with the store. */
const COMPARE_MS = 5_000

/** How often other nodes are notified of accounts with streams here: one may have just started. */
const WATCH_MS = 5_000

/** How long after its deadline a wait without an end signal counts as ended. */
const WAIT_GRACE_MS = 2_000

/** Inboxes in one query. */
const CHUNK = 500

/**
 * The feeds of the accounts that have streams on this node.
 *
 * Announcements name only the inboxes to query; a comparison with the store every few seconds finds
 * unannounced changes. Without streams nothing is queried.
 */
export class AccountFeeds {
  readonly #deps: FeedsDeps
  readonly #feeds = new Map<AccountId, AccountFeed>()
  /** Feeds that are being opened, by account. */
  readonly #opening = new Map<AccountId, Promise<AccountFeed>>()
  readonly #changedInboxes = new Set<InboxId>()
  #collecting: Promise<void> | null = null
  /**
   * Steps that read the store and add events run one after the other: a deletion follows the
   * arrival of its message, and older counts are never sent after newer ones.
   */
  #adding: Promise<void> = Promise.resolve()
  #comparedAt = 0
  #notifiedAt = 0
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

  /** Queries these inboxes soon; those of accounts without streams are ignored. */
  wake(inboxIds: readonly InboxId[]): void {
    if (this.isEmpty || this.#isStopped || inboxIds.length === 0) return
    for (const id of inboxIds) this.#changedInboxes.add(id)
    this.#collecting ??= this.#collect()
  }

  /** Adds the signalled event if the account has streams here. */
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
      // The other nodes may have dropped the request; from now on their signals are not missed.
      this.#deps.onWatched(feed.accountId)
      feed.add({ type: 'reset', reason: 'connection_lost' })
      this.#deps.subscriptions.wake([feed.accountId])
    }
    this.#comparedAt = 0
  }

  /** Called every second: emits expiries; compares with the store every 5 s. */
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
    if (Math.abs(now - this.#notifiedAt) >= WATCH_MS) {
      this.#notifiedAt = now
      for (const accountId of this.#feeds.keys()) this.#deps.onWatched(accountId)
    }
    if (Math.abs(now - this.#comparedAt) < COMPARE_MS) return
    this.#comparedAt = now
    for (const feed of this.#feeds.values()) await this.#compare(feed)
  }

  /** Starts no further query; resolves when the current one has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#changedInboxes.clear()
    await this.#collecting
    await this.#adding
  }

  async #create(accountId: AccountId): Promise<AccountFeed> {
    const { clock, newFeedId, newStageId } = this.#deps
    const feed = new AccountFeed({
      accountId,
      id: newFeedId(),
      firstStage: newStageId(),
      // Its first stream is counted once it is open; until then it must not count as unused.
      idleSince: clock.now(),
    })
    for (const { id, expiresAt, lastSequence } of await listInboxes(this.#deps, feed)) {
      const stages = new StageCursor(feed.firstStage)
      feed.inboxes.set(id, { expiresAt, isExpired: false, sequence: lastSequence, stages })
    }
    for (const wait of this.#deps.openWaits(accountId)) feed.waits.set(wait.id, wait)
    this.#feeds.set(accountId, feed)
    this.#deps.onWatched(accountId)
    // Mail that arrived while the inboxes were read was not announced to this feed.
    await this.#compare(feed)
    return feed
  }

  async #collect(): Promise<void> {
    try {
      while (this.#changedInboxes.size > 0) await this.#collectSome()
    } finally {
      // At once, not when the promise has settled: announcements in between need a query, too.
      this.#collecting = null
    }
  }

  async #collectSome(): Promise<void> {
    const ids = [...this.#changedInboxes].slice(0, CHUNK)
    for (const id of ids) this.#changedInboxes.delete(id)
    const feeds = [...this.#feeds.values()]
    const before = feeds.map(({ newest }) => newest)
    const feedOf = (accountId: AccountId) => this.#feeds.get(accountId)
    // The next comparison finds the inboxes that were not queried.
    await this.#inSequence(() => collectChanges({ ...this.#deps, feedOf }, feeds, ids)).catch(
      this.#deps.onError,
    )
    const changed = feeds.filter(({ newest }, i) => newest !== before[i])
    this.#deps.subscriptions.wake(changed.map(({ accountId }) => accountId))
  }

  #inSequence(add: () => Promise<void>): Promise<void> {
    const added = this.#adding.then(() => (this.#isStopped ? undefined : add()))
    // SQLite queries block this thread; yield between them.
    this.#adding = added.then(
      () => yieldToLoop(),
      () => yieldToLoop(),
    )
    return added
  }

  /** Queries the inboxes of a feed that differ from their last known state. */
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
        const { change, inboxId, messageIds } = signal
        return this.#inSequence(async () => {
          const [inbox] = (await store.inboxes.listPositions([inboxId])).map(countsOf)
          // Without its inbox a message has no event; the inbox has one.
          if (inbox === undefined) return
          if (change === 'deleted' || change === 'emptied') {
            const ids = [...messageIds]
            feed.add({ type: 'message.deleted', inboxId, inbox, messageIds: ids }, change)
            return
          }
          for (const { inboxId: _, ...message } of await store.messages.listByIds(
            feed.accountId,
            messageIds,
          )) {
            feed.add({ type: 'message.updated', inboxId, inbox, message }, change)
          }
        })
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

/** Adds the start or end of a wait, each once. */
function setWait(
  feed: AccountFeed,
  { change, wait }: { readonly change: 'started' | 'ended'; readonly wait: HeldWait },
): void {
  const isNew = change === 'started' ? !feed.waits.has(wait.id) : feed.waits.delete(wait.id)
  if (change === 'started') feed.waits.set(wait.id, wait)
  if (isNew) feed.add({ type: `wait.${change}`, wait })
}
