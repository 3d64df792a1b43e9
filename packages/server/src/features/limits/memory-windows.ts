import type { RateAddition, RateWindow } from '../../store/tables/rate-windows.ts'

/** Where requests are counted: in the store when several nodes share it, else in memory. */
export type WindowCounter = {
  /** Adds to the windows of several names, each named once. */
  add(additions: readonly RateAddition[]): Promise<readonly RateWindow[]>
  /** The same for one window, where nothing has to be waited for. */
  addNow?(addition: RateAddition): RateWindow
  /** Deletes windows that have ended. */
  deleteEnded(now: number): Promise<void>
}

type Window = {
  readonly windowMs: number
  /** How many were counted in each part, by its start. */
  readonly slots: Map<number, number>
  /** The sum at the last addition, for the next one to the same part. */
  sum: { readonly slot: number; readonly startedAt: number; used: number } | null
}

/** Counts in memory, for a service of one node. */
export class MemoryWindows implements WindowCounter {
  readonly #windows = new Map<string, Window>()

  async add(additions: readonly RateAddition[]): Promise<readonly RateWindow[]> {
    return additions.map((addition) => this.addNow(addition))
  }

  addNow({ name, windowMs, count, slot }: RateAddition): RateWindow {
    let window = this.#windows.get(name)
    if (window === undefined || window.windowMs !== windowMs) {
      window = { windowMs, slots: window?.slots ?? new Map(), sum: null }
      this.#windows.set(name, window)
    }
    window.slots.set(slot, (window.slots.get(slot) ?? 0) + count)
    if (window.sum?.slot === slot) window.sum.used += count
    else window.sum = sumAt(window, slot)
    const { startedAt, used } = window.sum
    return { name, startedAt, used }
  }

  async deleteEnded(now: number): Promise<void> {
    for (const [name, window] of this.#windows) {
      const { slots, windowMs } = window
      for (const start of slots.keys()) if (start + windowMs <= now) slots.delete(start)
      window.sum = null
      if (slots.size === 0) this.#windows.delete(name)
    }
  }
}

function sumAt({ slots, windowMs }: Window, slot: number): NonNullable<Window['sum']> {
  let [startedAt, used] = [slot, 0]
  for (const [start, counted] of slots) {
    if (Math.abs(start - slot) >= windowMs) continue
    startedAt = Math.min(startedAt, start)
    used += counted
  }
  return { slot, startedAt, used }
}
