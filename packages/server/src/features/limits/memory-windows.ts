import type { RateTake, RateWindow } from '../../store/tables/rate-windows.ts'

/** Where takes are counted: the store when nodes count together, else this node's memory. */
export type WindowCounter = {
  take(takes: readonly RateTake[]): Promise<readonly RateWindow[]>
  /** Forgets windows that are over. */
  forgetEnded(now: number): Promise<void>
}

type Window = { readonly windowMs: number; readonly startedAt: number; used: number }

/** Counts in memory what the store counts in its table: enough where one node is all there is. */
export class MemoryWindows implements WindowCounter {
  readonly #windows = new Map<string, Window>()

  async take(takes: readonly RateTake[]): Promise<readonly RateWindow[]> {
    return takes.map(({ name, windowMs, count, now }) => {
      const known = this.#windows.get(name)
      const isOpen = known !== undefined && Math.abs(now - known.startedAt) < known.windowMs
      const window = isOpen ? known : { windowMs, startedAt: now, used: 0 }
      window.used += count
      if (!isOpen) this.#windows.set(name, window)
      return { name, startedAt: window.startedAt, used: window.used }
    })
  }

  async forgetEnded(now: number): Promise<void> {
    for (const [name, { startedAt, windowMs }] of this.#windows) {
      if (startedAt + windowMs <= now) this.#windows.delete(name)
    }
  }
}
