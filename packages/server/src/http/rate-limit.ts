import type { FastifyInstance, FastifyReply } from 'fastify'
import type { App } from '../assembly/api.ts'
import { ServiceError } from '../errors.ts'
import { endHookWith } from './hook-result.ts'
import { configOf } from './route-config.ts'

type RateLimitResult = NonNullable<Awaited<ReturnType<App['limits']['consumeRequest']>>>

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route is rate limited by client address. */
    limitedByAddress?: boolean
  }
}

/** Marks a public route that is rate limited by client address. */
export const LIMITED_BY_ADDRESS = { public: true, limitedByAddress: true } as const

/**
 * Enforces the request limits after authentication and before the body is read, and sets the
 * RateLimit headers of every response. A refused request is not counted as usage.
 */
export function limitRates(http: FastifyInstance, app: App): void {
  http.addHook('onRequest', (request, reply, done) => {
    const config = configOf(request)
    if (config.limitedByAddress === true) {
      // Of public routes alone, as the mark says.
      endHookWith(done, app.limits.consumeRegistration(request.ip), (result) => {
        setHeaders(reply, 'hour', result)
        refuseOverLimit(result, 'registrations_exceeded')
      })
    } else if (config.public === true) {
      done()
    } else {
      endHookWith(done, app.limits.consumeRequest(request.caller), (result) => {
        setHeaders(reply, 'minute', result)
        refuseOverLimit(result, 'requests_per_minute_exceeded')
        app.limits.countRequest(request.caller)
      })
    }
  })
}

/** Sets the two headers of the IETF draft on rate limits, as structured fields. */
function setHeaders(reply: FastifyReply, policy: string, result: RateLimitResult | null): void {
  if (result === null) return
  const { limit, windowSeconds, remaining, resetSeconds } = result
  reply.header('ratelimit-policy', `"${policy}";q=${limit};w=${windowSeconds}`)
  reply.header('ratelimit', `"${policy}";r=${remaining};t=${resetSeconds}`)
}

function refuseOverLimit(
  result: RateLimitResult | null,
  code: 'registrations_exceeded' | 'requests_per_minute_exceeded',
): void {
  if (result === null || result.refusal === null) return
  const { refusal: message, resetSeconds: retryAfterSeconds } = result
  throw new ServiceError(code, { message, retryAfterSeconds })
}
