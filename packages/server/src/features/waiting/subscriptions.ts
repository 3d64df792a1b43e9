import type { KeyId } from '@mayfly/contract'
import { ServiceError } from '../../errors.ts'

/** Seconds after which a wait that was ended by a stop is worth repeating. */
const RETRY_SECONDS = 2

/** The key with which a wait or a stream was begun; its prefix changes when it is rotated. */
export type WaitKey = { readonly keyId: KeyId; readonly keyPrefix: string }

/** Subscriptions of this node's waits and streams, by inbox or by account. */
export class Subscriptions<Topic extends string> {
  readonly #byTopic = new Map<Topic, Set<Subscription>>()
  /** The keys with at least one subscription, and how many each has. */
  readonly #keys = new Map<string, { readonly key: WaitKey; count: number }>()
  #wakeNumber = 0
  #isClosed = false

  /** Subscribes to wakes from now on. */
  subscribe(topic: Topic, key: WaitKey): Subscription {
    const subscription = new Subscription(key, () => this.#remove(topic, subscription))
    this.#count(key, 1)
    const others = this.#byTopic.get(topic)
    if (others === undefined) this.#byTopic.set(topic, new Set([subscription]))
    else others.add(subscription)
    if (this.#isClosed) subscription.end(shuttingDown())
    return subscription
  }

  /** Wakes the subscriptions of these inboxes or accounts: something happened there. */
  wake(topics: readonly Topic[]): void {
    this.#wakeNumber += 1
    for (const topic of topics) {
      for (const subscription of this.#byTopic.get(topic) ?? []) {
        subscription.wake(this.#wakeNumber)
      }
    }
  }

  /** The inboxes or accounts with at least one subscription. */
  topics(): Topic[] {
    return [...this.#byTopic.keys()]
  }

  /** The number of subscriptions. */
  get size(): number {
    let count = 0
    for (const subscriptions of this.#byTopic.values()) count += subscriptions.size
    return count
  }

  /** Ends all subscriptions, and every later one at once: the service is stopping. */
  close(): void {
    this.#isClosed = true
    for (const subscription of this.#all()) subscription.end(shuttingDown())
  }

  /** The keys with at least one subscription. */
  keys(): WaitKey[] {
    return [...this.#keys.values()].map(({ key }) => key)
  }

  /** Ends the subscriptions of a key, of all its prefixes when none is given. */
  endKey(
    { keyId, keyPrefix }: Pick<WaitKey, 'keyId'> & Partial<WaitKey>,
    reason = new ServiceError('invalid_api_key'),
  ): void {
    for (const subscription of this.#all()) {
      const { key } = subscription
      if (key.keyId === keyId && (keyPrefix === undefined || key.keyPrefix === keyPrefix)) {
        subscription.end(reason)
      }
    }
  }

  *#all(): Generator<Subscription> {
    for (const subscriptions of this.#byTopic.values()) yield* subscriptions
  }

  #remove(topic: Topic, subscription: Subscription): void {
    const others = this.#byTopic.get(topic)
    if (others?.delete(subscription) !== true) return
    if (others.size === 0) this.#byTopic.delete(topic)
    this.#count(subscription.key, -1)
  }

  #count(key: WaitKey, change: 1 | -1): void {
    const name = `${key.keyId} ${key.keyPrefix}`
    const counted = this.#keys.get(name) ?? { key, count: 0 }
    counted.count += change
    if (counted.count === 0) this.#keys.delete(name)
    else this.#keys.set(name, counted)
  }
}

function shuttingDown(): ServiceError {
  return new ServiceError('shutting_down', { retryAfterSeconds: RETRY_SECONDS })
}

/**
 * A subscription to one inbox or account.
 *
 * It remembers a wake between two calls of `next`, so that a caller that subscribes first and
 * queries afterwards misses nothing.
 */
export class Subscription {
  #isWoken = false
  #wakeNumber = 0
  #ended: ServiceError | null = null
  #resume: (() => void) | null = null
  readonly key: WaitKey
  readonly #onClose: () => void

  constructor(key: WaitKey, onClose: () => void) {
    this.key = key
    this.#onClose = onClose
  }

  /** Resolves when something has happened since the last call, or when `signal` fires. */
  async next(signal?: AbortSignal): Promise<void> {
    if (signal?.aborted !== true) {
      const resume = () => this.#resume?.()
      signal?.addEventListener('abort', resume, { once: true })
      await this.happened()
      signal?.removeEventListener('abort', resume)
    }
    this.take()
  }

  /**
   * Resolves after a wake since the last `take`, or when the subscription was ended. Not async:
   * each of thousands of open waits has just this promise.
   */
  happened(): Promise<void> {
    if (this.#isWoken || this.#ended !== null) return Promise.resolve()
    return new Promise((resolve) => {
      this.#resume = resolve
    })
  }

  /** Forgets the wakes so far; throws the reason if the subscription was ended. */
  take(): void {
    this.#resume = null
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

  /** Lets `next` resolve although nothing has happened. */
  interrupt(): void {
    this.#isWoken = true
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
