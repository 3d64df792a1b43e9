import type { AccountId } from '@mayfly/contract'
import type { Clock } from '../../platform/clock.ts'
import type { SlotKind } from '../../store/schema.ts'
import type { ClaimedSlot, Slots } from '../../store/tables/slots.ts'
import { disposableOnce, type Slot, type SlotHolder } from './slots.ts'

/** How long a slot stays taken after its node last renewed it. */
const LEASE_MS = 60_000

/** How often a node renews its leases: three times within each. */
export const RENEW_SLOTS_MS = 20_000

export type LeasedSlotsDeps = {
  readonly store: { readonly slots: Slots }
  readonly clock: Clock
  /** Unique to this run of this node. */
  readonly node: string
  /** Called when a slot could not be released; its lease then expires. */
  readonly onReleaseFailed: (error: unknown) => void
}

/**
 * Counts slots in the store, for several nodes.
 *
 * An account has as many numbered slots of a kind as its limit. The number is part of the primary
 * key, so that no two holders have the same slot, and none has one above the limit.
 */
export class LeasedSlots implements SlotHolder {
  readonly #deps: LeasedSlotsDeps
  #taken = 0
  /**
   * The tokens of taken slots. Only these are renewed: a slot whose release failed, or whose claim
   * got no response, must expire.
   */
  readonly #tokens = new Set<string>()

  constructor(deps: LeasedSlotsDeps) {
    this.#deps = deps
  }

  async take(accountId: AccountId, kind: SlotKind, limit: number): Promise<Slot | null> {
    const { store, clock, node } = this.#deps
    const now = clock.now()
    this.#taken += 1
    const token = `${node}-${this.#taken}`
    const taken = new Set(await store.slots.listTaken(accountId, kind, now))
    const numbers = Array.from({ length: limit }, (_, i) => i + 1)
    const free = numbers.filter((number) => !taken.has(number))
    // Each call begins with another slot, so that concurrent calls do not all try the same one.
    const start = free.length === 0 ? 0 : this.#taken % free.length
    for (const number of [...free.slice(start), ...free.slice(0, start)]) {
      const slot = { kind, number, token }
      if (await store.slots.claim(accountId, { ...slot, node, leasedUntil: now + LEASE_MS, now })) {
        this.#tokens.add(token)
        return disposableOnce(() => this.#release(accountId, slot))
      }
    }
    return null
  }

  /** Renews the leases of all taken slots. */
  async renew(): Promise<void> {
    const { store, clock, node } = this.#deps
    if (this.#tokens.size === 0) return
    await store.slots.renew(node, [...this.#tokens], clock.now() + LEASE_MS)
  }

  async #release(accountId: AccountId, slot: ClaimedSlot): Promise<void> {
    this.#tokens.delete(slot.token)
    try {
      await this.#deps.store.slots.release(accountId, slot)
    } catch (error) {
      this.#deps.onReleaseFailed(error)
    }
  }
}
