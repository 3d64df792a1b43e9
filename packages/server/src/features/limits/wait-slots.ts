import type { AccountId, Limits, Plan } from '@mayfly/contract'
import { ServiceError } from '../../errors.ts'
import type { Caller } from '../accounts/authenticate.ts'

/** A place among an account's concurrent waits, held until it is disposed of. */
export type WaitSlot = AsyncDisposable

/** Where places are counted: the store when nodes count together, else this node's memory. */
export type WaitSlotHolder = {
  /** A place, or null when all are held. */
  take(accountId: AccountId, limit: number): Promise<WaitSlot | null>
}

/** What taking a place needs. */
export type WaitSlotDeps = {
  readonly waitSlots: WaitSlotHolder
  readonly limitsOf: (plan: Plan) => Limits
}

/** A place comes free when any wait ends; nobody knows when. */
const RETRY_SECONDS = 1

/** For who has as many places as he likes. */
const UNCOUNTED: WaitSlot = { [Symbol.asyncDispose]: async () => {} }

/**
 * Takes a place among the concurrent waits of the caller's account.
 *
 * Write `await using slot = await takeWaitSlot(caller)` around the wait: the place is given
 * back however the wait ends, before its answer is sent, so that a client that waits again
 * at once finds it free. Giving back never throws.
 */
export async function takeWaitSlot(deps: WaitSlotDeps, caller: Caller): Promise<WaitSlot> {
  const { concurrentWaits } = deps.limitsOf(caller.plan)
  if (concurrentWaits === null) return UNCOUNTED
  const slot = await deps.waitSlots.take(caller.accountId, concurrentWaits)
  if (slot === null) {
    throw new ServiceError('concurrent_waits_exceeded', {
      message: `The plan of this account allows ${concurrentWaits} waits at a time. Try again when one has ended.`,
      retryAfterSeconds: RETRY_SECONDS,
    })
  }
  return slot
}

/** Counts places in memory: enough where one node is all there is. */
export class MemoryWaitSlots implements WaitSlotHolder {
  readonly #held = new Map<AccountId, number>()

  async take(accountId: AccountId, limit: number): Promise<WaitSlot | null> {
    const held = this.#held.get(accountId) ?? 0
    if (held >= limit) return null
    this.#held.set(accountId, held + 1)
    return disposableOnce(async () => this.#giveBack(accountId))
  }

  #giveBack(accountId: AccountId): void {
    const left = (this.#held.get(accountId) ?? 0) - 1
    if (left > 0) this.#held.set(accountId, left)
    else this.#held.delete(accountId)
  }
}

/** A place that is given back the first time it is disposed of. */
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
