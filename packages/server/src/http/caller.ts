import type { FastifyInstance } from 'fastify'
import type { App } from '../app/api.ts'
import { ServiceError } from '../errors.ts'
import { configOf } from './route-config.ts'

type Caller = Awaited<ReturnType<App['authenticate']>>

declare module 'fastify' {
  interface FastifyRequest {
    /** The authenticated caller; set on every route that is not public. */
    caller: Caller
  }
  interface FastifyContextConfig {
    /** Whether the route needs no API key. */
    public?: boolean
  }
}

/** Marks a route that needs no API key. */
export const PUBLIC = { public: true } as const

const BEARER = /^Bearer +(\S+) *$/i

/**
 * Authenticates before the body is read: an unauthenticated body is not worth parsing, and a
 * missing key must be reported before any other error.
 */
export function authenticateCallers(http: FastifyInstance, app: App): void {
  // Never read before it is set: the hook below runs on every route but the public ones.
  http.decorateRequest('caller', undefined as unknown as Caller)
  http.addHook('onRequest', async (request) => {
    if (configOf(request).public === true) return
    const secret = BEARER.exec(request.headers.authorization ?? '')?.[1]
    if (secret === undefined) throw new ServiceError('missing_api_key')
    request.caller = await app.authenticate(secret)
  })
}
