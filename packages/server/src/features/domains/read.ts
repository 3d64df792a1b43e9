import type { Domain, Limits, Plan, ReceivingDomain } from '@mayfly/contract'
import type { Tables } from '../../store/all-tables.ts'
import type { Caller } from '../accounts/authenticate.ts'
import type { OperatorDomains } from '../inboxes/choose-domain.ts'
import { domainView } from './records.ts'

export type ReadDomainsDeps = {
  readonly store: Tables
  readonly domains: OperatorDomains
  readonly limitsOf: (plan: Plan) => Limits
  readonly mailHost: string
}

/** The domains that the caller may create inboxes on. */
export async function listDomains(
  deps: ReadDomainsDeps,
  caller: Caller,
): Promise<ReceivingDomain[]> {
  const custom = await deps.store.domains.listActive(caller.accountId)
  const pool = deps.limitsOf(caller.plan).privateDomains ? deps.domains.private : []
  const listed = (type: ReceivingDomain['type'], names: readonly string[]) =>
    names.map((domain) => ({ domain, type, status: 'active' as const }))
  return [
    ...listed('public', deps.domains.public),
    ...listed('private', pool),
    ...listed('custom', custom),
  ]
}

/** The caller's own domains, in any state. */
export async function listCustomDomains(deps: ReadDomainsDeps, caller: Caller): Promise<Domain[]> {
  const domains = await deps.store.domains.list(caller.accountId)
  return domains.map((domain) => domainView(domain, deps.mailHost))
}
