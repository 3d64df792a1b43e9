import type { Clock } from '../../platform/clock.ts'
import type { RateAddition, RateWindow } from '../../store/tables/rate-windows.ts'
import type { WindowCounter } from './memory-windows.ts'

/** A limit of requests within any window of a length. */
export type Rate = { readonly name: string; readonly limit: number; readonly windowMs: number }

/** Whether a request is within its limit, and what is left of it. */
export type RateLimitResult = {
  readonly isAllowed: boolean
  readonly limit: number
  readonly windowSeconds: number
  readonly remaining: number
  readonly resetSeconds: number
}

type PendingRequest = {
  readonly rate: Rate
  readonly resolve: (result: RateLimitResult) => void
  readonly reject: (error: unknown) => void
}

/** Parts of a window. Requests leave it by parts, so that not each has to be kept. */
const SLOTS = 60

/** The part of a window that a time lies in, by its start. */
function slotOf(now: number, windowMs: number): number {
  const slotMs = windowMs / SLOTS
  return Math.floor(now / slotMs) * slotMs
}

/** Names in one statement; far fewer than a statement may have parameters. */
const NAMES_PER_BATCH_MAX = 100

/**
 * Limits requests exactly, on one node or several.
 *
 * One batch is counted at a time; requests that come meanwhile form the next batch, so that a busy
 * node needs fewer statements for each request. A window that is used up is kept in memory, and
 * refusals need no query until its oldest requests leave it.
 */
export class RateLimiter {
  readonly #clock: Clock
  readonly #counter: WindowCounter
  readonly #usedUp = new Map<string, RateWindow & { readonly windowMs: number }>()
  #pending: PendingRequest[] = []
  #isCounting = false

  constructor(clock: Clock, counter: WindowCounter) {
    this.#clock = clock
    this.#counter = counter
  }

  /** Counts one request; at once when the counter is in memory. */
  consume(rate: Rate): RateLimitResult | Promise<RateLimitResult> {
    const now = this.#clock.now()
    const window = this.#usedUp.get(rate.name)
    // Compared with the current limit: it may have been raised since.
    if (window !== undefined && window.used >= rate.limit) {
      if (Math.abs(now - window.startedAt) < window.windowMs) {
        return limitResult(rate, { ...window, position: window.used + 1, now })
      }
      this.#usedUp.delete(rate.name)
    }
    const counted = this.#countNow(rate, now)
    if (counted !== null) return counted
    return new Promise((resolve, reject) => {
      this.#pending.push({ rate, resolve, reject })
      if (!this.#isCounting) void this.#countAll()
    })
  }

  /** Deletes windows that have ended. */
  async deleteEnded(): Promise<void> {
    const now = this.#clock.now()
    for (const [name, { startedAt, windowMs }] of this.#usedUp) {
      if (startedAt + windowMs <= now) this.#usedUp.delete(name)
    }
    await this.#counter.deleteEnded(now)
  }

  #countNow(rate: Rate, now: number): RateLimitResult | null {
    const { name, windowMs } = rate
    const addition = { name, windowMs, count: 1, slot: slotOf(now, windowMs) }
    const window = this.#counter.addNow?.(addition)
    if (window === undefined) return null
    const result = limitResult(rate, { ...window, position: window.used, now })
    // A refused request must not delay the next that is allowed.
    if (!result.isAllowed) this.#counter.addNow?.({ ...addition, count: -1 })
    this.#noteUse(rate, { ...window, used: window.used - (result.isAllowed ? 0 : 1) })
    return result
  }

  async #countAll(): Promise<void> {
    this.#isCounting = true
    // Keys of requests that arrived together were found together: they are counted together.
    await null
    while (this.#pending.length > 0) {
      const byName = [...Map.groupBy(this.#pending, ({ rate }) => rate.name)]
      const batch = byName.slice(0, NAMES_PER_BATCH_MAX)
      this.#pending = byName.slice(NAMES_PER_BATCH_MAX).flatMap(([, requests]) => requests)
      await this.#countBatch(new Map(batch))
    }
    this.#isCounting = false
  }

  async #countBatch(byName: ReadonlyMap<string, readonly PendingRequest[]>): Promise<void> {
    const now = this.#clock.now()
    const additionOf = (name: string, count: number): RateAddition => {
      const windowMs = byName.get(name)?.[0]?.rate.windowMs ?? 0
      return { name, windowMs, count, slot: slotOf(now, windowMs) }
    }
    try {
      const windows = await this.#counter.add(
        [...byName].map(([name, requests]) => additionOf(name, requests.length)),
      )
      const refused = windows.flatMap((window) => {
        const count = this.#resolve(byName.get(window.name) ?? [], window, now)
        return count === 0 ? [] : [additionOf(window.name, -count)]
      })
      // A refused request must not delay the next that is allowed.
      if (refused.length > 0) await this.#counter.add(refused)
    } catch (error) {
      for (const requests of byName.values()) for (const { reject } of requests) reject(error)
    }
  }

  /**
   * The requests of a batch are the last ones counted in the window, in their order. Returns how
   * many of them are refused.
   */
  #resolve(requests: readonly PendingRequest[], window: RateWindow, now: number): number {
    const usedBefore = window.used - requests.length
    let refused = 0
    for (const [index, { rate, resolve }] of requests.entries()) {
      const result = limitResult(rate, { ...window, position: usedBefore + index + 1, now })
      if (!result.isAllowed) refused += 1
      resolve(result)
    }
    const rate = requests[0]?.rate
    if (rate !== undefined) this.#noteUse(rate, { ...window, used: window.used - refused })
    return refused
  }

  #noteUse({ limit, windowMs }: Rate, window: RateWindow): void {
    if (window.used >= limit) this.#usedUp.set(window.name, { ...window, windowMs })
  }
}

function limitResult(
  rate: Rate,
  request: { readonly startedAt: number; readonly position: number; readonly now: number },
): RateLimitResult {
  const resetMs = request.startedAt + rate.windowMs - request.now
  return {
    isAllowed: request.position <= rate.limit,
    limit: rate.limit,
    windowSeconds: rate.windowMs / 1000,
    remaining: Math.max(0, rate.limit - request.position),
    resetSeconds: Math.max(1, Math.ceil(resetMs / 1000)),
  }
}
