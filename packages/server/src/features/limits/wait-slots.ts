import type { Limits, Plan } from '@mayfly/contract'
import { ServiceError } from '../../errors.ts'
import type { Caller } from '../accounts/authenticate.ts'
import { limitReached } from '../rules/limit-reached.ts'
import type { Slot, SlotHolder } from './slots.ts'

export type WaitSlotDeps = {
  readonly slots: SlotHolder
  readonly limitsOf: (plan: Plan) => Limits
}

/** Seconds for Retry-After; the end of the next wait is unknown. */
const RETRY_SECONDS = 1

/** The slot of an account without a limit. */
const UNCOUNTED: Slot = { [Symbol.asyncDispose]: async () => {} }

/**
 * Takes one of the concurrent waits of the caller's account.
 *
 * Write `await using slot = await takeWaitSlot(caller)` around the wait: the slot is released
 * however the wait ends, before the response is sent, so that a client that waits again at once
 * finds it free.
 */
export async function takeWaitSlot(deps: WaitSlotDeps, caller: Caller): Promise<Slot> {
  const { concurrentWaits } = deps.limitsOf(caller.plan)
  if (concurrentWaits === null) return UNCOUNTED
  const slot = await deps.slots.take(caller.accountId, 'wait', concurrentWaits)
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
