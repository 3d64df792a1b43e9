import { type Limits, SMART_DOMAIN } from '@mayfly/contract'
import { ServiceError } from '../../errors.ts'

/** The domains that the operator gives out. */
export type OperatorDomains = {
  readonly public: readonly string[]
  readonly private: readonly string[]
}

/** How busy and how troubled a domain is. */
export type DomainLoad = {
  readonly domain: string
  readonly recentRefusals: number
  readonly inboxes: number
}

/** What a options for a domain comes to: one domain, or several to choose the best of. */
export function domainChoices(
  options: string | undefined,
  domains: OperatorDomains,
  own: { readonly limits: Limits; readonly activeCustom: readonly string[] },
): readonly string[] {
  if (options === undefined) return domains.public.slice(0, 1)
  if (options === SMART_DOMAIN) {
    return own.limits.privateDomains && domains.private.length > 0
      ? domains.private
      : domains.public
  }
  if (domains.public.includes(options) || own.activeCustom.includes(options)) return [options]
  if (domains.private.includes(options)) {
    if (own.limits.privateDomains) return [options]
    throw new ServiceError('plan_limit', {
      message: `The domain ${options} is of the private pool, which the plan of this account does not include.`,
    })
  }
  throw new ServiceError('invalid_parameter', {
    message: `domain: ${options} is not a receiving domain of this account. GET /v1/domains lists them; "smart" picks the best.`,
  })
}

/** The fewest recent refusals, then the fewest inboxes, then the operator's own order. */
export function bestDomain(loads: readonly DomainLoad[]): string {
  const [first, ...rest] = loads
  if (first === undefined) throw new Error('there is no receiving domain to choose from')
  return rest.reduce((best, load) => {
    const difference = load.recentRefusals - best.recentRefusals || load.inboxes - best.inboxes
    return difference < 0 ? load : best
  }, first).domain
}
