import type { AccountId } from '@mayfly/contract'
import type { SlotKind } from '../../store/schema.ts'

/** One of the limited slots of a kind that an account has, taken until it is disposed of. */
export type Slot = AsyncDisposable

/** Where slots are counted: in the store when several nodes share it, else in memory. */
export type SlotHolder = {
  /** A slot, or null when all are taken. Releasing it never throws. */
  take(accountId: AccountId, kind: SlotKind, limit: number): Promise<Slot | null>
}

/** Counts slots in memory, for a service of one node. */
export class MemorySlots implements SlotHolder {
  readonly #taken = new Map<string, number>()

  async take(accountId: AccountId, kind: SlotKind, limit: number): Promise<Slot | null> {
    const name = `${kind} ${accountId}`
    const taken = this.#taken.get(name) ?? 0
    if (taken >= limit) return null
    this.#taken.set(name, taken + 1)
    return disposableOnce(async () => this.#release(name))
  }

  #release(name: string): void {
    const remaining = (this.#taken.get(name) ?? 0) - 1
    if (remaining > 0) this.#taken.set(name, remaining)
    else this.#taken.delete(name)
  }
}

/** A slot that is released the first time it is disposed of. */
export function disposableOnce(dispose: () => Promise<void>): Slot {
  let isDisposed = false
  return {
    [Symbol.asyncDispose]: async () => {
      if (isDisposed) return
      isDisposed = true
      await dispose()
    },
  }
}
