import type { Limits, Plan } from '@mayfly/contract'
import type { Clock } from '../../platform/clock.ts'
import type { Store } from '../../store/open.ts'

/** What the sweep needs. */
export type SweepDeps = {
  readonly store: Store
  readonly clock: Clock
  readonly limitsOf: (plan: Plan) => Limits
}

const PLANS: readonly Plan[] = ['key_only', 'connected', 'unlimited']
const DAY_MS = 24 * 60 * 60 * 1000

/** Inboxes purged in one transaction, so that a sweep does not hold the writer lock for long. */
const BATCH = 50

/** How long the delivery log and disabled webhooks are kept. */
const LOG_DAYS = 30
const LOG_BATCH = 1_000

/** Purges what is older than the retention of its plan; returns the number of inboxes. */
export async function sweepExpired(deps: SweepDeps): Promise<number> {
  const now = deps.clock.now()
  let purged = 0
  for (const plan of PLANS) {
    const { retentionDays } = deps.limitsOf(plan)
    if (retentionDays !== null) purged += await sweepPlan(deps, plan, now - retentionDays * DAY_MS)
  }
  await deps.store.idempotencyKeys.deleteOld(now)
  await sweepDeliveries(deps, now - LOG_DAYS * DAY_MS)
  return purged
}

async function sweepDeliveries({ store }: SweepDeps, before: number): Promise<void> {
  let deleted: number
  do deleted = await store.deliveries.deleteOld(before, LOG_BATCH)
  while (deleted === LOG_BATCH)
  await store.webhooks.deleteDisabled(before)
}

async function sweepPlan(deps: SweepDeps, plan: Plan, before: number): Promise<number> {
  let purged = 0
  for (;;) {
    const count = await deps.store.transaction(async (tx) => {
      const inboxes = await tx.inboxes.listExpired(plan, before, BATCH)
      for (const { id, accountId } of inboxes) {
        const content = await tx.inboxes.purge(accountId, id)
        if (content !== null) await tx.mails.deleteUnshared(content.mailIds)
      }
      return inboxes.length
    })
    purged += count
    if (count < BATCH) return purged
  }
}
