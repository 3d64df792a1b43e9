import type { FastifyInstance, FastifyReply } from 'fastify'
import type { App } from '../app/api.ts'
import { ServiceError } from '../errors.ts'
import { configOf } from './route-config.ts'

type RequestRate = NonNullable<Awaited<ReturnType<App['limits']['consumeRequest']>>>

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
  http.addHook('onRequest', async (request, reply) => {
    const config = configOf(request)
    if (config.limitedByAddress === true) {
      // Only for public routes.
      const rate = await app.limits.consumeRegistration(request.ip)
      setHeaders(reply, 'hour', rate)
      refuseOverLimit(rate, 'registrations_exceeded')
    } else if (config.public !== true) {
      const rate = await app.limits.consumeRequest(request.caller)
      if (rate !== null) {
        setHeaders(reply, 'minute', rate)
        refuseOverLimit(rate, 'requests_per_minute_exceeded')
      }
      app.limits.countRequest(request.caller)
    }
  })
}

/** Sets the two headers of the IETF draft on rate limits, as structured fields. */
function setHeaders(reply: FastifyReply, policy: string, rate: RequestRate): void {
  const { limit, windowSeconds, remaining, resetSeconds } = rate
  reply.header('ratelimit-policy', `"${policy}";q=${limit};w=${windowSeconds}`)
  reply.header('ratelimit', `"${policy}";r=${remaining};t=${resetSeconds}`)
}

function refuseOverLimit(
  { refusal: message, resetSeconds: retryAfterSeconds }: RequestRate,
  code: 'registrations_exceeded' | 'requests_per_minute_exceeded',
): void {
  if (message !== null) throw new ServiceError(code, { message, retryAfterSeconds })
}
