import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { App } from '../assembly/api.ts'
import { ServiceError } from '../errors.ts'
import { endHookWith } from './hook-result.ts'
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
 * missing key must be reported before any other error. A response that is remembered is taken at
 * the same moment: it then needs no look at the database of its own.
 */
export function authenticateCallers(
  http: FastifyInstance,
  app: App,
  mayRecall: (request: FastifyRequest) => boolean = () => false,
): void {
  // Never read before it is set: the hook below runs on every route but the public ones.
  http.decorateRequest('caller', undefined as unknown as Caller)
  http.addHook('onRequest', (request, _reply, done) => {
    if (configOf(request).public === true) return done()
    const secret = BEARER.exec(request.headers.authorization ?? '')?.[1]
    if (secret === undefined) throw new ServiceError('missing_api_key')
    // Before the database is looked at: accepted mails that are stored by now are seen there.
    const isRecalling = mayRecall(request)
    const found = app.authenticate(secret)
    if (isRecalling && !(found instanceof Promise)) {
      request.recalled = app.responses.recall(found, request.url)
    }
    endHookWith(done, found, (caller) => {
      request.caller = caller
    })
  })
}
