import type { Limits, Plan } from '@mayfly/contract'
import type { Caller } from '../accounts/authenticate.ts'
import { clientKey } from './client-address.ts'
import { limitReached, seconds } from './limit-reached.ts'
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

/** Whether a request is within its limit, and otherwise the message that says so. */
export type RequestRate = RateLimitResult & { readonly refusal: string | null }

/** Counts a request of the caller's account; null when its plan has no limit. */
export function consumeRequest(
  deps: Pick<RequestRateDeps, 'rateLimiter' | 'limitsOf'>,
  caller: Caller,
): RequestRate | null | Promise<RequestRate> {
  const { requestsPerMinute: limit } = deps.limitsOf(caller.plan)
  if (limit === null) return null
  const name = caller.accountId
  const consumed = deps.rateLimiter.consume({ name, limit, windowMs: MINUTE_MS })
  return consumed instanceof Promise
    ? consumed.then((result) => requestRate(caller, result))
    : requestRate(caller, consumed)
}

function requestRate({ plan }: Caller, result: RateLimitResult): RequestRate {
  if (result.isAllowed) return { ...result, refusal: null }
  const refusal = limitReached({
    plan,
    limit: 'requestsPerMinute',
    amount: `${result.limit} requests per minute`,
    retryAfterSeconds: result.resetSeconds,
  })
  return { ...result, refusal }
}

/**
 * How many times as many accounts clients on this machine may register: enough for any suite, and
 * a program that runs wild does not fill the disk.
 */
const LOOPBACK_FACTOR = 1_000

/**
 * Counts a registration from an address.
 *
 * Registrations that fail count too: each reveals whether an email has an account.
 */
export async function consumeRegistration(
  deps: RequestRateDeps,
  address: string,
): Promise<RequestRate> {
  const key = clientKey(address, deps.ipv6Groups)
  const name = key ?? 'loopback'
  const limit = deps.registrationsPerHour * (key === null ? LOOPBACK_FACTOR : 1)
  const result = await deps.rateLimiter.consume({ name, limit, windowMs: HOUR_MS })
  const refusal = `From one address ${limit} accounts per hour can be registered. Try again in ${seconds(result.resetSeconds)}. If you run this service: MAYFLY_REGISTRATIONS_PER_HOUR changes that number.`
  return { ...result, refusal: result.isAllowed ? null : refusal }
}
