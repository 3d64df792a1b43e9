import type { RateWindow } from '../../store/tables/rate-windows.ts'

/** Where requests are counted: in the store when several nodes share it, else in memory. */
export type WindowCounter = {
  /** Counts a request in the window of a name; the first one after its end begins the next. */
  count(name: string, windowMs: number, now: number): Promise<RateWindow>
  /** Deletes windows that have ended. */
  deleteEnded(now: number): Promise<void>
}

/**
 * Windows at a time, so that registrations from many addresses take at most 20 MB. The oldest one
 * is dropped.
 */
const WINDOWS_MAX = 100_000

type Window = { readonly startedAt: number; readonly windowMs: number; used: number }

/** Counts in memory, for a service of one node. */
export class MemoryWindows implements WindowCounter {
  /** In the order in which they began. */
  readonly #windows = new Map<string, Window>()

  async count(name: string, windowMs: number, now: number): Promise<RateWindow> {
    const window = this.#windows.get(name)
    // In both directions: a window that begins in the future is from before a clock was set back.
    if (window === undefined || Math.abs(now - window.startedAt) >= windowMs) {
      return this.#begin(name, windowMs, now)
    }
    window.used += 1
    return { startedAt: window.startedAt, used: window.used }
  }

  async deleteEnded(now: number): Promise<void> {
    for (const [name, { startedAt, windowMs }] of this.#windows) {
      if (startedAt + windowMs <= now) this.#windows.delete(name)
    }
  }

  #begin(name: string, windowMs: number, startedAt: number): RateWindow {
    this.#windows.delete(name)
    const [oldest] = this.#windows.keys()
    if (oldest !== undefined && this.#windows.size >= WINDOWS_MAX) this.#windows.delete(oldest)
    this.#windows.set(name, { startedAt, windowMs, used: 1 })
    return { startedAt, used: 1 }
  }
}
