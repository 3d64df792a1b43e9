import type { InboxId } from '@mayfly/contract'
import { ServiceError } from '../../errors.ts'

/** Seconds after which a wait that was ended by a stop is worth repeating. */
const RETRY_SECONDS = 2

/** Subscriptions of the waits and streams that this node holds, by inbox. */
export class InboxSubscriptions {
  readonly #byInbox = new Map<InboxId, Set<Subscription>>()
  #wakeNumber = 0
  #isClosed = false

  /** Subscribes to what happens in an inbox from now on. */
  subscribe(inboxId: InboxId): Subscription {
    const subscription = new Subscription(() => this.#remove(inboxId, subscription))
    const others = this.#byInbox.get(inboxId)
    if (others === undefined) this.#byInbox.set(inboxId, new Set([subscription]))
    else others.add(subscription)
    if (this.#isClosed) subscription.end()
    return subscription
  }

  /** Wakes the subscriptions of these inboxes: something happened there. */
  wake(inboxIds: readonly InboxId[]): void {
    this.#wakeNumber += 1
    for (const inboxId of inboxIds) {
      for (const subscription of this.#byInbox.get(inboxId) ?? []) {
        subscription.wake(this.#wakeNumber)
      }
    }
  }

  /** The inboxes with at least one subscription. */
  inboxIds(): InboxId[] {
    return [...this.#byInbox.keys()]
  }

  /** The number of subscriptions. */
  get size(): number {
    let count = 0
    for (const subscriptions of this.#byInbox.values()) count += subscriptions.size
    return count
  }

  /** Ends all subscriptions, and every later one at once: the service is stopping. */
  close(): void {
    this.#isClosed = true
    for (const subscriptions of this.#byInbox.values()) {
      for (const subscription of subscriptions) subscription.end()
    }
  }

  #remove(inboxId: InboxId, subscription: Subscription): void {
    const others = this.#byInbox.get(inboxId)
    others?.delete(subscription)
    if (others?.size === 0) this.#byInbox.delete(inboxId)
  }
}

/**
 * A subscription to one inbox.
 *
 * It remembers a wake between two calls of `next`, so that nothing is missed by a caller that
 * subscribes first and looks afterwards.
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

  /** Number of the last wake; subscriptions that were woken together have the same. */
  get wakeNumber(): number {
    return this.#wakeNumber
  }

  /** Lets `next` resolve. */
  wake(wakeNumber: number): void {
    this.#isWoken = true
    this.#wakeNumber = wakeNumber
    this.#resume?.()
  }

  /** Lets `next` throw: the service is stopping. */
  end(): void {
    this.#isEnded = true
    this.#resume?.()
  }

  /** Ends the subscription. */
  close(): void {
    this.#onClose()
  }
}
