import type { Limits, Plan } from '@mayfly/contract'
import type { Caller } from '../accounts/authenticate.ts'
import { clientKey } from './client-address.ts'
import type { RateLimiter, RateLimitResult } from './rate-limiter.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** What limiting requests needs. */
export type RequestRateDeps = {
  readonly rateLimiter: RateLimiter
  readonly limitsOf: (plan: Plan) => Limits
  /** Accounts that one address may register in an hour. */
  readonly registrationsPerHour: number
  readonly ipv6Groups: (address: string) => readonly string[]
}

/** Counts a request of the caller's account; null when its plan has no limit. */
export async function consumeRequest(
  deps: Pick<RequestRateDeps, 'rateLimiter' | 'limitsOf'>,
  caller: Caller,
): Promise<RateLimitResult | null> {
  const { requestsPerMinute } = deps.limitsOf(caller.plan)
  if (requestsPerMinute === null) return null
  return deps.rateLimiter.consume({
    name: caller.accountId,
    limit: requestsPerMinute,
    windowMs: MINUTE_MS,
  })
}

/**
 * Counts a registration from an address; null for one on this machine.
 *
 * Registrations that fail count too: each reveals whether an email has an account.
 */
export async function consumeRegistration(
  deps: RequestRateDeps,
  address: string,
): Promise<RateLimitResult | null> {
  const name = clientKey(address, deps.ipv6Groups)
  if (name === null) return null
  return deps.rateLimiter.consume({ name, limit: deps.registrationsPerHour, windowMs: HOUR_MS })
}
