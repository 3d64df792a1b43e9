import type { Domain } from '@mayfly/contract'
import { ServiceError } from '../../errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Tables } from '../../store/all-tables.ts'
import type { CustomDomain } from '../../store/tables/domains.ts'
import type { Caller } from '../accounts/authenticate.ts'
import { asciiDomain } from './domain-name.ts'
import { type DomainRecords, domainView, lookUpRecords } from './records.ts'
import { afterCheck, nextCheckAt, type Records } from './state.ts'

export type CheckDomainDeps = {
  readonly store: Tables
  readonly clock: Clock
  readonly dns: DomainRecords
  readonly mailHost: string
}

/** Seconds for Retry-After when DNS did not respond. */
const DNS_RETRY_SECONDS = 5

/** Checks the records of the caller's domain now. */
export async function verifyDomain(
  deps: CheckDomainDeps,
  caller: Caller,
  text: string,
): Promise<Domain> {
  const name = asciiDomain(text)
  const domain = name === null ? null : await deps.store.domains.find(caller.accountId, name)
  if (domain === null) throw new ServiceError('domain_not_found')
  const records = await lookUpRecords(deps.dns, domain, deps.mailHost)
  if (records === null) {
    throw new ServiceError('dns_unavailable', { retryAfterSeconds: DNS_RETRY_SECONDS })
  }
  const checked = await recordCheck(deps, domain, records)
  // Deleted during the lookup.
  if (checked === null) throw new ServiceError('domain_not_found')
  const view = domainView(checked, deps.mailHost)
  if (!records.isProven) {
    const { name: where, value } = view.txtRecord
    throw new ServiceError('txt_record_not_found', {
      message: `There is no TXT record ${where} with the value "${value}" yet. A new record may take a while to become visible.`,
    })
  }
  return view
}

/** Stores the result of a check; null when the domain was deleted. */
export async function recordCheck(
  deps: Pick<CheckDomainDeps, 'store' | 'clock'>,
  domain: CustomDomain,
  records: Records,
): Promise<CustomDomain | null> {
  const now = deps.clock.now()
  const checked = afterCheck(domain, records, now)
  const isThere = await deps.store.domains.update(checked, nextCheckAt(checked, now))
  return isThere ? checked : null
}
