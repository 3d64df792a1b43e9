import type { RateAddition, RateWindow } from '../../store/tables/rate-windows.ts'

/** Where requests are counted: in the store when several nodes share it, else in memory. */
export type WindowCounter = {
  /** Adds to the windows of several names, each named once. */
  add(additions: readonly RateAddition[]): Promise<readonly RateWindow[]>
  /** Deletes windows that have ended. */
  deleteEnded(now: number): Promise<void>
}

type Window = { readonly windowMs: number; readonly startedAt: number; used: number }

/** Counts in memory, for a service of one node. */
export class MemoryWindows implements WindowCounter {
  readonly #windows = new Map<string, Window>()

  async add(additions: readonly RateAddition[]): Promise<readonly RateWindow[]> {
    return additions.map(({ name, windowMs, count, now }) => {
      const known = this.#windows.get(name)
      const isOpen = known !== undefined && Math.abs(now - known.startedAt) < known.windowMs
      const window = isOpen ? known : { windowMs, startedAt: now, used: 0 }
      window.used += count
      if (!isOpen) this.#windows.set(name, window)
      return { name, startedAt: window.startedAt, used: window.used }
    })
  }

  async deleteEnded(now: number): Promise<void> {
    for (const [name, { startedAt, windowMs }] of this.#windows) {
      if (startedAt + windowMs <= now) this.#windows.delete(name)
    }
  }
}
