import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A call as the server saw it. */
export type SeenCall = {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** A response; `hangUp` closes the connection without one. */
export type FakeResponse =
  | {
      readonly status: number
      /** Text is sent as it is, anything else as JSON. */
      readonly body?: unknown
      readonly headers?: Readonly<Record<string, string>>
    }
  | 'hangUp'

/** Responds to a call; `gone` aborts when the caller closes the connection. */
export type Respond = (call: SeenCall, gone: AbortSignal) => Promise<FakeResponse>

/** A real HTTP server on a free port. */
export type FakeHttp = AsyncDisposable & {
  readonly baseUrl: string
  readonly calls: readonly SeenCall[]
}

/** Starts a server whose responses come from `respond`. */
export async function startFakeHttp(respond: Respond): Promise<FakeHttp> {
  const calls: SeenCall[] = []
  const server = createServer(async (request, response) => {
    const call = await readCall(request)
    calls.push(call)
    send(response, await respond(call, gone(response)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A server that listens on a port has an address of this kind.
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    calls,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** An error response in the form of the service. */
export function errorResponse(
  status: number,
  code: string,
  headers: Readonly<Record<string, string>> = {},
): FakeResponse {
  return { status, body: { error: { type: 'fake', code, message: 'As scripted.' } }, headers }
}

async function readCall(request: IncomingMessage): Promise<SeenCall> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const url = new URL(request.url ?? '/', 'http://fake')
  return {
    method: request.method ?? '',
    path: url.pathname,
    query: url.searchParams,
    headers: request.headers,
    body: Buffer.concat(chunks).toString('utf8'),
  }
}

function gone(response: ServerResponse): AbortSignal {
  const controller = new AbortController()
  response.once('close', () => controller.abort())
  return controller.signal
}

function send(response: ServerResponse, content: FakeResponse): void {
  if (content === 'hangUp') {
    response.destroy()
    return
  }
  const { status, body = '', headers = {} } = content
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}
