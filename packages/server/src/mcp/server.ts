import {
  isInitializeRequest,
  isJSONRPCRequest,
  isSpecType,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { createProtocol, type McpDeps, type McpRequest } from './protocol.ts'
import { RunningCalls } from './running-calls.ts'
import { findTool } from './tool-registry.ts'

/** Interval of comments in an idle stream; the first one also sends the headers. */
const KEEP_ALIVE_MS = 5_000

/**
 * Creates the MCP endpoint.
 *
 * Nothing is kept between requests: each has a protocol server of its own, so any node may handle
 * any of them. The session id that a client gets at initialization holds no state; it identifies
 * the client whose call is cancelled.
 */
export function createMcp(deps: McpDeps): (request: McpRequest) => Promise<Response> {
  const running = new RunningCalls()
  return async (request) => {
    const { body, caller, gone } = request
    if (Array.isArray(body)) return refuseBatch()
    const session = headerOf(request, 'mcp-session-id')
    const cancelled = isSpecType.CancelledNotification(body) ? body.params.requestId : undefined
    if (cancelled !== undefined) {
      running.cancel({ keyId: caller.keyId, session, requestId: cancelled })
    }
    const streams = isWaiting(body)
    const transport = new WebStandardStreamableHTTPServerTransport({
      enableJsonResponse: !streams,
      keepAliveMs: KEEP_ALIVE_MS,
    })
    const server = createProtocol({ ...deps, ...request, session, running })
    await server.connect(transport)
    // A plain response is ready at once; closing the server would lose it.
    if (streams) whenAborted(gone, () => void server.close())
    const response = await transport.handleRequest(toWebRequest(request), { parsedBody: body })
    if (isInitializeRequest(body)) {
      response.headers.set('mcp-session-id', deps.ids.mark())
    }
    return response
  }
}

/** Also when already aborted: a client may disconnect while the library is loading. */
function whenAborted(signal: AbortSignal, act: () => void): void {
  if (signal.aborted) act()
  else signal.addEventListener('abort', act, { once: true })
}

/** Whether the call may take long: its response is then a stream that can report progress. */
function isWaiting(body: unknown): boolean {
  if (!isJSONRPCRequest(body) || body.method !== 'tools/call') return false
  return findTool(body.params?.['name'])?.waits === true
}

/** Batches would bypass the request limit, and the protocol no longer has them. */
function refuseBatch(): Response {
  const message = 'Send one message per request: batches are not supported.'
  return Response.json(
    { jsonrpc: '2.0', error: { code: -32600, message }, id: null },
    { status: 400 },
  )
}

/** A request with the headers that the transport reads. */
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
