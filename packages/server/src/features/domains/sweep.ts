import type { Store } from '../../store/open.ts'
import { lookUpRecords } from './records.ts'
import { removeLapsed } from './register.ts'
import { RETRY_MS } from './state.ts'
import { type CheckDomainDeps, recordCheck } from './verify.ts'

/** Domains checked in one sweep: few enough to finish within a minute when DNS is slow. */
const CHECKS_MAX = 100

/** Domains checked at the same time. */
const CONCURRENT_CHECKS = 10

/** How many claims lapsed and how many domains were checked. */
export type DomainSweep = { readonly lapsed: number; readonly checked: number }

/**
 * Removes claims that lapsed, and checks domains that are due.
 *
 * A due domain is claimed before its check, so that only one of several nodes makes it.
 */
export async function sweepDomains(
  deps: Omit<CheckDomainDeps, 'store'> & { readonly store: Store },
): Promise<DomainSweep> {
  const { store, clock } = deps
  const now = clock.now()
  const lapsed = await store.transaction((tx) => removeLapsed(tx, now))
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
  return { lapsed, checked }
}
