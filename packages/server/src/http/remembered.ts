import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../assembly/api.ts'
import { sendJson } from './route.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The response, when it is remembered. */
    recalled: Uint8Array | null
  }
  interface FastifyContextConfig {
    /** Whether the response may be remembered. */
    remembered?: boolean
  }
}

/** Marks a route whose response depends on the account, the URL and the database alone. */
export const REMEMBERED = { remembered: true } as const

/**
 * Sends responses that are remembered, after everything that may refuse or delay a request. That
 * the URL is valid is known: it had a response before.
 */
export function sendRecalled(http: FastifyInstance): void {
  http.decorateRequest('recalled', null)
  http.addHook('onRequest', (request, reply, done) => {
    if (request.recalled === null) done()
    else void sendJson(reply, request.recalled)
  })
}

/** Sends the response of a route that is marked as `REMEMBERED`. */
export function sendRemembered(
  { caller, url }: Pick<FastifyRequest, 'caller' | 'url'>,
  reply: FastifyReply,
  { app, write }: { readonly app: App; readonly write: Parameters<App['responses']['get']>[2] },
) {
  return sendJson(reply, app.responses.get(caller, url, write))
}
