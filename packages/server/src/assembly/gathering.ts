// When the next mails of a spool are stored: a little later, so that more share a transaction, and
// while receiving is busy much later, so that a burst is taken as fast as possible.

import { elapsedMs } from '../platform/clock.ts'
import type { PendingMails } from './pending-mails.ts'
import type { Entry } from './storing-entry.ts'
import type { StoringQueue } from './storing-queue.ts'

/** From when on mails are stored later. */
export type LaterBounds = {
  /** The share of the time for which receiving keeps its thread busy, 0 to 1. */
  readonly laterFromShare: number
}

/** What gathering needs. */
export type GatheringDeps = {
  readonly queue: StoringQueue
  readonly pending: PendingMails
  readonly bounds: LaterBounds
  /** Share of the time for which receiving kept this thread busy since the call before, 0 to 1. */
  readonly busyShare: () => number
  /** Called again and again while mails are stored later. */
  readonly onStoringLater: () => void
}

/**
 * After a batch of some mails the next one is begun a little later, unless many wait already: each
 * batch has a fixed cost.
 */
const GATHER_FROM = 5
const GATHER_TO = 64
const GATHER_MS = 8

/** How often it is looked at whether this thread is still busy. */
const BUSY_MS = 25

/** Longest time for which a mail is stored later. */
const LATER_MS = 2_000

/** Lets mails gather between two batches. */
export class Gathering {
  readonly #deps: GatheringDeps
  #end: (() => void) | null = null
  /** Whether everything is to be stored as soon as possible. */
  isHurried = false

  constructor(deps: GatheringDeps) {
    this.#deps = deps
  }

  /**
   * Lets more mails arrive for the batch after this one, and while receiving is busy many more,
   * until somebody needs one of them.
   */
  async gather(batch: readonly Entry[]): Promise<void> {
    const { queue, bounds, busyShare, onStoringLater } = this.#deps
    const isLarge = batch.length >= GATHER_FROM && !batch.some(({ isAwaited }) => isAwaited)
    if (isLarge && queue.length < GATHER_TO) await this.#pause(GATHER_MS)
    while (this.#mayStoreLater() && busyShare() >= bounds.laterFromShare) {
      onStoringLater()
      await this.#pause(BUSY_MS)
    }
  }

  /** Begins the next batch at once, if one of its mails is needed. */
  end(): void {
    this.#end?.()
  }

  #mayStoreLater(): boolean {
    const { queue, pending } = this.#deps
    const { sinceMs } = queue
    if (this.isHurried || sinceMs === null || queue.hasNeeded()) return false
    return !pending.areMany && elapsedMs() - sinceMs < LATER_MS
  }

  async #pause(ms: number): Promise<void> {
    if (this.isHurried || this.#deps.queue.hasNeeded()) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, ms)
    this.#end = resolve
    await promise
    this.#end = null
    clearTimeout(timer)
  }
}
