import type { RateAddition, RateWindow } from '../../store/tables/rate-windows.ts'

/** Where requests are counted: in the store when several nodes share it, else in memory. */
export type WindowCounter = {
  /** Adds to the windows of several names, each named once. */
  add(additions: readonly RateAddition[]): Promise<readonly RateWindow[]>
  /** Deletes windows that have ended. */
  deleteEnded(now: number): Promise<void>
}

type Window = {
  readonly windowMs: number
  /** How many were counted in each part, by its start. */
  readonly slots: Map<number, number>
}

/** Counts in memory, for a service of one node. */
export class MemoryWindows implements WindowCounter {
  readonly #windows = new Map<string, Window>()

  async add(additions: readonly RateAddition[]): Promise<readonly RateWindow[]> {
    return additions.map(({ name, windowMs, count, slot }) => {
      const { slots } = this.#windows.get(name) ?? { slots: new Map<number, number>() }
      slots.set(slot, (slots.get(slot) ?? 0) + count)
      this.#windows.set(name, { windowMs, slots })
      let [startedAt, used] = [slot, 0]
      for (const [start, counted] of slots) {
        if (Math.abs(start - slot) >= windowMs) continue
        startedAt = Math.min(startedAt, start)
        used += counted
      }
      return { name, startedAt, used }
    })
  }

  async deleteEnded(now: number): Promise<void> {
    for (const [name, { slots, windowMs }] of this.#windows) {
      for (const start of slots.keys()) if (start + windowMs <= now) slots.delete(start)
      if (slots.size === 0) this.#windows.delete(name)
    }
  }
}
