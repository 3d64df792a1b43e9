import type { AccountId, Limits, Plan } from '@mayfly/contract'
import { ServiceError } from '../../errors.ts'
import type { Caller } from '../accounts/authenticate.ts'
import { limitReached } from './limit-reached.ts'

/** One of an account's concurrent waits, held until it is disposed of. */
export type WaitSlot = AsyncDisposable

/** Where slots are counted: in the store when several nodes share it, else in memory. */
export type WaitSlotHolder = {
  /** A slot, or null when all are held. */
  take(accountId: AccountId, limit: number): Promise<WaitSlot | null>
}

/** What taking a slot needs. */
export type WaitSlotDeps = {
  readonly waitSlots: WaitSlotHolder
  readonly limitsOf: (plan: Plan) => Limits
}

/** Seconds for Retry-After; when the next wait ends is not known. */
const RETRY_SECONDS = 1

/** The slot of an account without a limit. */
const UNCOUNTED: WaitSlot = { [Symbol.asyncDispose]: async () => {} }

/**
 * Takes one of the concurrent waits of the caller's account.
 *
 * Write `await using slot = await takeWaitSlot(caller)` around the wait: the slot is released
 * however the wait ends, before the response is sent, so that a client that waits again at once
 * finds it free. Releasing never throws.
 */
export async function takeWaitSlot(deps: WaitSlotDeps, caller: Caller): Promise<WaitSlot> {
  const { concurrentWaits } = deps.limitsOf(caller.plan)
  if (concurrentWaits === null) return UNCOUNTED
  const slot = await deps.waitSlots.take(caller.accountId, concurrentWaits)
  if (slot === null) {
    throw new ServiceError('concurrent_waits_exceeded', {
      message: limitReached({
        plan: caller.plan,
        limit: 'concurrentWaits',
        amount: `${concurrentWaits} waits at a time`,
        retryAfterSeconds: RETRY_SECONDS,
      }),
      retryAfterSeconds: RETRY_SECONDS,
    })
  }
  return slot
}

/** Counts slots in memory, for a service of one node. */
export class MemoryWaitSlots implements WaitSlotHolder {
  readonly #held = new Map<AccountId, number>()

  async take(accountId: AccountId, limit: number): Promise<WaitSlot | null> {
    const held = this.#held.get(accountId) ?? 0
    if (held >= limit) return null
    this.#held.set(accountId, held + 1)
    return disposableOnce(async () => this.#release(accountId))
  }

  #release(accountId: AccountId): void {
    const left = (this.#held.get(accountId) ?? 0) - 1
    if (left > 0) this.#held.set(accountId, left)
    else this.#held.delete(accountId)
  }
}

/** A slot that is released the first time it is disposed of. */
export function disposableOnce(dispose: () => Promise<void>): WaitSlot {
  let isDisposed = false
  return {
    [Symbol.asyncDispose]: async () => {
      if (isDisposed) return
      isDisposed = true
      await dispose()
    },
  }
}
