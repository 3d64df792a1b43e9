import type { Limits, Plan } from '@mayfly/contract'
import type { Caller } from '../accounts/authenticate.ts'
import { callerAddress } from './client-address.ts'
import type { Admission, RateLimiter } from './rate-limiter.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** What admitting requests needs. */
export type AdmitDeps = {
  readonly rateLimiter: RateLimiter
  readonly limitsOf: (plan: Plan) => Limits
  /** Accounts that one address may register in an hour. */
  readonly registrationsPerHour: number
}

/** Counts a request of the caller's account; null where no rate limits it. */
export async function admitRequest(deps: AdmitDeps, caller: Caller): Promise<Admission | null> {
  const { requestsPerMinute } = deps.limitsOf(caller.plan)
  if (requestsPerMinute === null) return null
  return deps.rateLimiter.admit({
    name: caller.accountId,
    limit: requestsPerMinute,
    windowMs: MINUTE_MS,
  })
}

/**
 * Counts a registration from an address; null for the machine itself.
 *
 * Refused ones count too: each tells whether an email has an account.
 */
export async function admitRegistration(
  deps: AdmitDeps,
  address: string,
): Promise<Admission | null> {
  const name = callerAddress(address)
  if (name === null) return null
  return deps.rateLimiter.admit({ name, limit: deps.registrationsPerHour, windowMs: HOUR_MS })
}
