import type { InboxId, KeyId } from '@mayfly/contract'
import { ServiceError } from '../../errors.ts'

/** Seconds after which a wait that was ended by a stop is worth repeating. */
const RETRY_SECONDS = 2

/** The key with which a wait or a stream was begun; its prefix changes when it is rotated. */
export type HeldKey = { readonly keyId: KeyId; readonly keyPrefix: string }

/** Subscriptions of the waits and streams that this node holds, by inbox. */
export class InboxSubscriptions {
  readonly #byInbox = new Map<InboxId, Set<Subscription>>()
  #wakeNumber = 0
  #isClosed = false

  /** Subscribes to what happens in an inbox from now on. */
  subscribe(inboxId: InboxId, key: HeldKey): Subscription {
    const subscription = new Subscription(key, () => this.#remove(inboxId, subscription))
    const others = this.#byInbox.get(inboxId)
    if (others === undefined) this.#byInbox.set(inboxId, new Set([subscription]))
    else others.add(subscription)
    if (this.#isClosed) subscription.end(shuttingDown())
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
    for (const subscription of this.#all()) subscription.end(shuttingDown())
  }

  /** The keys with at least one subscription. */
  keys(): HeldKey[] {
    const keys = new Map<string, HeldKey>()
    for (const { key } of this.#all()) keys.set(`${key.keyId} ${key.keyPrefix}`, key)
    return [...keys.values()]
  }

  /** Ends the subscriptions of a key, of all its prefixes when none is given. */
  endKey({ keyId, keyPrefix }: Pick<HeldKey, 'keyId'> & Partial<HeldKey>): void {
    for (const subscription of this.#all()) {
      const { key } = subscription
      if (key.keyId === keyId && (keyPrefix === undefined || key.keyPrefix === keyPrefix)) {
        subscription.end(new ServiceError('invalid_api_key'))
      }
    }
  }

  *#all(): Generator<Subscription> {
    for (const subscriptions of this.#byInbox.values()) yield* subscriptions
  }

  #remove(inboxId: InboxId, subscription: Subscription): void {
    const others = this.#byInbox.get(inboxId)
    others?.delete(subscription)
    if (others?.size === 0) this.#byInbox.delete(inboxId)
  }
}

function shuttingDown(): ServiceError {
  return new ServiceError('shutting_down', { retryAfterSeconds: RETRY_SECONDS })
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
  #ended: ServiceError | null = null
  #resume: (() => void) | null = null
  readonly key: HeldKey
  readonly #onClose: () => void

  constructor(key: HeldKey, onClose: () => void) {
    this.key = key
    this.#onClose = onClose
  }

  /** Resolves when something has happened since the last call, or when `signal` fires. */
  async next(signal: AbortSignal): Promise<void> {
    if (!this.#isWoken && this.#ended === null && !signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const resume = () => resolve()
      this.#resume = resume
      signal.addEventListener('abort', resume, { once: true })
      await promise
      signal.removeEventListener('abort', resume)
      this.#resume = null
    }
    this.#isWoken = false
    this.throwIfEnded()
  }

  /** Throws the reason for which the subscription was ended, if it was. */
  throwIfEnded(): void {
    if (this.#ended !== null) throw this.#ended
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

  /** Lets `next` throw this reason. */
  end(reason: ServiceError): void {
    this.#ended ??= reason
    this.#resume?.()
  }

  /** Ends the subscription. */
  close(): void {
    this.#onClose()
  }
}
