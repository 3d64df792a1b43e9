import type { InboxId } from '@mayfly/contract'
import { ServiceError } from '../../errors.ts'

/** Seconds after which a wait that a stopping service cut short is worth repeating. */
const RETRY_SECONDS = 2

/** Who waits for something to happen in which inbox, on this node. */
export class Arrivals {
  readonly #byInbox = new Map<InboxId, Set<Subscription>>()
  #wakes = 0
  #isClosed = false

  /** From now on, whatever happens in the inbox is remembered until it is asked for. */
  subscribe(inboxId: InboxId): Subscription {
    const subscription = new Subscription(() => this.#forget(inboxId, subscription))
    const others = this.#byInbox.get(inboxId)
    if (others === undefined) this.#byInbox.set(inboxId, new Set([subscription]))
    else others.add(subscription)
    if (this.#isClosed) subscription.end()
    return subscription
  }

  /** Something happened in these inboxes. */
  wake(inboxIds: readonly InboxId[]): void {
    this.#wakes += 1
    for (const inboxId of inboxIds) {
      for (const subscription of this.#byInbox.get(inboxId) ?? []) subscription.wake(this.#wakes)
    }
  }

  /** The inboxes that somebody waits on. */
  awaited(): InboxId[] {
    return [...this.#byInbox.keys()]
  }

  /** How many wait. */
  get size(): number {
    let count = 0
    for (const subscriptions of this.#byInbox.values()) count += subscriptions.size
    return count
  }

  /** Ends every wait, now and later: the service is stopping. */
  close(): void {
    this.#isClosed = true
    for (const subscriptions of this.#byInbox.values()) {
      for (const subscription of subscriptions) subscription.end()
    }
  }

  #forget(inboxId: InboxId, subscription: Subscription): void {
    const others = this.#byInbox.get(inboxId)
    others?.delete(subscription)
    if (others?.size === 0) this.#byInbox.delete(inboxId)
  }
}

/**
 * One wait's view of an inbox.
 *
 * `woken` remembers what happened between two calls of `next`: who subscribes first and looks
 * afterwards misses nothing.
 */
export class Subscription {
  #isWoken = false
  #wakeNumber = 0
  #isEnded = false
  #resume: (() => void) | null = null
  readonly #onClose: () => void

  constructor(onClose: () => void) {
    this.#onClose = onClose
  }

  /** Resolves when something has happened since the last call, or when `signal` fires. */
  async next(signal: AbortSignal): Promise<void> {
    if (!this.#isWoken && !this.#isEnded && !signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const resume = () => resolve()
      this.#resume = resume
      signal.addEventListener('abort', resume, { once: true })
      await promise
      signal.removeEventListener('abort', resume)
      this.#resume = null
    }
    this.#isWoken = false
    if (this.#isEnded) {
      throw new ServiceError('shutting_down', { retryAfterSeconds: RETRY_SECONDS })
    }
  }

  /** Number of the wake that ended the last `next`: those woken together have the same. */
  get wakeNumber(): number {
    return this.#wakeNumber
  }

  /** Something happened. */
  wake(wakeNumber: number): void {
    this.#isWoken = true
    this.#wakeNumber = wakeNumber
    this.#resume?.()
  }

  /** The service is stopping. */
  end(): void {
    this.#isEnded = true
    this.#resume?.()
  }

  /** Nobody waits here any more. */
  close(): void {
    this.#onClose()
  }
}
