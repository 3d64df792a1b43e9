// A listener with all providers at its root, for clients that cannot keep a prefix, insist on TLS,
// or reach it by a provider's real host name.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Answer } from './provider.ts'
import type { HandleProvider } from './serve.ts'

/** A running listener. */
export type ProvidersListener = {
  readonly port: number
  /** Stops accepting; open requests have so long. */
  stop(graceMs: number): Promise<void>
}

/** The options of the listener. */
export type ListenerOptions = {
  readonly host: string
  readonly port: number
  /** Null: plain HTTP. */
  readonly tls: { readonly cert: string; readonly key: string } | null
  readonly handle: HandleProvider
  readonly newRequestId: () => string
  readonly onError: (error: unknown) => void
}

/** Longest time for receiving a whole request, and without a byte in either direction. */
const REQUEST_MS = 60_000
const IDLE_MS = 75_000

/** Starts the listener; when this returns, it accepts requests. */
export async function listenForProviders(options: ListenerOptions): Promise<ProvidersListener> {
  const { host, port, tls } = options
  const timeouts = { requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS }
  const onRequest = (request: IncomingMessage, response: ServerResponse) =>
    void respond(options, request, response).catch((error: unknown) => {
      options.onError(error)
      response.destroy()
    })
  const server =
    tls === null
      ? createServer(timeouts, onRequest)
      : createTlsServer({ ...timeouts, ...tls }, onRequest)
  server.setTimeout(IDLE_MS)
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject).listen(port, host, resolve)
  await promise
  // A TLS handshake that fails is no error of the service.
  server.off('error', reject).on('error', options.onError)
  return {
    // It listens on TCP.
    port: (server.address() as AddressInfo).port,
    stop: async (graceMs) => {
      const closed = Promise.withResolvers<void>()
      const cut = setTimeout(() => server.closeAllConnections(), graceMs)
      server.close(() => closed.resolve())
      await closed.promise
      clearTimeout(cut)
    },
  }
}

async function respond(
  { handle, newRequestId, tls }: ListenerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const id = newRequestId()
  const gone = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) gone.abort()
  })
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : value,
    ]),
  )
  const scheme = tls === null ? 'http' : 'https'
  const answer = isOfPage(headers)
    ? FOREIGN_PAGE
    : await handle({
        ...{ id, headers, payload: request, gone: gone.signal },
        ...{ method: request.method ?? 'GET', url: request.url ?? '/' },
        remoteAddress: request.socket.remoteAddress ?? '',
        rootUrl: `${scheme}://${headers['host'] ?? 'localhost'}/`,
      })
  const { body } = answer
  const text = body === null ? '' : 'json' in body ? JSON.stringify(body.json) : body.text
  const type = body === null ? 'text/plain' : 'json' in body ? 'application/json' : body.type
  response.writeHead(answer.status, {
    ...{ 'x-request-id': id, 'content-type': type, 'content-length': Buffer.byteLength(text) },
    ...answer.headers,
  })
  response.end(text)
  // The rest of a body that was refused: otherwise the client cannot read the response.
  request.resume()
}

/** Whether a browser sent the request: providers' APIs have no pages. */
function isOfPage(headers: Readonly<Record<string, string | undefined>>): boolean {
  return headers['origin'] !== undefined || headers['sec-fetch-site'] !== undefined
}

const FOREIGN_PAGE: Answer = {
  status: 403,
  body: { text: 'Pages may not call this service.\n', type: 'text/plain; charset=utf-8' },
}
