// The life of a delivery:
//
//   pending, due at nextAttemptAt
//     → claimed: leased to one process until leasedUntil
//         → succeeded             after a 2xx
//         → pending, due later    after anything else, while attempts remain
//         → failed                after the fifth attempt, or a 410
//         → pending, still due    released by a process that stops, or its lease expired
//     → failed                    its webhook was deleted or disabled
//   any → succeeded               a replay succeeded
//
// A delivery is a row that is written in the transaction of its message. Signals only make the
// dispatcher query sooner; a sweep finds deliveries without a signal. So a crash loses nothing: an
// attempt whose result was not stored is made again, with the same id and bytes.

import { setTimeout as delay } from 'node:timers/promises'
import type { WebhookId } from '@mayfly/contract'
import type { AttemptOutcome } from './attempt.ts'
import { type ClaimDeps, type ClaimedEvent, claimDue, ENDPOINT_MAX } from './claim.ts'
import type { DeliveryAttemptRecord } from './record.ts'

export type DispatchDeps = ClaimDeps & {
  readonly attempt: (event: ClaimedEvent, signal: AbortSignal) => Promise<AttemptOutcome>
  /** Resolves once the attempt is stored. */
  readonly record: (record: DeliveryAttemptRecord) => Promise<unknown>
  readonly onError: (error: unknown) => void
}

/** Attempts in flight on this node: each is a TLS connection, about 100 KB. */
const IN_FLIGHT_MAX = 300

/** Tries to store an attempt, and the pause between them: together about as long as a lease. */
const RECORD_TRIES = 20
const RECORD_RETRY_MS = 1_000

/** The text in the delivery log for an attempt that failed by an exception. */
const INTERNAL_ERROR = {
  state: 'unsent',
  error: 'internal',
  detail: 'An internal error occurred.',
  durationMs: 0,
} as const

/**
 * Sends due deliveries. Endpoints are claimed in rotation, so that a backlog of one, or one that
 * hangs, does not delay the others.
 */
export class Dispatcher {
  readonly #deps: DispatchDeps
  /** Webhooks that may have due deliveries, in the order in which they are claimed. */
  readonly #queue = new Set<WebhookId>()
  /** Webhooks with more due deliveries than could be claimed. */
  readonly #backlogged = new Set<WebhookId>()
  readonly #inFlight = new Set<Promise<void>>()
  readonly #abort = new AbortController()
  #isClaiming = false
  #claiming: Promise<void> = Promise.resolve()
  #isStopping = false

  constructor(deps: DispatchDeps) {
    this.#deps = deps
  }

  /** Claims due deliveries of these webhooks as soon as more attempts may run. */
  wake(webhookIds: readonly WebhookId[]): void {
    if (this.#isStopping) return
    for (const id of webhookIds) this.#queue.add(id)
    if (!this.#isClaiming) this.#claiming = this.#claimQueued()
  }

  /** Finds webhooks with due deliveries that are not leased. */
  async sweep(): Promise<void> {
    this.wake(await this.#deps.store.dispatches.listDue(this.#deps.clock.now()))
  }

  /** Stops claiming; attempts that have not ended after `graceMs` are aborted and released. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true
    this.#queue.clear()
    await this.#claiming
    const timer = setTimeout(() => this.#abort.abort(), graceMs)
    await Promise.allSettled(this.#inFlight)
    clearTimeout(timer)
  }

  async #claimQueued(): Promise<void> {
    this.#isClaiming = true
    try {
      // Webhooks that are added meanwhile come last.
      for (const id of this.#queue) {
        const room = IN_FLIGHT_MAX - this.#inFlight.size
        if (room <= 0 || this.#isStopping) break
        this.#queue.delete(id)
        await this.#claim(id, Math.min(room, ENDPOINT_MAX))
      }
    } catch (error) {
      // The next sweep finds the webhook again.
      this.#deps.onError(error)
    } finally {
      this.#isClaiming = false
    }
  }

  async #claim(id: WebhookId, limit: number): Promise<void> {
    const { events, hasMore } = await claimDue(this.#deps, id, limit)
    if (hasMore) this.#backlogged.add(id)
    for (const event of events) this.#start(event)
  }

  #start(event: ClaimedEvent): void {
    const work = this.#deliver(event)
      .catch(this.#deps.onError)
      .finally(() => {
        this.#inFlight.delete(work)
        this.wake(this.#backlogged.delete(event.webhookId) ? [event.webhookId] : [])
      })
    this.#inFlight.add(work)
  }

  async #deliver(event: ClaimedEvent): Promise<void> {
    const outcome = await this.#attempt(event)
    if (outcome.state === 'aborted') {
      await this.#deps.store.dispatches.release(event)
      return
    }
    const { id: deliveryId, webhookId, leasedUntil } = event
    await this.#record({ deliveryId, webhookId, leasedUntil, attempt: outcome })
  }

  /** An exception is a failed attempt too: otherwise the attempt would be repeated without end. */
  async #attempt(event: ClaimedEvent): Promise<AttemptOutcome> {
    const at = this.#deps.clock.now()
    try {
      return await this.#deps.attempt(event, this.#abort.signal)
    } catch (error) {
      this.#deps.onError(error)
      return { ...INTERNAL_ERROR, at, endedAt: this.#deps.clock.now() }
    }
  }

  /** Tries again while the storage is unavailable: otherwise the event would be sent again. */
  async #record(record: DeliveryAttemptRecord): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        await this.#deps.record(record)
        return
      } catch (error) {
        this.#deps.onError(error)
        if (tries === RECORD_TRIES || this.#isStopping) return
        await delay(RECORD_RETRY_MS)
      }
    }
  }
}
