import type { FastifyInstance } from 'fastify'
import type { App } from '../assembly/api.ts'
import { ServiceError } from '../errors.ts'

type Caller = Awaited<ReturnType<App['authenticate']>>

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls; set on every route that is not public. */
    caller: Caller
  }
  interface FastifyContextConfig {
    /** Whether the route answers without a key. */
    public?: boolean
  }
}

/** Marks a route that answers without a key. */
export const PUBLIC = { public: true } as const

const BEARER = /^Bearer +(\S+) *$/i

/**
 * Finds out who calls, before the body is read: a stranger's body is not worth parsing, and
 * a missing key is told before whatever else is wrong.
 */
export function authenticateCallers(http: FastifyInstance, app: App): void {
  // Never read before it is set: the hook below runs on every route but the public ones.
  http.decorateRequest('caller', undefined as unknown as Caller)
  http.addHook('onRequest', async (request) => {
    if (request.is404 || request.routeOptions.config.public === true) return
    const { authorization } = request.headers
    if (authorization === undefined) throw new ServiceError('missing_api_key')
    const secret = BEARER.exec(authorization)?.[1]
    if (secret === undefined) throw new ServiceError('missing_api_key')
    request.caller = await app.authenticate(secret)
  })
}
