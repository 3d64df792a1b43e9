import type { AccountId } from '@mayfly/contract'
import type { Clock } from '../../platform/clock.ts'
import type { WaitSlots } from '../../store/tables/wait-slots.ts'
import { disposableOnce, type WaitSlot, type WaitSlotHolder } from './wait-slots.ts'

/** How long a slot stays held after its node last renewed it. */
const LEASE_MS = 60_000

/** How often a node renews its leases: three times within each. */
export const RENEW_WAIT_SLOTS_MS = 20_000

/** Leases that are renewed in one statement, so that each is short. */
const RENEWED_AT_ONCE = 5_000

/**
 * Where the numbers of each kind of slots begin: they share a table. Below the second are those of
 * waits, as many as a plan may have.
 */
export const SLOT_NUMBERS = { waits: 0, streams: 1_000_000_000, links: 2_000_000_000 } as const

/** What leased slots need. */
export type LeasedWaitSlotsDeps = {
  readonly store: { readonly waitSlots: WaitSlots }
  readonly clock: Clock
  readonly kind: keyof typeof SLOT_NUMBERS
  /** Unique to this run of this node. */
  readonly node: string
  /** Called when a slot could not be released; its lease then expires. */
  readonly onReleaseFailed: (error: unknown) => void
}

/**
 * Counts slots in the store, for several nodes.
 *
 * An account has as many numbered slots as its limit. The number is part of the primary key, so
 * that no two waits have the same slot, and none has one above the limit.
 */
export class LeasedWaitSlots implements WaitSlotHolder {
  readonly #deps: LeasedWaitSlotsDeps
  #taken = 0
  /**
   * The tokens of slots that are held. Only these are renewed: a slot whose release failed, or
   * whose claim got no response, must expire.
   */
  readonly #held = new Set<string>()

  constructor(deps: LeasedWaitSlotsDeps) {
    this.#deps = deps
  }

  async take(accountId: AccountId, limit: number): Promise<WaitSlot | null> {
    const { store, clock, node, kind } = this.#deps
    const now = clock.now()
    this.#taken += 1
    const token = `${node}-${kind}-${this.#taken}`
    const numbers = { above: SLOT_NUMBERS[kind], count: limit }
    const held = new Set(await store.waitSlots.listHeld(accountId, numbers, now))
    const all = Array.from({ length: limit }, (_, i) => numbers.above + i + 1)
    const free = all.filter((number) => !held.has(number))
    // Each call begins with another slot, so that concurrent calls do not all try the same one.
    const start = free.length === 0 ? 0 : this.#taken % free.length
    for (const number of [...free.slice(start), ...free.slice(0, start)]) {
      const claim = { number, token, node, leasedUntil: now + LEASE_MS, now }
      if (await store.waitSlots.claim(accountId, claim)) {
        this.#held.add(token)
        return disposableOnce(() => this.#release(accountId, number, token))
      }
    }
    return null
  }

  /** Renews the leases of all slots that are held. */
  async renew(): Promise<void> {
    const { store, clock, node } = this.#deps
    const leasedUntil = clock.now() + LEASE_MS
    const tokens = [...this.#held]
    for (let start = 0; start < tokens.length; start += RENEWED_AT_ONCE) {
      const renewed = tokens.slice(start, start + RENEWED_AT_ONCE)
      await store.waitSlots.renew(node, renewed, leasedUntil)
    }
  }

  async #release(accountId: AccountId, number: number, token: string): Promise<void> {
    this.#held.delete(token)
    try {
      await this.#deps.store.waitSlots.release(accountId, number, token)
    } catch (error) {
      this.#deps.onReleaseFailed(error)
    }
  }
}
