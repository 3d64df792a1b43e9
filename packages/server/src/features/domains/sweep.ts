import { setImmediate as turn } from 'node:timers/promises'
import type { Store } from '../../store/open.ts'
import type { CustomDomain } from '../../store/tables/domains.ts'
import { lookUpRecords } from './records.ts'
import { removeLapsed } from './register.ts'
import { CLAIM_MS, RETRY_MS } from './state.ts'
import { type CheckDomainDeps, recordCheck } from './verify.ts'

/** Domains checked in one sweep: few enough to finish within a minute when DNS is slow. */
const CHECKS_MAX = 100

/** Domains checked at the same time. */
const CONCURRENT_CHECKS = 10

/** Inboxes that expire in one transaction. */
const EXPIRED_BATCH = 1_000

/** How many claims lapsed and how many domains were checked. */
export type DomainSweep = { readonly lapsed: number; readonly checked: number }

/**
 * Removes claims that lapsed, and checks domains that are due.
 *
 * A due domain is claimed before its check, so that only one of several nodes makes it. A lapsed
 * one that cannot be removed does not keep the others from being removed and checked: its failure
 * is thrown at the end.
 */
export async function sweepDomains(
  deps: Omit<CheckDomainDeps, 'store'> & { readonly store: Store },
): Promise<DomainSweep> {
  const { store, clock } = deps
  const now = clock.now()
  const failures: unknown[] = []
  let lapsed = 0
  for (const claim of await store.domains.listLapsed(now - CLAIM_MS)) {
    try {
      lapsed += await removeClaim(store, claim, now)
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
  if (failures.length > 0) throw new AggregateError(failures, 'Lapsed domains were not removed.')
  return { lapsed, checked }
}

/** Most inboxes of the domain expire before: all in one transaction may take too long. */
async function removeClaim(
  store: Store,
  { accountId, domain }: CustomDomain,
  now: number,
): Promise<number> {
  const expireSome = () =>
    store.transaction((tx) =>
      tx.inboxes.expireOnDomain(accountId, domain, { now, limit: EXPIRED_BATCH }),
    )
  while ((await expireSome()) === EXPIRED_BATCH) await turn()
  return store.transaction((tx) => removeLapsed(tx, now, { domain }))
}
