import type { Limits, Plan } from '@mayfly/contract'
import { clientKey } from '../../ip-address.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Caller } from '../accounts/authenticate.ts'
import { limitReached, seconds } from '../rules/limit-reached.ts'
import type { WindowCounter } from './memory-windows.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

export type RequestRateDeps = {
  readonly clock: Clock
  readonly rateWindows: WindowCounter
  readonly limitsOf: (plan: Plan) => Limits
  /** Accounts that one address may register in an hour. */
  readonly registrationsPerHour: number
}

/** The rest of a limit after a request. */
export type RequestRate = {
  readonly limit: number
  readonly windowSeconds: number
  readonly remaining: number
  /** Until the window ends. */
  readonly resetSeconds: number
  /** Why the request is refused; null within the limit. */
  readonly refusal: string | null
}

/** Counts a request of the caller's account; null when its plan has no limit. */
export async function consumeRequest(
  deps: Pick<RequestRateDeps, 'clock' | 'rateWindows' | 'limitsOf'>,
  { accountId, plan }: Caller,
): Promise<RequestRate | null> {
  const { requestsPerMinute: limit } = deps.limitsOf(plan)
  if (limit === null) return null
  const refusal = (retryAfterSeconds: number) =>
    limitReached({
      plan,
      limit: 'requestsPerMinute',
      amount: `${limit} requests per minute`,
      retryAfterSeconds,
    })
  return consume(deps, { name: accountId, limit, windowMs: MINUTE_MS, refusal })
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
  const key = clientKey(address)
  const name = key ?? 'loopback'
  const limit = deps.registrationsPerHour * (key === null ? LOOPBACK_FACTOR : 1)
  const refusal = (retryAfterSeconds: number) =>
    `From one address ${limit} accounts per hour can be registered. Try again in ${seconds(retryAfterSeconds)}. If you run this service: MAYFLY_REGISTRATIONS_PER_HOUR changes that number.`
  return consume(deps, { name, limit, windowMs: HOUR_MS, refusal })
}

type Rate = {
  readonly name: string
  readonly limit: number
  readonly windowMs: number
  readonly refusal: (retryAfterSeconds: number) => string
}

async function consume(
  { clock, rateWindows }: Pick<RequestRateDeps, 'clock' | 'rateWindows'>,
  { name, limit, windowMs, refusal }: Rate,
): Promise<RequestRate> {
  const now = clock.now()
  const { startedAt, used } = await rateWindows.count(name, windowMs, now)
  // At most the window: the clock of the node that began it may be some milliseconds ahead.
  const leftMs = Math.min(windowMs, startedAt + windowMs - now)
  const resetSeconds = Math.ceil(leftMs / 1000)
  return {
    limit,
    windowSeconds: windowMs / 1000,
    remaining: Math.max(0, limit - used),
    resetSeconds,
    refusal: used <= limit ? null : refusal(resetSeconds),
  }
}
