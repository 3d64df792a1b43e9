import type { Domain, Limits, Plan } from '@mayfly/contract'
import { ServiceError } from '../../errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Ids } from '../../platform/ids.ts'
import type { Store } from '../../store/open.ts'
import type { Caller } from '../accounts/authenticate.ts'
import type { OperatorDomains } from '../inboxes/choose-domain.ts'
import { requireAdmin } from '../rules/admin.ts'
import { requirePlanQuota } from '../rules/plan-quota.ts'
import { claimableDomain } from './domain-name.ts'
import { domainView } from './records.ts'
import { finishRemoval } from './remove.ts'
import { CLAIM_MS } from './state.ts'

export type RegisterDomainDeps = {
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
  readonly domains: OperatorDomains
  /** The name that the MX of a custom domain must point to. */
  readonly mailHost: string
  readonly limitsOf: (plan: Plan) => Limits
}

/** Claims a domain for the caller's account; admins only. Replaces a lapsed claim. */
export async function registerDomain(
  deps: RegisterDomainDeps,
  caller: Caller,
  text: string,
): Promise<Domain> {
  const { store, clock, ids, domains, mailHost } = deps
  const own = [...domains.public, ...domains.private, mailHost]
  const domain = await claimableDomain(text, own)
  requireAdmin(caller)
  const now = clock.now()
  const among = { domain, owner: caller.accountId }
  await store.domains.removeLapsed(now - CLAIM_MS, among)
  for (const removed of await store.domains.listRemoved(among)) {
    await finishRemoval(store, removed, { now })
  }
  return store.transaction(async (tx) => {
    await tx.accounts.lock(caller.accountId)
    const limit = deps.limitsOf(caller.plan).customDomains
    const used = await tx.domains.count(caller.accountId)
    requirePlanQuota('custom domain', { limit, used })
    const claim = { domain, challenge: ids.challenge(), createdAt: now }
    const claimed = await tx.domains.add(caller.accountId, claim)
    if (claimed === null) throw new ServiceError('domain_registered')
    return domainView(claimed, mailHost)
  })
}
