import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ServiceError } from '../errors.ts'
import { clientGone } from './client-gone.ts'
import { isMeantForUs } from './rebinding.ts'

/** Answers one request of an agent, whose caller is known and whose body is JSON. */
export type HandleMcp = (
  request: Pick<FastifyRequest, 'headers' | 'body' | 'caller'> & {
    readonly requestId: string
    readonly gone: AbortSignal
  },
) => Promise<Response>

/** Serves the tools for agents at /mcp; the protocol itself is made elsewhere. */
export function serveMcp(
  http: FastifyInstance,
  options: { readonly handleMcp: HandleMcp; readonly baseUrl: () => string },
): void {
  const onRequest = async (request: FastifyRequest) => {
    const own = { baseUrl: options.baseUrl(), port: request.socket.localPort ?? 0 }
    if (!isMeantForUs(request.headers, own)) throw new ServiceError('origin_refused')
  }
  // POST alone: there is no stream to open and no session to end, which the protocol says by 405.
  http.post('/mcp', { schema: { hide: true }, onRequest }, async (request, reply) => {
    const { headers, body, caller, id: requestId } = request
    const gone = clientGone(reply)
    return reply.send(await options.handleMcp({ headers, body, caller, requestId, gone }))
  })
}
