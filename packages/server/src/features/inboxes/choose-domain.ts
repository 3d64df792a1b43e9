import { type Limits, SMART_DOMAIN } from '@mayfly/contract'
import { ServiceError } from '../../errors.ts'

/** The operator's receiving domains. */
export type OperatorDomains = {
  readonly public: readonly string[]
  readonly private: readonly string[]
}

/** The load of a domain. */
export type DomainLoad = {
  readonly domain: string
  readonly recentRefusals: number
  readonly inboxes: number
}

/** The candidates for a requested domain: one, or several of which the best is used. */
export function domainChoices(
  requested: string | undefined,
  domains: OperatorDomains,
  own: { readonly limits: Limits; readonly activeCustom: readonly string[] },
): readonly string[] {
  if (requested === undefined) return domains.public.slice(0, 1)
  if (requested === SMART_DOMAIN) {
    return own.limits.privateDomains && domains.private.length > 0
      ? domains.private
      : domains.public
  }
  if (domains.public.includes(requested) || own.activeCustom.includes(requested)) {
    return [requested]
  }
  if (domains.private.includes(requested)) {
    if (own.limits.privateDomains) return [requested]
    throw new ServiceError('plan_limit', {
      message: `The domain ${requested} belongs to the private pool, which the plan of this account does not include.`,
    })
  }
  throw new ServiceError('invalid_parameter', {
    message: `domain: ${requested} is not a receiving domain of this account. GET /v1/domains lists them; "smart" picks the best.`,
  })
}

/** The domain with the fewest recent refusals, then the fewest inboxes, then the first. */
export function bestDomain(loads: readonly DomainLoad[]): string {
  const [first, ...rest] = loads
  if (first === undefined) throw new Error('there is no receiving domain to choose from')
  return rest.reduce((best, load) => {
    const difference = load.recentRefusals - best.recentRefusals || load.inboxes - best.inboxes
    return difference < 0 ? load : best
  }, first).domain
}
