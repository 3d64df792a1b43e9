import type { WebhookId } from '@mayfly/contract'
import type { Clock } from '../../platform/clock.ts'
import type { Store } from '../../store/open.ts'
import type { EventToSend } from './attempt.ts'

/** What claiming needs. */
export type ClaimDeps = {
  readonly store: Store
  readonly clock: Clock
  /** How long a claim holds; see LEASE_MS. */
  readonly leaseMs: number
}

/** An event that is ours to send until the lease runs out. */
export type ClaimedEvent = EventToSend & {
  readonly webhookId: WebhookId
  readonly leasedUntil: number
}

/** What was claimed, and whether more may be due than was taken. */
export type Claim = { readonly events: readonly ClaimedEvent[]; readonly hasMore: boolean }

/** Attempts under way to one endpoint, on all nodes together. */
export const ENDPOINT_MAX = 10

/**
 * How long a claim holds: an attempt takes 10 s at the most, and as much again is left for writing
 * it down and for clocks of nodes that differ. After a crash its deliveries wait this long.
 */
export const LEASE_MS = 30_000

/**
 * Claims what is due to a webhook, at most `limit`.
 *
 * The webhook is held while its deliveries are counted and claimed: two nodes that count at once
 * would both see the last place.
 */
export async function claimDue(
  deps: ClaimDeps,
  webhookId: WebhookId,
  limit: number,
): Promise<Claim> {
  const now = deps.clock.now()
  return deps.store.transaction(async (tx) => {
    const endpoint = await tx.dispatches.holdEndpoint(webhookId)
    if (endpoint === null) {
      await tx.dispatches.endPending(webhookId)
      return { events: [], hasMore: false }
    }
    const leased = await tx.dispatches.countLeased(webhookId, now)
    const room = Math.min(limit, ENDPOINT_MAX - leased)
    if (room <= 0) return { events: [], hasMore: true }
    const leasedUntil = now + deps.leaseMs
    const claimed = await tx.dispatches.claim(webhookId, { now, leasedUntil, limit: room })
    return {
      events: claimed.map((delivery) => ({ ...delivery, webhookId, ...endpoint })),
      hasMore: claimed.length === room,
    }
  })
}
