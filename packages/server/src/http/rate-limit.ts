import type { FastifyInstance, FastifyReply } from 'fastify'
import type { App } from '../assembly/api.ts'
import { ServiceError } from '../errors.ts'

type Admission = NonNullable<Awaited<ReturnType<App['limits']['admitRequest']>>>

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route is limited by the address of whoever calls. */
    limitedByAddress?: boolean
  }
}

/** Marks a route that answers without a key, so often to each address. */
export const LIMITED_BY_ADDRESS = { public: true, limitedByAddress: true } as const

/**
 * Refuses what comes too often, right after the key and before the body is read, and tells
 * in every answer what is left. What is refused here counts for nothing.
 */
export function limitRates(http: FastifyInstance, app: App): void {
  http.addHook('onRequest', async (request, reply) => {
    if (request.is404) return
    const { config } = request.routeOptions
    if (config.limitedByAddress === true) {
      const admission = await app.limits.admitRegistration(request.ip)
      tell(reply, 'hour', admission)
      refusePast(admission, 'registrations_exceeded')
    }
    if (config.public === true) return
    const admission = await app.limits.admitRequest(request.caller)
    tell(reply, 'minute', admission)
    refusePast(admission, 'requests_per_minute_exceeded')
    app.limits.countRequest(request.caller)
  })
}

/** The two headers of the IETF's draft on rate limits, as structured fields. */
function tell(reply: FastifyReply, policy: string, admission: Admission | null): void {
  if (admission === null) return
  const { limit, windowSeconds, remaining, resetSeconds } = admission
  reply.header('ratelimit-policy', `"${policy}";q=${limit};w=${windowSeconds}`)
  reply.header('ratelimit', `"${policy}";r=${remaining};t=${resetSeconds}`)
}

function refusePast(
  admission: Admission | null,
  code: 'registrations_exceeded' | 'requests_per_minute_exceeded',
): void {
  if (admission === null || admission.isAdmitted) return
  throw new ServiceError(code, { retryAfterSeconds: admission.resetSeconds })
}
