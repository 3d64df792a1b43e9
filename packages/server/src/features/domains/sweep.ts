import type { Store } from '../../store/open.ts'
import { lookUpRecords } from './records.ts'
import { dropLapsed } from './register.ts'
import { RETRY_MS } from './state.ts'
import { type CheckDomainDeps, recordCheck } from './verify.ts'

/** Domains looked at in one sweep: with slow DNS still done within a minute. */
const CHECKS_MAX = 100

/** Domains looked at side by side. */
const CHECKS_AT_ONCE = 10

/** What a sweep did. */
export type DomainSweep = { readonly lapsed: number; readonly checked: number }

/**
 * Lets claims without a proof lapse, and looks again at domains that are due.
 *
 * A domain is claimed for the check before it is made, so that of several nodes one makes it.
 */
export async function sweepDomains(
  deps: Omit<CheckDomainDeps, 'store'> & { readonly store: Store },
): Promise<DomainSweep> {
  const { store, clock } = deps
  const now = clock.now()
  const lapsed = await store.transaction((tx) => dropLapsed(tx, now))
  const due = await store.domains.takeDue({ now, retryAt: now + RETRY_MS, limit: CHECKS_MAX })
  let checked = 0
  const work = due.values()
  const checkOneByOne = async () => {
    for (const domain of work) {
      const records = await lookUpRecords(deps.dns, domain, deps.mailHost)
      if (records === null) continue
      await recordCheck(deps, domain, records)
      checked += 1
    }
  }
  await Promise.all(Array.from({ length: CHECKS_AT_ONCE }, checkOneByOne))
  return { lapsed, checked }
}
