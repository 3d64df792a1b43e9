import * as streamable from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import {
  CancelledNotificationSchema,
  InitializeRequestSchema,
  isJSONRPCRequest,
} from '@modelcontextprotocol/sdk/types.js'
import type { McpDeps, McpRequest } from './exchange.ts'
import { createProtocol } from './protocol.ts'
import { RunningCalls } from './running-calls.ts'
import { findTool } from './tools.ts'

/** A comment in a silent stream this often; the first one also sends the headers. */
const KEEP_ALIVE_MS = 5_000

/**
 * Makes the endpoint for agents.
 *
 * Nothing is kept between requests: each is answered by a protocol server of its own, so any node
 * may answer any of them. The session id that a client is given at the start is a mere name. It
 * comes back with every request and tells whose call a cancellation means.
 */
export function createMcp(deps: McpDeps): (request: McpRequest) => Promise<Response> {
  const running = new RunningCalls()
  return async (request) => {
    const { body, caller, gone } = request
    if (Array.isArray(body)) return refuseBatch()
    const session = headerOf(request, 'mcp-session-id')
    const cancelled = CancelledNotificationSchema.safeParse(body).data?.params.requestId
    if (cancelled !== undefined) {
      running.cancel({ keyId: caller.keyId, session, requestId: cancelled })
    }
    const streams = isWaiting(body)
    const transport = new streamable.WebStandardStreamableHTTPServerTransport({
      enableJsonResponse: !streams,
      keepAliveMs: KEEP_ALIVE_MS,
    })
    const server = createProtocol({ ...deps, ...request, session, running })
    await server.connect(transport)
    // A plain answer is made in an instant, and closing would leave it unmade.
    if (streams) whenAborted(gone, () => void server.close())
    const response = await transport.handleRequest(toWebRequest(request), { parsedBody: body })
    if (InitializeRequestSchema.safeParse(body).success) {
      response.headers.set('mcp-session-id', deps.ids.mark())
    }
    return response
  }
}

/** Also when it was aborted before: a client may leave while the library is still loading. */
function whenAborted(signal: AbortSignal, act: () => void): void {
  if (signal.aborted) act()
  else signal.addEventListener('abort', act, { once: true })
}

/** Whether the answer may take long: it is then a stream, and can tell how far it has come. */
function isWaiting(body: unknown): boolean {
  if (!isJSONRPCRequest(body) || body.method !== 'tools/call') return false
  return findTool(body.params?.['name'])?.waits === true
}

/** Many calls in one request would pass by the limit of requests; the protocol dropped them too. */
function refuseBatch(): Response {
  const message = 'Send one message a request: batches are not taken.'
  return Response.json(
    { jsonrpc: '2.0', error: { code: -32600, message }, id: null },
    { status: 400 },
  )
}

/** The headers that the transport looks at. */
function toWebRequest(request: McpRequest): Request {
  const headers = new Headers()
  for (const name of ['accept', 'content-type', 'mcp-protocol-version']) {
    const value = headerOf(request, name)
    if (value !== null) headers.set(name, value)
  }
  return new Request('http://mayfly.invalid/mcp', { method: 'POST', headers })
}

function headerOf({ headers }: McpRequest, name: string): string | null {
  const value = headers[name]
  return typeof value === 'string' ? value : null
}
