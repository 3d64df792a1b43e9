import type { AccountId, Domain, Limits, Plan } from '@mayfly/contract'
import { ServiceError } from '../../errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Ids } from '../../platform/ids.ts'
import type { Store, Tables } from '../../store/open.ts'
import type { Caller } from '../accounts/authenticate.ts'
import type { OperatorDomains } from '../inboxes/choose-domain.ts'
import type { RequirePlanRoom } from '../limits/plan-room.ts'
import { asciiDomain, claimableDomain } from './domain-name.ts'
import { domainView } from './records.ts'
import { CLAIM_MS } from './state.ts'

/** What registering a domain needs. */
export type RegisterDomainDeps = {
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
  readonly domains: OperatorDomains
  /** The name that the MX of a custom domain must point to. */
  readonly mailHost: string
  readonly limitsOf: (plan: Plan) => Limits
  readonly requireAdmin: (caller: Caller) => void
  readonly requirePlanRoom: RequirePlanRoom
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
  deps.requireAdmin(caller)
  const now = clock.now()
  return store.transaction(async (tx) => {
    await tx.accounts.lock(caller.accountId)
    await removeLapsed(tx, now, { domain, owner: caller.accountId })
    const limit = deps.limitsOf(caller.plan).customDomains
    const used = await tx.domains.count(caller.accountId)
    deps.requirePlanRoom('custom domain', { limit, used })
    const claim = { domain, challenge: ids.challenge(), createdAt: now }
    const claimed = await tx.domains.add(caller.accountId, claim)
    if (claimed === null) throw new ServiceError('domain_registered')
    return domainView(claimed, mailHost)
  })
}

/** Removes a domain; admins only. Its inboxes expire. */
export async function deleteDomain(
  deps: Pick<RegisterDomainDeps, 'store' | 'clock' | 'requireAdmin'>,
  caller: Caller,
  text: string,
): Promise<void> {
  deps.requireAdmin(caller)
  const domain = asciiDomain(text)
  await deps.store.transaction(async (tx) => {
    // Creating an inbox on a named domain takes the same lock.
    await tx.accounts.lock(caller.accountId)
    if (domain === null || !(await tx.domains.remove(caller.accountId, domain))) {
      throw new ServiceError('domain_not_found')
    }
    await tx.inboxes.expireOnDomain(caller.accountId, domain, { now: deps.clock.now() })
  })
}

/**
 * Removes claims that have been without proof for too long: that of a domain, and those of an
 * account. Their inboxes expire: mail of the domain's next owner must not reach them.
 */
export async function removeLapsed(
  tx: Tables,
  now: number,
  among: { readonly domain: string; readonly owner?: AccountId },
): Promise<number> {
  const lapsed = await tx.domains.removeLapsed(now - CLAIM_MS, among)
  for (const { accountId, domain } of lapsed) {
    await tx.inboxes.expireOnDomain(accountId, domain, { now })
  }
  return lapsed.length
}
