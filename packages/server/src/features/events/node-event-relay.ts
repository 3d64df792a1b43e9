import type { AccountId, HeldWait } from '@mayfly/contract'
import type { Clock } from '../../platform/clock.ts'
import type { AccountFeeds } from './feeds.ts'
import { type AccountSignal, type NodeMessage, nodeMessageSchema } from './signal.ts'

export type ExchangeDeps = {
  readonly feeds: Pick<AccountFeeds, 'receive'>
  readonly clock: Clock
  /** The open waits of this node. */
  readonly openWaits: (accountId: AccountId) => readonly HeldWait[]
  /** Sends to all other nodes; does nothing when there are none. */
  readonly send: (message: NodeMessage) => void
}

/** How long a node sends signals after a request for them; the requests are repeated earlier. */
const WATCHED_MS = 20_000

/** Ids in one signal: a notification of PostgreSQL has at most 8,000 bytes. */
const IDS_PER_SIGNAL = 100

/**
 * Carries signals to the streams of an account, on this node and on others.
 *
 * A node sends only requested signals: nearly all accounts have no streams, and their waits and
 * deliveries then cost the other nodes nothing.
 */
export class NodeEventRelay {
  readonly #deps: ExchangeDeps
  /** Until when another node has streams of an account. */
  readonly #watchedUntil = new Map<AccountId, number>()

  constructor(deps: ExchangeDeps) {
    this.#deps = deps
  }

  /** Whether another node has streams. */
  get isWatched(): boolean {
    return this.#watchedUntil.size > 0
  }

  /** Sends the signal to all streams of the account. */
  publish(signal: AccountSignal): void {
    for (const part of parts(signal)) {
      void this.#deps.feeds.receive(part)
      if (this.#isWatched(part.accountId)) this.#deps.send({ signal: part })
    }
  }

  /** Requests the signals of an account from the other nodes. */
  watch(accountId: AccountId): void {
    this.#deps.send({ watch: accountId })
  }

  /** Handles a message of another node; anything else is ignored. */
  receive(given: unknown): void {
    const { data: message } = nodeMessageSchema.safeParse(given)
    if (message === undefined) return
    if ('signal' in message) {
      void this.#deps.feeds.receive(message.signal)
      return
    }
    const accountId = message.watch
    if (!this.#isWatched(accountId)) {
      for (const wait of this.#deps.openWaits(accountId)) {
        this.#deps.send({ signal: { accountId, about: 'wait', change: 'started', wait } })
      }
    }
    this.#watchedUntil.set(accountId, this.#deps.clock.now() + WATCHED_MS)
  }

  #isWatched(accountId: AccountId): boolean {
    const until = this.#watchedUntil.get(accountId)
    if (until === undefined) return false
    if (until > this.#deps.clock.now()) return true
    this.#watchedUntil.delete(accountId)
    return false
  }
}

function parts(signal: AccountSignal): readonly AccountSignal[] {
  if (signal.about !== 'messages' || signal.messageIds.length <= IDS_PER_SIGNAL) return [signal]
  const { messageIds } = signal
  const count = Math.ceil(messageIds.length / IDS_PER_SIGNAL)
  return Array.from({ length: count }, (_, i) => ({
    ...signal,
    messageIds: messageIds.slice(i * IDS_PER_SIGNAL, (i + 1) * IDS_PER_SIGNAL),
  }))
}
