import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ServiceError } from '../errors.ts'
import { isOfOwnPage, isOwnHost, type OwnNames, type PageHeaders } from './allowed-host.ts'
import { clientGone } from './route.ts'

/** Handles one MCP request whose caller is authenticated and whose body is JSON. */
export type HandleMcp = (
  request: Pick<FastifyRequest, 'headers' | 'body' | 'caller'> & {
    readonly requestId: string
    readonly gone: AbortSignal
  },
) => Promise<Response>

/** Serves the MCP endpoint for agents at /mcp. */
export function serveMcp(
  http: FastifyInstance,
  options: OwnNames & { readonly handleMcp: HandleMcp },
): void {
  const onRequest = async (request: FastifyRequest) => {
    const port = request.socket.localPort ?? 0
    if (!isForThisService(request.headers, { ...options, port }))
      throw new ServiceError('origin_refused')
  }
  // POST alone: there is no stream to open and no session to end; the protocol asks for 405 then.
  http.post('/mcp', { schema: { hide: true }, onRequest }, async (request, reply) => {
    const { headers, body, caller, id: requestId } = request
    const gone = clientGone(reply)
    return reply.send(await options.handleMcp({ headers, body, caller, requestId, gone }))
  })
}

/**
 * Whether the Host and Origin headers name this service.
 *
 * Stricter than on other routes, wherever the service listens: an agent acts on what it reads, so
 * that not even a page of another program on this machine may call its tools.
 */
export function isForThisService(
  headers: PageHeaders,
  own: OwnNames & { readonly port: number },
): boolean {
  const { port, baseUrl } = own
  return isOwnHost(headers.host, own) && isOfOwnPage(headers, { baseUrl: baseUrl(), port })
}
