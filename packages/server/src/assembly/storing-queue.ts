// Mails that wait for the storing thread, and which of them come next: those that somebody needs,
// in the order in which they came, then the oldest.

import type { InboxId } from '@mayfly/contract'
import type { Entry } from './storing-entry.ts'

/**
 * Mails and bytes in one transaction. One that is needed waits for the transaction before, and the
 * worst mails take up to 0.2 ms a kilobyte.
 */
export type BatchBounds = { readonly batchMails: number; readonly batchBytes: number }

/** How many others are stored together with those that are needed. */
const BESIDE_NEEDED = 16

/** Mails in front of the storing thread. */
export class StoringQueue {
  readonly #isWatched: (buckets: Entry['buckets']) => boolean
  /** Mails that are not in the spool: each one's sender waits. */
  #unspooled: Entry[] = []
  /** Mails in the spool, the oldest first, after those that were put back. */
  #spooled: Entry[] = []
  /** Inboxes whose mails are to be stored now. */
  readonly #needed = new Set<InboxId>()
  #isCalled = false
  readonly #bounds: BatchBounds

  /** `isWatched` tells whether somebody waits for mails with these counters. */
  constructor(isWatched: (buckets: Entry['buckets']) => boolean, bounds: BatchBounds) {
    this.#isWatched = isWatched
    this.#bounds = bounds
  }

  get length(): number {
    return this.#unspooled.length + this.#spooled.length
  }

  /** Whether some of the mails are needed now. */
  hasNeeded(): boolean {
    if (this.#unspooled.length > 0) return true
    if (!this.#isCalled) return false
    const hasNeeded = this.#spooled.some((entry) => this.#isNeeded(entry))
    if (!hasNeeded) this.#forgetCalls()
    return hasNeeded
  }

  /** Since when the oldest mail of the spool waits; null without one. */
  get sinceMs(): number | null {
    return this.#spooled[0]?.sinceMs ?? null
  }

  /** All mails. */
  entries(): readonly Entry[] {
    return [...this.#spooled, ...this.#unspooled]
  }

  /** The number in the spool up to which no mail waits; null when none of the spool does. */
  get clearTo(): number | null {
    let first = Number.POSITIVE_INFINITY
    for (const { sequence } of this.#spooled) {
      if (sequence !== null && sequence < first) first = sequence
    }
    return Number.isFinite(first) ? first - 1 : null
  }

  add(entry: Entry): void {
    if (entry.sequence === null) this.#unspooled.push(entry)
    else this.#spooled.push(entry)
  }

  /** Puts mails of the spool before all others. */
  putBack(entries: readonly Entry[]): void {
    this.#spooled.unshift(...entries)
  }

  /** Some mails may be needed now: somebody has begun to wait. */
  call(): void {
    this.#isCalled = true
  }

  /** The mails of an inbox are needed now. */
  need(inboxId: InboxId): void {
    this.#needed.add(inboxId)
    this.#isCalled = true
  }

  /** Takes the mails of the next transaction. */
  take(): readonly Entry[] {
    const { batchMails, batchBytes } = this.#bounds
    const needed = this.#takeNeeded()
    const batch = [...needed, ...this.#unspooled.splice(0, batchMails - needed.length)]
    const max = batch.length === 0 ? batchMails : Math.min(batchMails, batch.length + BESIDE_NEEDED)
    let bytes = batch.reduce((sum, entry) => sum + sizeOf(entry), 0)
    let count = 0
    for (const entry of this.#spooled) {
      bytes += sizeOf(entry)
      if (batch.length + count >= max || (bytes > batchBytes && batch.length + count > 0)) break
      count += 1
    }
    return [...batch, ...this.#spooled.splice(0, count)]
  }

  /** Takes one mail, of those that were put back first. */
  takeOne(): readonly Entry[] {
    return this.#spooled.length > 0 ? this.#spooled.splice(0, 1) : this.#unspooled.splice(0, 1)
  }

  /** Takes the mails whose senders have waited since before that time. */
  takeAwaitedBefore(ms: number): readonly Entry[] {
    const isTaken = ({ isAwaited, sinceMs }: Entry) => isAwaited && sinceMs < ms
    const taken = this.entries().filter(isTaken)
    if (taken.length === 0) return []
    this.#spooled = this.#spooled.filter((entry) => !isTaken(entry))
    this.#unspooled = this.#unspooled.filter((entry) => !isTaken(entry))
    return taken
  }

  #takeNeeded(): readonly Entry[] {
    if (!this.#isCalled) return []
    const needed: Entry[] = []
    const others: Entry[] = []
    for (const entry of this.#spooled) {
      const isNext = needed.length < this.#bounds.batchMails && this.#isNeeded(entry)
      if (isNext) needed.push(entry)
      else others.push(entry)
    }
    if (needed.length < this.#bounds.batchMails) this.#forgetCalls()
    this.#spooled = others
    return needed
  }

  #forgetCalls(): void {
    this.#isCalled = false
    this.#needed.clear()
  }

  #isNeeded(entry: Entry): boolean {
    if (entry.isAwaited || this.#isWatched(entry.buckets)) return true
    if (this.#needed.size === 0 || !('accepted' in entry.mail)) return false
    return entry.mail.accepted.recipients.some(({ inboxId }) => this.#needed.has(inboxId))
  }
}

/** The bytes of a mail; a large one, which was composed before, counts as none. */
function sizeOf({ mail }: Entry): number {
  return 'accepted' in mail ? mail.accepted.raw.length : 0
}
