import type { AccountEvent, AccountEventType, AccountId, HeldWait, InboxId } from '@mayfly/contract'
import type { MessageChange } from './signal.ts'
import type { StageCursor } from './stage-cursor.ts'

/** An event as streams send it. */
export type FeedEvent = {
  /** From 1, without gaps. */
  readonly number: number
  readonly type: AccountEventType
  /** The inbox that the event concerns; null for all inboxes. */
  readonly inboxId: InboxId | null
  /** The JSON of its data. */
  readonly json: string
  /** What changed in messages, which the data does not show. */
  readonly change: MessageChange | null
}

/** The position up to which an inbox was read. */
export type KnownInbox = {
  readonly expiresAt: number
  readonly isExpired: boolean
  /** Number of the last message for which an event was added. */
  readonly sequence: number
  readonly stages: StageCursor
}

/** Events that a stream may lag behind, or be resumed after: some seconds of a burst of mail. */
const EVENTS_MAX = 1_000

/** Characters of their JSON in all. */
const CHARS_MAX = 2 * 1024 * 1024

/**
 * The latest events of one account.
 *
 * All streams of the account on this node read from here, so that one query and one JSON text serve
 * them all, and a client that does not read costs nothing: the oldest events are dropped, and a
 * stream that still needs them is notified.
 */
export class AccountFeed {
  readonly accountId: AccountId
  /** Part of the ids of its events: another feed has other events. */
  readonly id: string
  /** A stage with an id up to this one happened before. */
  readonly firstStage: string
  readonly inboxes = new Map<InboxId, KnownInbox>()
  /** Open waits on all nodes. */
  readonly waits = new Map<string, HeldWait>()
  /** Streams that read from it. */
  streams = 0
  /** When its last stream closed, or when it was made. */
  idleSince: number
  readonly #events: FeedEvent[] = []
  #newest = 0
  #chars = 0

  constructor(about: Pick<AccountFeed, 'accountId' | 'id' | 'firstStage' | 'idleSince'>) {
    this.accountId = about.accountId
    this.id = about.id
    this.firstStage = about.firstStage
    this.idleSince = about.idleSince
  }

  /** Number of the newest event; 0 when there was none. */
  get newest(): number {
    return this.#newest
  }

  /** Adds an event, and drops the oldest past the bounds. */
  add(event: AccountEvent, change: MessageChange | null = null): void {
    const { type, ...data } = event
    this.#newest += 1
    const json = JSON.stringify(data)
    this.#events.push({ number: this.#newest, type, inboxId: inboxOf(event), json, change })
    this.#chars += json.length
    while (this.#events.length > EVENTS_MAX || this.#chars > CHARS_MAX) {
      this.#chars -= this.#events.shift()?.json.length ?? 0
    }
  }

  /** The events after the one with this number; null when one of them was dropped. */
  after(number: number): readonly FeedEvent[] | null {
    const count = this.#newest - number
    if (count < 0 || count > this.#events.length) return null
    return count === 0 ? [] : this.#events.slice(-count)
  }
}

function inboxOf(event: AccountEvent): InboxId | null {
  if ('inboxId' in event) return event.inboxId
  if ('inbox' in event) return event.inbox.id
  if ('delivery' in event) return event.delivery.inboxId
  return 'wait' in event ? event.wait.inboxId : null
}
