import type { Store } from '../../store/open.ts'
import { lookUpRecords } from './records.ts'
import { finishRemoval } from './remove.ts'
import { CLAIM_MS, RETRY_MS } from './state.ts'
import { type CheckDomainDeps, recordCheck } from './verify.ts'

/** Domains checked in one sweep: few enough to finish within a minute when DNS is slow. */
const CHECKS_MAX = 100

/** Domains checked at the same time. */
const CONCURRENT_CHECKS = 10

/** How many domains were removed and how many were checked. */
export type DomainSweep = { readonly removed: number; readonly checked: number }

/**
 * Removes claims that lapsed and domains whose deletion was interrupted, and checks domains that
 * are due.
 *
 * A due domain is claimed before its check, so that only one of several nodes makes it. A failed
 * removal does not keep other domains from being removed and checked: it is thrown at the end.
 */
export async function sweepDomains(
  deps: Omit<CheckDomainDeps, 'store'> & {
    readonly store: Store
    /** Whether the service is stopping; the rest is done after its next start. */
    readonly isStopped: () => boolean
  },
): Promise<DomainSweep> {
  const { store, clock, isStopped } = deps
  const now = clock.now()
  const failures: unknown[] = []
  let removed = 0
  await store.domains.removeLapsed(now - CLAIM_MS)
  for (const domain of await store.domains.listRemoved()) {
    try {
      if (await finishRemoval(store, domain, { now, isStopped })) removed += 1
    } catch (error) {
      failures.push(error)
    }
  }
  const due = await store.domains.takeDue({ now, retryAt: now + RETRY_MS, limit: CHECKS_MAX })
  let checked = 0
  const work = due.values()
  const checkNext = async () => {
    for (const domain of work) {
      const records = await lookUpRecords(deps.dns, domain, deps.mailHost)
      if (records === null) continue
      await recordCheck(deps, domain, records)
      checked += 1
    }
  }
  await Promise.all(Array.from({ length: CONCURRENT_CHECKS }, checkNext))
  if (failures.length > 0) throw new AggregateError(failures, 'Domains were not removed.')
  return { removed, checked }
}
