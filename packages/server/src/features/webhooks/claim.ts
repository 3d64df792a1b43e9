import type { WebhookId } from '@mayfly/contract'
import type { Clock } from '../../platform/clock.ts'
import type { Store } from '../../store/open.ts'
import type { EventToSend } from './attempt.ts'
import { failPending } from './fail-pending.ts'

export type ClaimDeps = {
  readonly store: Store
  readonly clock: Clock
  /** How long a claim lasts; see LEASE_MS. */
  readonly leaseMs: number
}

/** An event that only this process sends until its lease expires. */
export type ClaimedEvent = EventToSend & {
  readonly webhookId: WebhookId
  readonly leasedUntil: number
}

/** The claimed events, and whether more may be due. */
export type Claim = { readonly events: readonly ClaimedEvent[]; readonly hasMore: boolean }

/** Attempts in flight to one endpoint, on all nodes together. */
export const ENDPOINT_MAX = 10

/**
 * How long a claim lasts: an attempt takes at most 10 s; the rest is for storing its result and for
 * clocks of nodes that differ. After a crash, claimed deliveries wait this long.
 */
export const LEASE_MS = 30_000

/**
 * Claims at most `limit` due deliveries of a webhook; if it was deleted or disabled, they fail.
 *
 * The webhook is locked while its deliveries are counted and claimed: two nodes that count at the
 * same time would together exceed the limit.
 */
export async function claimDue(
  deps: ClaimDeps,
  webhookId: WebhookId,
  limit: number,
): Promise<Claim> {
  const now = deps.clock.now()
  const claim = await deps.store.transaction(async (tx): Promise<Claim | null> => {
    const endpoint = await tx.dispatches.lockEndpoint(webhookId)
    if (endpoint === null) return null
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
  if (claim !== null) return claim
  await failPending(deps.store, webhookId)
  return { events: [], hasMore: false }
}
