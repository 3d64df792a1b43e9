import type { Clock } from '../../platform/clock.ts'
import type { RateTake, RateWindow } from '../../store/tables/rate-windows.ts'
import type { WindowCounter } from './memory-windows.ts'

/** So many within a window, which begins with the first and is new when it is over. */
export type Rate = { readonly name: string; readonly limit: number; readonly windowMs: number }

/** Whether one more may go on, and what is left to those that follow. */
export type Admission = {
  readonly isAdmitted: boolean
  readonly limit: number
  readonly windowSeconds: number
  readonly remaining: number
  readonly resetSeconds: number
}

type PendingAdmission = {
  readonly rate: Rate
  readonly resolve: (admission: Admission) => void
  readonly reject: (error: unknown) => void
}

/** Rates in one statement; far fewer than a statement may have parameters. */
const NAMES_PER_TAKE_MAX = 100

/**
 * Admits requests up to a rate, exactly, on however many nodes.
 *
 * At most one take is under way: what comes meanwhile is taken together by the next, so that
 * the busier a node is the fewer statements a request costs. A window that is used up is
 * remembered, and refusing on it asks nobody.
 */
export class RateLimiter {
  readonly #clock: Clock
  readonly #counter: WindowCounter
  readonly #usedUp = new Map<string, RateWindow & { readonly windowMs: number }>()
  #requests: PendingAdmission[] = []
  #isTaking = false

  constructor(clock: Clock, counter: WindowCounter) {
    this.#clock = clock
    this.#counter = counter
  }

  /** Asks for one of a rate. */
  async admit(rate: Rate): Promise<Admission> {
    const now = this.#clock.now()
    const window = this.#usedUp.get(rate.name)
    // Compared with the limit of this moment: it may have been raised since.
    if (window !== undefined && window.used >= rate.limit) {
      if (Math.abs(now - window.startedAt) < window.windowMs) {
        return admission(rate, { ...window, place: window.used + 1, now })
      }
      this.#usedUp.delete(rate.name)
    }
    return new Promise((resolve, reject) => {
      this.#requests.push({ rate, resolve, reject })
      if (!this.#isTaking) void this.#takeAll()
    })
  }

  /** Forgets windows that are over. */
  async forgetEnded(): Promise<void> {
    const now = this.#clock.now()
    for (const [name, { startedAt, windowMs }] of this.#usedUp) {
      if (startedAt + windowMs <= now) this.#usedUp.delete(name)
    }
    await this.#counter.forgetEnded(now)
  }

  async #takeAll(): Promise<void> {
    this.#isTaking = true
    while (this.#requests.length > 0) {
      const byName = Map.groupBy(this.#requests, ({ rate }) => rate.name)
      const taken = [...byName].slice(0, NAMES_PER_TAKE_MAX)
      this.#requests = [...byName].slice(NAMES_PER_TAKE_MAX).flatMap(([, requests]) => requests)
      await this.#take(new Map(taken))
    }
    this.#isTaking = false
  }

  async #take(byName: ReadonlyMap<string, readonly PendingAdmission[]>): Promise<void> {
    const now = this.#clock.now()
    try {
      const windows = await this.#counter.take(
        [...byName].flatMap(([name, requests]): RateTake[] => {
          const windowMs = requests[0]?.rate.windowMs ?? 0
          return [{ name, windowMs, count: requests.length, now }]
        }),
      )
      for (const window of windows) this.#answer(byName.get(window.name) ?? [], window, now)
    } catch (error) {
      for (const requests of byName.values()) for (const { reject } of requests) reject(error)
    }
  }

  /** The requests of one take have the last places of the window, first come first. */
  #answer(requests: readonly PendingAdmission[], window: RateWindow, now: number): void {
    const placesBefore = window.used - requests.length
    for (const [index, { rate, resolve }] of requests.entries()) {
      if (window.used >= rate.limit) {
        this.#usedUp.set(window.name, { ...window, windowMs: rate.windowMs })
      }
      resolve(admission(rate, { ...window, place: placesBefore + index + 1, now }))
    }
  }
}

function admission(
  rate: Rate,
  at: { readonly startedAt: number; readonly place: number; readonly now: number },
): Admission {
  const resetMs = at.startedAt + rate.windowMs - at.now
  return {
    isAdmitted: at.place <= rate.limit,
    limit: rate.limit,
    windowSeconds: rate.windowMs / 1000,
    remaining: Math.max(0, rate.limit - at.place),
    resetSeconds: Math.max(1, Math.ceil(resetMs / 1000)),
  }
}
