import type { Limits, Plan } from '@mayfly/contract'
import { ServiceError } from '../../errors.ts'
import type { Caller } from '../accounts/authenticate.ts'
import type { Slot, SlotHolder } from './slots.ts'

export type StreamSlotDeps = {
  readonly takeWaitSlot: (caller: Caller) => Promise<Slot>
  readonly slots: SlotHolder
  readonly limitsOf: (plan: Plan) => Limits
}

/** Streams of an account without a limit of waits: each keeps a connection open. */
const UNLIMITED_STREAMS_MAX = 100

/** Seconds for Retry-After; the end of the next stream is unknown. */
const RETRY_SECONDS = 5

/** Takes one of the concurrent waits of the caller's account for a stream. */
export async function takeStreamSlot(deps: StreamSlotDeps, caller: Caller): Promise<Slot> {
  if (deps.limitsOf(caller.plan).concurrentWaits !== null) return deps.takeWaitSlot(caller)
  const slot = await deps.slots.take(caller.accountId, 'stream', UNLIMITED_STREAMS_MAX)
  if (slot !== null) return slot
  throw new ServiceError('concurrent_waits_exceeded', {
    message: `An account may have ${UNLIMITED_STREAMS_MAX} open streams at a time. Close one first, or try again in ${RETRY_SECONDS} seconds.`,
    retryAfterSeconds: RETRY_SECONDS,
  })
}
