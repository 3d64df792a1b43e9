// The life of a delivery:
//
//   pending, due at nextAttemptAt
//     → claimed: leased to one process until leasedUntil
//         → succeeded             after a 2xx
//         → pending, due later    after anything else, while attempts are left
//         → failed                after the fifth attempt, or a 410
//         → pending, still due    given back by a process that stops, or its lease ran out
//     → failed                    its webhook was deleted or disabled
//   any → succeeded               a replay succeeded
//
// Work is a row, written in the transaction of its message. Waking up is a hint; a sweep finds
// what no hint told of. So whatever dies, nothing is lost: an attempt whose end was not written
// down is made again, with the same id and bytes.

import { setTimeout as delay } from 'node:timers/promises'
import type { WebhookId } from '@mayfly/contract'
import type { AttemptOutcome } from './attempt.ts'
import { type ClaimDeps, type ClaimedEvent, claimDue, ENDPOINT_MAX } from './claim.ts'
import type { MadeAttempt } from './record.ts'

/** What dispatching needs. */
export type DispatchDeps = ClaimDeps & {
  readonly attempt: (event: ClaimedEvent, signal: AbortSignal) => Promise<AttemptOutcome>
  /** Resolves once the attempt is written down. */
  readonly record: (made: MadeAttempt) => Promise<unknown>
  readonly onError: (error: unknown) => void
}

/** Attempts under way on this node: each is a TLS connection, about 100 KB. */
const UNDER_WAY_MAX = 300

/** How often writing an attempt down is tried, and how soon again: until about its lease ends. */
const RECORD_TRIES = 20
const RECORD_AGAIN_MS = 1_000

const BROKEN = {
  state: 'unsent',
  status: null,
  error: 'internal',
  detail: 'Something broke on our side.',
  durationMs: 0,
  retryAfter: null,
} as const

/**
 * Sends what is due, each endpoint independent of the others: they take turns, so that many due
 * to one, or one that hangs, delay nobody else.
 */
export class Dispatcher {
  readonly #deps: DispatchDeps
  /** Webhooks that may have something due, in the order of their turns. */
  readonly #turns = new Set<WebhookId>()
  /** Webhooks that had more due than could be claimed. */
  readonly #full = new Set<WebhookId>()
  readonly #underWay = new Set<Promise<void>>()
  readonly #givenUp = new AbortController()
  #isClaiming = false
  #claimed: Promise<void> = Promise.resolve()
  #isStopping = false

  constructor(deps: DispatchDeps) {
    this.#deps = deps
  }

  /** Looks at these webhooks as soon as there is room. */
  wake(webhookIds: readonly WebhookId[]): void {
    if (this.#isStopping) return
    for (const id of webhookIds) this.#turns.add(id)
    if (!this.#isClaiming) this.#claimed = this.#claimInTurns()
  }

  /** Looks for webhooks with something due that nobody attempts. */
  async sweep(): Promise<void> {
    this.wake(await this.#deps.store.dispatches.listDue(this.#deps.clock.now()))
  }

  /** Claims nothing more; what is not finished after `graceMs` is given up, and given back. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true
    this.#turns.clear()
    await this.#claimed
    const timer = setTimeout(() => this.#givenUp.abort(), graceMs)
    await Promise.allSettled(this.#underWay)
    clearTimeout(timer)
  }

  async #claimInTurns(): Promise<void> {
    this.#isClaiming = true
    try {
      // Webhooks that are added meanwhile have their turn at the end.
      for (const id of this.#turns) {
        const room = UNDER_WAY_MAX - this.#underWay.size
        if (room <= 0 || this.#isStopping) break
        this.#turns.delete(id)
        await this.#claim(id, Math.min(room, ENDPOINT_MAX))
      }
    } catch (error) {
      // The sweep finds it again.
      this.#deps.onError(error)
    } finally {
      this.#isClaiming = false
    }
  }

  async #claim(id: WebhookId, limit: number): Promise<void> {
    const { events, hasMore } = await claimDue(this.#deps, id, limit)
    if (hasMore) this.#full.add(id)
    for (const event of events) this.#start(event)
  }

  #start(event: ClaimedEvent): void {
    const work = this.#deliver(event)
      .catch(this.#deps.onError)
      .finally(() => {
        this.#underWay.delete(work)
        this.wake(this.#full.delete(event.webhookId) ? [event.webhookId] : [])
      })
    this.#underWay.add(work)
  }

  async #deliver(event: ClaimedEvent): Promise<void> {
    const outcome = await this.#attempt(event)
    if (outcome.state === 'aborted') {
      await this.#deps.store.dispatches.release(event)
      return
    }
    const { id: deliveryId, webhookId, leasedUntil } = event
    await this.#record({ deliveryId, webhookId, leasedUntil, attempted: outcome })
  }

  /** A mistake of ours is a failed attempt too: otherwise it would be made for ever. */
  async #attempt(event: ClaimedEvent): Promise<AttemptOutcome> {
    const at = this.#deps.clock.now()
    try {
      return await this.#deps.attempt(event, this.#givenUp.signal)
    } catch (error) {
      this.#deps.onError(error)
      return { ...BROKEN, at, endedAt: this.#deps.clock.now() }
    }
  }

  /** Also when the storage is away for a moment: otherwise the attempt would be made again. */
  async #record(made: MadeAttempt): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        await this.#deps.record(made)
        return
      } catch (error) {
        this.#deps.onError(error)
        if (tries === RECORD_TRIES || this.#isStopping) return
        await delay(RECORD_AGAIN_MS)
      }
    }
  }
}
