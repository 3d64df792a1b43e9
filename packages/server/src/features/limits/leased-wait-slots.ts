import type { AccountId } from '@mayfly/contract'
import type { Clock } from '../../platform/clock.ts'
import type { WaitSlots } from '../../store/tables/wait-slots.ts'
import { disposableOnce, type WaitSlot, type WaitSlotHolder } from './wait-slots.ts'

/** For how long a place stays held after its node was last heard of. */
const LEASE_MS = 60_000

/** How often a node must say that it lives: three times within a lease. */
export const RENEW_WAIT_SLOTS_MS = 20_000

/** What leased places need. */
export type LeasedWaitSlotsDeps = {
  readonly store: { readonly waitSlots: WaitSlots }
  readonly clock: Clock
  /** A name that no other node and no earlier run of this one has. */
  readonly node: string
  /** Hears why a place could not be given back; its lease will run out. */
  readonly onReleaseFailed: (error: unknown) => void
}

/**
 * Counts places in the store, for nodes that share an account's waits.
 *
 * An account has as many numbered places as its limit; the number is part of the key, so no
 * two waits of any two nodes can have the same one, and there is none past the limit.
 */
export class LeasedWaitSlots implements WaitSlotHolder {
  readonly #deps: LeasedWaitSlotsDeps
  #taken = 0
  #held = 0

  constructor(deps: LeasedWaitSlotsDeps) {
    this.#deps = deps
  }

  async take(accountId: AccountId, limit: number): Promise<WaitSlot | null> {
    const { store, clock, node } = this.#deps
    const now = clock.now()
    this.#taken += 1
    const token = `${node}-${this.#taken}`
    const held = new Set(await store.waitSlots.listHeld(accountId, now))
    const free = Array.from({ length: limit }, (_, i) => i + 1).filter((n) => !held.has(n))
    // Each begins at another place, so that takers at once do not all try the same one.
    const start = free.length === 0 ? 0 : this.#taken % free.length
    for (const number of [...free.slice(start), ...free.slice(0, start)]) {
      const claim = { number, token, node, leasedUntil: now + LEASE_MS, now }
      if (await store.waitSlots.claim(accountId, claim)) {
        this.#held += 1
        return disposableOnce(() => this.#giveBack(accountId, number, token))
      }
    }
    return null
  }

  /** Says that this node lives, for all its places. */
  async renew(): Promise<void> {
    if (this.#held === 0) return
    await this.#deps.store.waitSlots.renew(this.#deps.node, this.#deps.clock.now() + LEASE_MS)
  }

  async #giveBack(accountId: AccountId, number: number, token: string): Promise<void> {
    this.#held -= 1
    try {
      await this.#deps.store.waitSlots.release(accountId, number, token)
    } catch (error) {
      this.#deps.onReleaseFailed(error)
    }
  }
}
