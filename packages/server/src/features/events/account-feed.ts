import type { AccountEvent, AccountEventType, AccountId, HeldWait, InboxId } from '@mayfly/contract'
import type { StageCursor } from '../../stage-cursor.ts'

/** An event as streams send it. */
export type FeedEvent = {
  /** From 1, without gaps. */
  readonly number: number
  readonly type: AccountEventType
  /** The JSON of its data. */
  readonly json: string
}

/** How far an inbox was looked at. */
export type KnownInbox = {
  readonly expiresAt: number
  readonly isExpired: boolean
  /** Number of the last message that was told. */
  readonly sequence: number
  readonly stages: StageCursor
}

/** Events that a stream may lag behind, or be resumed after: some seconds of a burst of mail. */
const EVENTS_MAX = 1_000

/** Characters of their JSON in all. */
const CHARS_MAX = 2 * 1024 * 1024

/**
 * What happened in one account lately.
 *
 * All streams of the account on this node read from here, so that one query and one JSON text
 * serve them all, and a client that does not read costs nothing: the oldest events are dropped, and
 * a stream that still needs them is told so.
 */
export class AccountFeed {
  readonly accountId: AccountId
  /** Part of the ids of its events: another feed has other events. */
  readonly id: string
  /** A stage with an id up to this one happened before. */
  readonly firstStage: string
  readonly inboxes = new Map<InboxId, KnownInbox>()
  /** Waits that are held now, on any node. */
  readonly waits = new Map<string, HeldWait>()
  /** Settles when the updates of messages that are being read have been added. */
  updating: Promise<unknown> = Promise.resolve()
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
  add({ type, ...data }: AccountEvent): void {
    this.#newest += 1
    const json = JSON.stringify(data)
    this.#events.push({ number: this.#newest, type, json })
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
